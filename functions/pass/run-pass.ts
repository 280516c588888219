import { assert, logIfAssertion } from '../basics/assert.ts';
import { happenedAt } from '../basics/clock.ts';
import type { Mode } from '../basics/process.ts';
import { recoveredEvent, stalledEvent } from '../changes/process-events.ts';
import { maxSilenceMs } from '../config/workspace.ts';
import {
  type Completion,
  completionOf,
  type PassFailure,
  type ProcessState,
} from '../model/process-state.ts';
import { nextPace } from '../schedule/pace.ts';
import { isAdaptive } from '../schedule/scheduled.ts';
import { DeadlineError } from '../service/errors.ts';
import { announce } from './announce.ts';
import {
  failedSince,
  Heartbeat,
  isOutOfTime,
  LEASE_MS,
  LeaseLostError,
  type PassContext,
  type PassKind,
  type PassPorts,
  Reports,
} from './context/context.ts';
import { emitDue, noteRules } from './due.ts';
import { failureReason } from './failures.ts';
import { lookAtAll } from './rounds.ts';
import { settle } from './settle.ts';
import { PassState } from './state.ts';
import { surveyAll, surveyChanges } from './survey.ts';
import { checkFieldNames } from './unknown-fields.ts';

/** What a pass did. `unfinished`: time ran out, nothing else went wrong, and the next run resumes the pass.
 *  `busy`: another poller has the lease. `not-due`: the known state shows that, and the
 *  service was not asked. */
export interface PassReport {
  readonly mode: PassKind;
  readonly outcome: 'completed' | 'unfinished' | 'busy' | 'not-due';
  /** Projects that were looked at. */
  readonly projects: number;
  readonly commits: number;
  readonly events: number;
  /** Projects that were skipped until now, if there are any. */
  readonly skippedNoLonger?: readonly string[];
  /** The request that the deadline cut off, if it did. */
  readonly cutOff?: string;
  /** Of a `changes` pass that found no change: it wrote nothing but what fell due, and its caller is to keep this. */
  readonly idle?: Completion;
}

/** Runs one pass over one process. A pass that fails keeps its commits, gives its lease back and throws. The
 *  next run resumes it where it stood; a `changes` pass begins again.
 *  @param isDue decides by the state of the process whether there is a pass at all */
export async function runPass(
  ports: PassPorts,
  mode: Mode,
  owner: string,
  isDue?: (state: ProcessState) => boolean,
): Promise<PassReport> {
  // A `changes` pass may begin by what was known a second ago: if another one has ended since, it gets no
  // lease. An adaptive interval needs the pace as it is.
  const isEventual = mode === 'changes' && !isAdaptive(ports.settings.changes);
  const before =
    mode === 'changes' || isDue ? await ports.snapshots.readState(ports.process, isEventual) : undefined;
  const nothing = { mode, projects: 0, commits: 0, events: 0 };
  if (before && isDue?.(before) === false) return { ...nothing, outcome: 'not-due' };
  const canBeIdle =
    mode === 'changes' && before?.baselined && !before.isChangesOpen && !isOverdue(ports, before);
  const context = canBeIdle ? withoutLease(ports, before, owner) : await begin(ports, mode, owner);
  if (!context) return { ...nothing, outcome: 'busy' };
  const state = new PassState(context);
  const { lease } = context.heartbeat;
  // A run that was killed could not announce that the process is stalled: the next run does.
  if (lease.window || lease.orphaned) await announceOwnStall(context, state, NOT_ENDED);
  try {
    await noteRules(context, state);
    if (context.kind === 'changes') await checkFieldNames(context, state.definitions.rules);
    const survey = await (context.kind === 'changes' ? surveyChanges : surveyAll)(context, state);
    if (survey.isIdle) {
      await emitDue(context, state);
      return { ...reportOf(context, state, 'completed'), idle: idleCompletion(context, state) };
    }
    const rounds = await lookAtAll(context, state, survey);
    if (context.kind === 'changes' && !rounds.isStopped) await emitDue(context, state);
    const outcome = await settle(context, state, survey, rounds);
    if (outcome === 'completed') await announceRecovery(context, state);
    else {
      await interrupt(context);
      await announceOwnStall(context, state, OUT_OF_TIME);
    }
    return reportOf(context, state, outcome);
  } catch (error) {
    return await failed(context, state, error);
  }
}

/** A `changes` pass that takes its lease when it finds something. Where passes are overdue it takes the lease
 *  at its beginning: if its run is killed, the next one knows of it by that, and announces the stall. */
function withoutLease(ports: PassPorts, before: ProcessState, owner: string): PassContext {
  const lease = { mode: 'changes', owner, window: undefined, progress: undefined } as const;
  const { clock } = ports;
  const heartbeat = new Heartbeat(lease, ports, before);
  return {
    ...ports,
    kind: 'changes',
    before,
    begunAt: clock(),
    heartbeat,
    reports: new Reports(ports, before.reported),
  };
}

/** What is kept of a pass that found nothing. */
function idleCompletion(
  { before, settings, begunAt, clock }: PassContext,
  { commits, nextDue }: PassState,
): Completion {
  const found = { began: begunAt, found: commits > 0, nextDue };
  const pace = nextPace(before.pace, settings.changes, found);
  return completionOf(before, { completedAt: clock(), pace });
}

/** Takes the lease, then reads the state: in this order no other pass of this mode moves it on in between.
 *  While there is no baseline, a `changes` pass makes it, under the lease of a sweep. Returns undefined while
 *  another poller holds the lease. */
async function begin(ports: PassPorts, mode: Mode, owner: string): Promise<PassContext | undefined> {
  const { snapshots, process, clock } = ports;
  const now = clock();
  const lease = await snapshots.takeLease(process, { mode, owner, now, until: now + LEASE_MS });
  if (!lease) return undefined;
  assert(lease.owner === owner && lease.mode === mode, 'lease.is-ours');
  const before = await snapshots.readState(process).catch(async (error: unknown) => {
    // Else the next pass would be `busy` until the lease expires.
    await snapshots.release(process, lease).catch(() => undefined);
    throw error;
  });
  if (before.baselined || mode === 'sweep') {
    const kind = before.baselined ? lease.mode : 'baseline';
    const heartbeat = new Heartbeat(lease, ports);
    const reports = new Reports(ports, before.reported);
    return { ...ports, kind, before, begunAt: clock(), heartbeat, reports };
  }
  await snapshots.release(process, lease);
  const context = await begin(ports, 'sweep', owner);
  if (context?.kind !== 'sweep') return context;
  // Another run completed the baseline in between: the next `changes` pass reads what changed since.
  await snapshots.release(process, context.heartbeat.lease);
  return undefined;
}

async function failed(context: PassContext, state: PassState, error: unknown): Promise<PassReport> {
  if (error instanceof LeaseLostError) return reportOf(context, state, 'busy');
  const isCutOff = error instanceof DeadlineError;
  // Projects that this `changes` pass has settled may change while the failure lasts: the next pass must look
  // at them again.
  const mustBeginAgain = context.kind === 'changes' && !isOutOfTime(context) && !isCutOff;
  const reason = failureReason(error);
  const since = failedSince(context) ?? context.clock();
  await endQuietly(context, mustBeginAgain, isCutOff ? undefined : { since, reason });
  await announceOwnStall(context, state, reason);
  if (!isCutOff) throw error;
  return { ...reportOf(context, state, 'unfinished'), cutOff: String(error) };
}

function reportOf(
  { kind }: PassContext,
  { projects, commits, events, definitions, skippedNoLonger }: PassState,
  outcome: PassReport['outcome'],
): PassReport {
  if (outcome === 'busy') return { mode: kind, outcome, projects: 0, commits: 0, events: 0 };
  return {
    ...{ mode: kind, outcome, projects, commits },
    events: events + definitions.events,
    ...(skippedNoLonger.length > 0 && { skippedNoLonger }),
  };
}

const NOT_ENDED =
  'The last run did not come to its end: it was stopped from outside, or ran out of time or memory.';
const OUT_OF_TIME = 'There is more to read than one run has time for; the next one continues.';

/** Saves how far the pass came, and gives the lease back: the next run resumes it there. */
async function interrupt(
  { heartbeat, snapshots, process }: PassContext,
  failure?: PassFailure,
): Promise<void> {
  if (!heartbeat.isOwned) return;
  await heartbeat.save();
  await snapshots.release(process, heartbeat.lease, failure);
}

/** Gives the lease back after a failure. An error in doing so is only logged: the caller must see the failure
 *  itself. */
async function endQuietly(
  context: PassContext,
  mustBeginAgain: boolean,
  failure: PassFailure | undefined,
): Promise<void> {
  const { log, process, snapshots, heartbeat } = context;
  try {
    if (!heartbeat.isOwned) {
      // Its first failure is written down; of one that fails on, that is known.
      if (!failure || failedSince(context) !== undefined || !heartbeat.fitsKey) return;
      await heartbeat.take();
    }
    if (mustBeginAgain) await snapshots.abandon(process, heartbeat.lease, failure);
    else await interrupt(context, failure);
  } catch (error) {
    if (error instanceof LeaseLostError) return;
    log.warn('Could not release the lease; it expires within a minute.', {
      ...process,
      code: 'pass.lease-not-released',
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

/** What it takes to announce a stall. */
type StallPorts = Pick<PassContext, 'process' | 'settings' | 'snapshots' | 'clock' | 'log'>;

/** Announces to subscribers, once, that no `changes` pass was completed for too long; `reason` is why the
 *  last one was not. Only a run announces this: a schedule that starts no runs is not a stall. Nor is there a
 *  stall before the baseline. Errors in announcing are only logged: the caller must see why the pass itself
 *  failed.
 *  @returns how many events were emitted */
export async function announceStall(ports: StallPorts, reason: string): Promise<number> {
  const { process, snapshots, log, clock } = ports;
  let emitted = 0;
  await tryToAnnounce(ports, async () => {
    // Another run may have completed a pass since this one looked.
    const current = await snapshots.readState(process);
    if (!current.baselined) return;
    emitted = await announce(ports, current, now => {
      const since = Math.min(now.completedAt, clock());
      if (!isOverdue(ports, now)) return undefined;
      return {
        state: { stalled: { since } },
        events: version => [stalledEvent(process, { version, at: clock(), since, reason })],
      };
    });
    if (emitted > 0)
      log.warn('The process is stalled; a source.stalled event was emitted.', {
        ...process,
        code: 'pass.stalled',
        reason,
      });
  });
  return emitted;
}

/** The same for the process of a `changes` pass. */
async function announceOwnStall(context: PassContext, state: PassState, reason: string): Promise<void> {
  if (context.kind !== 'changes' || !isOverdue(context, context.before)) return;
  const emitted = await announceStall(context, reason);
  state.events += emitted;
  state.isStalled ||= emitted > 0;
}

/** Announces to subscribers that the stall is over, once a `changes` pass is completed. The same commit
 *  clears the stall from the state: if a run is killed before it, the next completed pass announces it. */
async function announceRecovery(context: PassContext, state: PassState): Promise<void> {
  const { process, snapshots, clock, kind } = context;
  if (kind !== 'changes' || !state.isStalled) return;
  await tryToAnnounce(context, async () => {
    // Read again: this very run may have announced the stall.
    const current = await snapshots.readState(process);
    const events = await announce(context, current, ({ stalled }) => {
      if (!stalled) return undefined;
      return {
        state: { stalled: undefined },
        events: version => [recoveredEvent(process, { version, since: stalled.since, until: clock() })],
      };
    });
    state.events += events;
  });
}

function isOverdue({ clock, settings }: StallPorts, { completedAt, stalled }: ProcessState): boolean {
  const now = clock();
  return !stalled && now - happenedAt(completedAt, now) > maxSilenceMs(settings.changes.slowest);
}

async function tryToAnnounce({ log, process }: StallPorts, announcing: () => Promise<void>): Promise<void> {
  try {
    await announcing();
  } catch (error) {
    logIfAssertion(log, error, process);
    log.warn('Could not emit the stall or the recovery of the process; a later run retries.', {
      ...process,
      code: 'pass.stall-not-emitted',
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
