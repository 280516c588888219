import { assert } from '../basics/assert.ts';
import type { Clock } from '../basics/clock.ts';
import { happenedAt } from '../basics/clock.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { Log } from '../basics/telemetry.ts';
import { maxSilenceMs } from '../config/workspace.ts';
import { pauseAt, type WorkspaceRow } from '../model/workspace-row.ts';
import { type NewMessage, type Queue, unsentOf } from '../queue/queue.ts';
import type { TickClaims, TickProgress } from '../store/store.ts';
import { type Group, groupsOf, spread } from './groups.ts';
import { dueAtOf } from './pace.ts';
import { type PassMessage, passIn } from './pass-message.ts';
import { isAdaptive, type ScheduledProcess } from './scheduled.ts';

/** The time for which one tick starts the passes: after `from`, up to and including `to`. A pass due by
 *  `now` is already late. In ms since 1970. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

/** Passes to start at `at`, in ms since 1970. From `expiresAt` on, they are obsolete. */
interface DuePasses extends PassMessage {
  readonly at: number;
}

/** What the decision needs of a process. */
type Known = Pick<TickProgress, 'baselined' | 'pace' | 'sweep' | 'completedAt' | 'stalled'>;

type KnownOf<Process> = (process: Process) => Known | undefined;

const MINUTE_MS = 60_000;
/** The maximum number of concurrent sweeps and baselines of a workspace, unless more are needed to keep
 *  up. */
const MAX_BULK = 20;

/** The passes that are due in a window. Successive windows start each `changes` pass once, wherever their
 *  limits are; if ticks were missed, only the last late pass of each process is started. A sweep is due
 *  until it is completed or running, so the next tick starts one whose message was lost; so is a baseline.
 *  `knownOf` returns undefined for a process that could not be read. */
export function dueBetween<Process extends ScheduledProcess>(
  processes: readonly Process[],
  window: Window,
  knownOf: KnownOf<Process>,
): DuePasses[] {
  const changes = groupsOf(processes).flatMap(group => changesOf(group, window, knownOf));
  const byWorkspace = Map.groupBy(processes, ({ workspace }) => workspace);
  const sweeps = [...byWorkspace.values()].flatMap(all => sweepsOf(all, window, knownOf));
  return [...changes, ...sweeps];
}

/** The `changes` passes of a group, by due time: one message for all that are due together. A process
 *  without a baseline has none. */
function changesOf<Process extends ScheduledProcess>(
  group: Group<Process>,
  window: Window,
  knownOf: KnownOf<Process>,
): DuePasses[] {
  const due = group.processes.flatMap(process => {
    const known = knownOf(process);
    if (known?.baselined === false) return [];
    const series = seriesOfChanges(group, process, known, window.now);
    return occurrences(series, window).map(at => ({ at, step: series.step, id: process.processId }));
  });
  const byTime = Map.groupBy(due, ({ at }) => at);
  return [...byTime].map(([at, some]) => ({
    workspace: group.workspace,
    processes: some.map(({ id }) => id),
    ...{ mode: 'changes' as const, at, expiresAt: Math.ceil(at + Math.min(...some.map(({ step }) => step))) },
  }));
}

/** The due sweeps and baselines of a workspace, a few at a time, each at its own moment, in an order that
 *  changes from tick to tick: none waits forever for others that keep failing. */
function sweepsOf<Process extends ScheduledProcess>(
  processes: readonly Process[],
  window: Window,
  knownOf: KnownOf<Process>,
): DuePasses[] {
  const { now } = window;
  // Without the time of an outage, after which all are due at once.
  const period = window.to - Math.max(window.from, now);
  const isUnderWay = (process: Process) => (knownOf(process)?.sweep?.leasedUntil ?? 0) > now;
  const due = processes
    .filter(process => !isUnderWay(process))
    .flatMap(process => sweepOf(process, window, knownOf(process)))
    .toSorted((one, other) => one.order - other.order);
  const needed = processes.reduce((sum, { sweep }) => sum + (2 * period) / sweep, 0);
  const room = Math.max(MAX_BULK, Math.ceil(needed)) - processes.filter(isUnderWay).length;
  const started = due.slice(0, Math.max(0, room));
  return started.map(({ process, at, dueAt, step }) => ({
    ...{ workspace: process.workspace, processes: [process.processId], mode: 'sweep' as const },
    ...{ at, expiresAt: Math.ceil(at + step), dueAt },
  }));
}

/** When the sweep or baseline of a process starts in a window, if it is due: immediately, and again each
 *  minute until it is completed. */
function sweepOf<Process extends ScheduledProcess>(
  process: Process,
  window: Window,
  known: Known | undefined,
): Bulk<Process>[] {
  const { workspace, processId, changes, sweep } = process;
  const order = spread(processId, Math.floor(window.now / MINUTE_MS));
  const isBaseline = known?.baselined === false;
  const interval = isBaseline ? changes.slowest : sweep;
  // Stryker disable next-line StringLiteral: any name does that no other series has
  const series = { anchor: Math.floor(spread(workspace, processId, 'sweep') * interval), step: interval };
  const tries = { ...series, step: Math.min(interval, MINUTE_MS) };
  const at = occurrences(tries, window).at(-1);
  if (at === undefined) return [];
  // A baseline completes at any later time than this.
  const dueAt = isBaseline ? 1 : lastBy(series, at);
  const completedAt = happenedAt(known?.sweep?.completedAt ?? 0, window.now);
  const isOpen = known?.sweep ? completedAt < dueAt || known.sweep.isUnfinished : dueAt > window.from;
  return isBaseline || isOpen ? [{ process, order, at, dueAt, step: tries.step }] : [];
}

interface Bulk<Process> {
  readonly process: Process;
  readonly order: number;
  readonly at: number;
  readonly dueAt: number;
  /** Milliseconds until it is started again. */
  readonly step: number;
}

/** The moments `anchor` + k · `step`, from `begin` on, in whole ms, so that every computation gives the
 *  same moment. */
interface Series {
  readonly anchor: number;
  readonly step: number;
  readonly begin?: number;
}

/** Processes of a group with the same interval are due together. */
function seriesOfChanges<Process extends ScheduledProcess>(
  group: Group<Process>,
  { changes }: Process,
  known: Known | undefined,
  now: number,
): Series {
  const { fastest, slowest } = changes;
  const seriesOf = (step: number) => ({
    // Stryker disable next-line StringLiteral: any name does that no other series has
    anchor: Math.floor(spread(group.workspace, group.index, 'changes') * step),
    step,
  });
  if (!isAdaptive(changes)) return seriesOf(slowest);
  const begin = known?.pace && dueAtOf(known.pace, changes, now);
  if (begin === undefined) return seriesOf(Math.min(slowest, MINUTE_MS));
  // A pass that finds something makes the next one due after `fastest`, maybe before the next tick. So
  // messages are sent that far apart, and `poll` drops those that are not due. If a pass is overdue by more
  // than a minute, passes fail or take long: then one message a minute is enough.
  const series = seriesOf(begin < now - MINUTE_MS ? MINUTE_MS : Math.min(fastest, MINUTE_MS));
  const nearest = lastBy(series, begin + series.step / 2);
  return { ...series, begin: nearest };
}

function occurrences(series: Series, { from, to, now }: Window): number[] {
  const { step, begin = Number.NEGATIVE_INFINITY } = series;
  const first = Math.max(lastBy(series, now), lastBy(series, from) + step, begin);
  const count = Math.max(0, Math.floor((to - first) / step) + 1);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

function lastBy({ anchor, step }: Series, time: number): number {
  return anchor + Math.floor((time - anchor) / step) * step;
}

/** Starts nothing for a paused workspace before the pause is over; then one pass, whose run checks whether
 *  the service answers again. Processes that were silent for too long are started anyway: their runs make
 *  no requests, and announce the silence. */
export function duringPauses<Process extends ScheduledProcess>(
  due: readonly DuePasses[],
  processes: readonly Process[],
  {
    rows,
    window,
    knownOf,
  }: {
    readonly rows: ReadonlyMap<string, Pick<WorkspaceRow, 'pause'>>;
    readonly window: Window;
    readonly knownOf: KnownOf<Process>;
  },
): DuePasses[] {
  const isPaused = ({ workspace }: Pick<ProcessKey, 'workspace'>) => rows.get(workspace)?.pause !== undefined;
  const paused = Map.groupBy(processes.filter(isPaused), ({ workspace }) => workspace);
  return [
    ...due.filter(pass => !isPaused(pass)),
    ...[...paused].flatMap(([workspace, all]) => {
      // A pause that is over, or that a clock wrote that was ahead, doesn't count.
      const end = pauseAt(rows.get(workspace) ?? {}, window.now)?.until;
      // A different process each minute: a single one may have a problem of its own.
      const first = all[Math.floor(window.now / MINUTE_MS) % all.length];
      // The tick whose window has the end sends the message; after the end, one each minute is enough, also where
      // ticks come more often.
      const isNow = end === undefined ? hasMinute(window) : end > window.from && end <= window.to;
      const probe = isNow && first ? [passOf({ workspace, processes: [first] }, end ?? window.now)] : [];
      return [...probe, ...silentIn(all, window.now, knownOf)];
    }),
  ];
}

function hasMinute({ from, to }: Window): boolean {
  return Math.floor(from / MINUTE_MS) < Math.floor(to / MINUTE_MS);
}

function silentIn<Process extends ScheduledProcess>(
  processes: readonly Process[],
  now: number,
  knownOf: KnownOf<Process>,
): DuePasses[] {
  const isSilent = (process: Process) => {
    const known = knownOf(process);
    if (!known?.baselined || known.stalled) return false;
    return now - happenedAt(known.completedAt, now) > maxSilenceMs(process.changes.slowest);
  };
  return groupsOf(processes.filter(isSilent)).map(group => passOf(group, now));
}

function passOf(
  { workspace, processes }: Pick<Group<ScheduledProcess>, 'workspace' | 'processes'>,
  at: number,
): DuePasses {
  const ids = processes.map(({ processId }) => processId);
  return { workspace, processes: ids, mode: 'changes', at, expiresAt: Math.ceil(at + MINUTE_MS) };
}

interface StartParts {
  readonly claims: TickClaims;
  readonly queue: Pick<Queue, 'send'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** The workspaces' rows; none if they could not be read. */
  readonly rows: ReadonlyMap<string, Pick<WorkspaceRow, 'pause'>>;
  /** Milliseconds until the next tick; a minute by default. */
  readonly period?: number | undefined;
}

/** How often a message is sent that the queue does not accept. */
const MAX_TRIES = 3;

/** Sends the messages for all passes that are due before the next tick, shown when they are due. The tick
 *  claims their time first, so that a duplicate or early tick starts nothing again. If it dies after its
 *  claim, passes are left out, and the next pass of each process catches up.
 *  @returns how many messages the queue accepted, and how many it did not
 *  @throws when the claim can't be read or written */
export async function startPasses<Process extends ScheduledProcess>(
  processes: readonly Process[],
  knownOf: KnownOf<Process>,
  { claims, queue, clock, log, rows, period = MINUTE_MS }: StartParts,
): Promise<{ readonly sent: number; readonly unsent: number }> {
  const now = clock();
  const to = now + period;
  const from = await claims.claim({ now, to });
  // Stryker disable next-line ConditionalExpression: in a time that has no beginning nothing is due, either
  if (from === undefined) return { sent: 0, unsent: 0 };
  assert(from < to, 'schedule.claim-has-time');
  const window = { from, to, now };
  const due = duringPauses(dueBetween(processes, window, knownOf), processes, { rows, window, knownOf });
  for (const pass of due)
    assert(new Set(pass.processes).size === pass.processes.length, 'schedule.process-once');
  let unsent: readonly NewMessage[] = due.map(pass => delayed(pass, now));
  for (let tried = 0; tried < MAX_TRIES && unsent.length > 0; tried++) {
    const { indexes, reason } = await queue.send(unsent);
    unsent = unsentOf(unsent, indexes);
    if (unsent.length > 0)
      log.warn('Could not send all messages to the passes queue.', {
        code: 'passes.unsent',
        unsent: unsent.length,
        reason,
      });
  }
  return { sent: due.length - unsent.length, unsent: unsent.length };
}

/** The message is shown when its passes are due, or up to a second later. */
function delayed({ at, ...pass }: DuePasses, now: number): NewMessage {
  return passIn(pass, Math.max(0, (at - now) / 1000));
}
