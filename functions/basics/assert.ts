import type { Log } from './telemetry.ts';

/** What must hold, whatever the service, AWS or an operator does: only a defect of the code breaks it. The
 *  part of a name before the dot is the place. A test breaks each (test/assertions.test.ts). */
const ASSERTIONS = {
  'commit.version-grows': 'the version is larger than the last one',
  'commit.one-version': 'snapshot, tombstone and events have the version of the commit',
  'commit.snapshot-or-tombstone': 'a commit either writes a snapshot or leaves a tombstone',
  'commit.silent-in-baseline': 'a baseline commits new snapshots and no events',
  'commit.one-event-per-change': 'each change has its event, of its type, in its order',
  'commit.ids-are-unique': 'no two events have one id',
  'commit.event-of-project': 'each event names the process and the project of the commit',
  'commit.observed-in-order': 'an event was observed after its old state and not after its new one',
  'commit.record-changes-once': 'a commit changes each record once',
  'commit.change-fits-snapshot': 'only new records are created, only known ones updated or deleted',
  'commit.from-is-known': '`from` is the value of the last snapshot',
  'commit.to-is-read': '`to` is the value of the new snapshot',
  'commit.from-differs': '`from` and `to` differ',
  'commit.changes-give-content': 'the changes, applied to the old content, give the new one',
  'commit.read-until-grows': 'a snapshot never goes back to an earlier reading',
  'commit.deleted-is-unlisted': 'the listing that deletes a project lacks it',
} as const satisfies Record<string, string>;

export type AssertionName = keyof typeof ASSERTIONS;

/** A defect, found before it did damage. Its text has no values: they may be of records, or secret. A defect
 *  of a commit concerns one project: it becomes a recheck, and the pass continues. */
export class AssertionError extends Error {
  readonly code = 'assertion.failed';
  readonly assertion: AssertionName;
  readonly scope: 'project' | undefined;

  constructor(assertion: AssertionName) {
    super(`assertion.failed: ${assertion}: ${ASSERTIONS[assertion]}`);
    this.assertion = assertion;
    this.scope = assertion.startsWith('commit.') ? 'project' : undefined;
  }
}

/** @throws AssertionError unless it holds */
export function assert(holds: boolean, assertion: AssertionName): asserts holds {
  if (!holds) throw new AssertionError(assertion);
}

/** Logs the error if it is a failed assertion. The caller handles it as any other failure. */
export function logIfAssertion(log: Pick<Log, 'error'>, error: unknown, details: object): void {
  if (!(error instanceof AssertionError)) return;
  const { code, assertion, message } = error;
  log.error('Defect in Changewire: an assertion failed. Nothing was written or sent by it. Report it.', {
    code,
    assertion,
    ...details,
    error: message,
  });
}
