import { skippedEvent } from '../changes/source-events.ts';
import type { ProcessState, Skipped } from '../snapshots/state.ts';
import { announce } from './announce.ts';
import { failureReason } from './failure-reason.ts';
import type { Pass } from './pass.ts';
import { TaskListMissingError } from './task-list-missing-error.ts';
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

/** The end of a run that had no time for all projects.
 *  @throws when too many of those that it came to failed: that is no matter of time */
export function stopped(pass: Pass, walked: Walked): 'unfinished' {
  const outage = outageOf(pass, walked);
  if (outage) throw outage;
  return 'unfinished';
}

/** What a pass met of projects that are skipped, or are to be. */
export interface Met {
  /** Those that failed: one that did so in an earlier pass, too, is told to the subscribers, once. */
  readonly failures: readonly Failure[];
  /** Those to be tried again, which is nothing to tell. */
  readonly remembered: readonly Failure[];
  /** Those to be forgotten: their changes are told now, or they are gone. */
  readonly done: ReadonlySet<string>;
}

/** Has the state remember the projects that failed, before anything moves on without them. */
export async function settleSkipped(pass: Pass, met: Met): Promise<void> {
  const { state, process, log } = pass.parts;
  if (!settled(pass, state, met)) return;
  // Whoever lost the lease must not forget what the other one found.
  await pass.holdLease();
  let settlement: Settlement | undefined;
  pass.events += await announce(pass.parts, now => {
    const found = settled(pass, now, met);
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
  pass.back.push(...(settlement?.back ?? []));
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
  { failures, remembered, done }: Met,
): Settlement | undefined {
  const failed = new Map(failures.map(({ id, error }) => [id, whatWasMet(error)]));
  // One that seemed gone may turn out to be there, and unreadable.
  const back = skipped.flatMap(({ id }) => (done.has(id) && !failed.has(id) ? [id] : []));
  const again = skipped.flatMap(before => {
    const now = failed.get(before.id);
    const isNews = now && (!before.told || now.tasksMissing !== before.tasksMissing);
    return isNews ? [{ before, after: { ...before, ...now, told: true } }] : [];
  });
  const known = new Map([...skipped, ...again.map(({ after }) => after)].map(one => [one.id, one]));
  const fresh = [...failures, ...remembered].filter(({ id }) => !known.has(id));
  if (back.length + again.length + fresh.length === 0) return undefined;
  const since = pass.parts.state.watermark;
  const added = fresh.map(({ id, error }) => ({ id, since, ...whatWasMet(error), told: false }));
  return {
    skipped: [...[...known.values()].filter(({ id }) => !back.includes(id)), ...added],
    telling: again.flatMap(({ before, after }) => (before.told ? [] : [after])),
    back,
  };
}

/** What the state remembers of a failure. */
export function whatWasMet(error: Error): Pick<Skipped, 'reason' | 'tasksMissing'> {
  return { reason: failureReason(error), tasksMissing: error instanceof TaskListMissingError };
}

function eventsOf(pass: Pass, version: number, telling: readonly Skipped[]) {
  const { process, clock } = pass.parts;
  const at = clock();
  return telling.map(({ id, since, reason }, index) =>
    skippedEvent(process, { version, index, at, projectId: id, since, reason }),
  );
}
