import type { Log } from './telemetry.ts';

/** What must hold, whatever the service, AWS or an operator does: only a defect of the code breaks it. The
 *  part of a name before the dot is the place. A test breaks each (test/assertions.test.ts). */
const ASSERTIONS = {
  'commit.version-grows': 'the version is larger than the last one',
  'commit.one-version': 'snapshot, tombstone and events have the version of the commit',
  'commit.snapshot-or-tombstone': 'a commit either writes a snapshot or leaves a tombstone',
  'commit.silent-in-baseline': 'a baseline commits new snapshots and no events',
  'commit.one-event-per-change': 'each change has its event, of its type, in its order',
  'commit.due-has-come': 'what falls due has fallen due',
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
  'journal.has-every-event': 'the change records of a commit have all of its events',
  'announce.counter-grows': 'the version is larger than that of the last announcement',
  'announce.counter-is-its-own': 'only the announcement itself writes the counter',
  'announce.one-version': 'its events have the version of the announcement',
  'announce.ids-are-unique': 'no two events have one id',
  'announce.silent-before-baseline': 'nothing is emitted before the baseline is complete',
  'recheck.of-each-unsettled': 'each project that is not settled has a recheck before the pass ends',
  'recheck.since-never-grows': 'a recheck never forgets since when changes may be missing',
  'recheck.stays-reported': 'a recheck that subscribers know of stays reported',
  'settle.watermark-of-window': 'the watermark and the last sweep are times of a listing',
  'settle.audit-stays-known': 'the position in the audit log is never dropped',
  'survey.heads-in-order': 'the pages of snapshots are in the order of their keys',
  'lease.is-ours': 'a lease is of the run and the mode that asked for it',
  'schedule.claim-has-time': 'a tick claims time before its end',
  'schedule.process-once': 'a message names each process once',
  'share.within-ceiling': 'the shares of a workspace are together at most its concurrency',
  'share.requests-are-counted': 'no more requests end than began',
  'queue.answer-is-complete': 'SQS accounts for each message of a request once',
  'queue.unsent-are-given': 'each message that was not sent is one that was given, and named once',
  'topic.answer-is-complete': 'SNS accounts for each message of a request once',
  'registry.names-are-unique': 'no two endpoints have one name',
  'registry.row-is-of-endpoint': 'the row of an endpoint has its name and its settings',
  'route.delivery-once': 'an event is routed once to each endpoint',
  'route.message-ends-once': 'each message is routed, received again or moved to the failed messages',
  'delivery.of-its-endpoint': 'a delivery is sent to its own endpoint',
  'delivery.settles-once': 'a delivery ends in one way: delivered, backlog, dead or left in the queue',
  'delivery.none-left-open': 'no delivery of a batch is left without an end',
  'delivery.retry-is-later': 'a delivery that failed has a later time for its next attempt',
  'drain.rows-in-order': 'the rows of a backlog are in order, and none comes twice',
  'drain.within-rate': 'a drain gets no more rows than the rate of its endpoint allows',
  'health.additions-grow': 'the count of additions to a backlog never falls',
} as const satisfies Record<string, string>;

type AssertionName = keyof typeof ASSERTIONS;

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
  log.error(
    'Defect in Changewire: an assertion failed. The work is tried again; nothing is lost. Report it.',
    {
      code,
      assertion,
      ...details,
      error: message,
    },
  );
}
