import { skippedEvent } from '../changes/source-events.ts';
import type { ProcessState, Skipped } from '../snapshots/state.ts';
import { announce } from './announce.ts';
import { failureReason } from './failure-reason.ts';
import type { Pass } from './pass.ts';
import { type Failure, failureOf, type Walked } from './walk-projects.ts';

/** More than this many that newly fail, or this part of those walked, are an outage; few are poisoned. */
const OUTAGE_COUNT = 10;
const OUTAGE_PART = 0.2;
/** And so are more than this many in all. */
export const MOST_SKIPPED = 100;

/** The failure of a pass that too many projects failed: there the service is at fault, and to go on without them would
 *  tell of each of them what is true of all. Undefined when those that failed may be skipped. Those in `done` need not be
 *  skipped any more: they leave room for others. */
export function outageOf(
  pass: Pass,
  { failures, total }: Walked,
  done: ReadonlySet<string> = new Set(),
): Error | undefined {
  const known = new Set(pass.parts.state.skipped.map(({ id }) => id));
  const failed = new Set(failures.map(({ id }) => id));
  const fresh = failed.difference(known).size;
  // Two modes at once may have skipped more than either of them would: that stops no pass that skips none.
  if (fresh === 0) return undefined;
  const limit = Math.max(OUTAGE_COUNT, Math.floor(total * OUTAGE_PART));
  const inAll = known.difference(done).union(failed).size;
  return fresh > limit || inAll > MOST_SKIPPED ? failureOf(failures) : undefined;
}

/** Has the state remember the projects that failed, before anything moves on without them; forgets those in `done`, whose
 *  changes are told now. One that failed already in an earlier pass, too, is told to the subscribers, once. */
export async function settleSkipped(
  pass: Pass,
  failures: readonly Failure[],
  done: ReadonlySet<string> = new Set(),
): Promise<void> {
  const { state, process, log } = pass.parts;
  if (!settled(pass, state, failures, done)) return;
  // Whoever lost the lease must not forget what the other one found.
  await pass.holdLease();
  let settlement: Settlement | undefined;
  pass.events += await announce(pass.parts, now => {
    const found = settled(pass, now, failures, done);
    settlement = found;
    return (
      found && {
        state: { skipped: found.skipped },
        events: version => eventsOf(pass, version, found.telling),
      }
    );
  });
  for (const { id, reason } of settlement?.telling ?? []) {
    const message = 'A project is skipped until it can be read and committed; subscribers are told.';
    log.warn(message, { ...process, projectId: id, reason });
  }
  for (const projectId of settlement?.back ?? []) {
    log.info('A project that was skipped can be read and committed again.', { ...process, projectId });
  }
}

interface Settlement {
  readonly skipped: readonly Skipped[];
  readonly telling: readonly Skipped[];
  readonly back: readonly string[];
}

/** What becomes of the skipped projects; undefined when all is as it was. */
function settled(
  pass: Pass,
  { skipped }: ProcessState,
  failures: readonly Failure[],
  done: ReadonlySet<string>,
): Settlement | undefined {
  const reasons = new Map(failures.map(({ id, error }) => [id, failureReason(error)]));
  // One that seemed gone may turn out to be there, and unreadable.
  const back = skipped.flatMap(({ id }) => (done.has(id) && !reasons.has(id) ? [id] : []));
  const telling = skipped.flatMap(one => {
    const reason = reasons.get(one.id);
    return one.told || reason === undefined ? [] : [{ ...one, reason, told: true }];
  });
  const known = new Map([...skipped, ...telling].map(one => [one.id, one]));
  const fresh = [...reasons].filter(([id]) => !known.has(id));
  if (back.length + telling.length + fresh.length === 0) return undefined;
  const since = pass.parts.state.watermark;
  const added = fresh.map(([id, reason]) => ({ id, since, reason, told: false }));
  return {
    skipped: [...[...known.values()].filter(({ id }) => !back.includes(id)), ...added],
    telling,
    back,
  };
}

function eventsOf(pass: Pass, version: number, telling: readonly Skipped[]) {
  const { process, clock } = pass.parts;
  const at = clock();
  return telling.map(({ id, since, reason }, index) =>
    skippedEvent(process, { version, index, at, projectId: id, since, reason }),
  );
}
