import { happenedAt } from '../basics/clock.ts';
import type { Mode } from '../basics/process.ts';
import { recoveredEvent, stalledEvent } from '../changes/process-events.ts';
import { longestSilence } from '../config/workspace.ts';
import type { PassFailure, ProcessState } from '../model/process-state.ts';
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
import { failureReason } from './failures.ts';
import { lookAtAll } from './rounds.ts';
import { settle } from './settle.ts';
import { PassState } from './state.ts';
import { surveyAll, surveyChanges } from './survey.ts';

/** What a pass did. `unfinished`: time ran out, nothing else went wrong, and the next run resumes the pass. `busy`: another poller
 *  holds the lease. */
export interface PassReport {
  readonly mode: PassKind;
  readonly outcome: 'completed' | 'unfinished' | 'busy';
  /** Projects that were looked at. */
  readonly projects: number;
  readonly commits: number;
  readonly events: number;
  /** Projects that were skipped until now, if there are any. */
  readonly skippedNoLonger?: readonly string[];
  /** The request that the deadline cut off, if it did. */
  readonly cutOff?: string;
  /** True when a sweep, or the baseline, was unfinished as this pass began. */
  readonly isSweepUnfinished?: boolean;
}

/** Runs one pass over one process. A pass that fails keeps its commits, gives its lease back and throws. The next run resumes it where it
 *  stood; a `changes` pass begins again.
 *  @param onlyGoOn resumes a pass that an earlier run left unfinished, and begins no new one */
export async function runPass(
  ports: PassPorts,
  mode: Mode,
  owner: string,
  { onlyGoOn = false } = {},
): Promise<PassReport> {
  const context = await begin(ports, mode, owner);
  if (!context) return { mode, outcome: 'busy', projects: 0, commits: 0, events: 0 };
  const state = new PassState(context);
  const { lease } = context.heartbeat;
  if (onlyGoOn && !lease.window) {
    // Another poller completed the unfinished pass in between.
    await ports.snapshots.release(ports.process, lease);
    return reportOf(context, state, 'busy');
  }
  // A run that was killed could not announce that the process is stalled: the next run does.
  if (lease.window || lease.orphaned) await announceStall(context, state, NOT_ENDED);
  try {
    const survey = await (context.kind === 'changes' ? surveyChanges : surveyAll)(context, state);
    const rounds = await lookAtAll(context, state, survey);
    const outcome = await settle(context, state, survey, rounds);
    if (outcome === 'completed') await announceRecovery(context, state);
    else {
      await interrupt(context);
      await announceStall(context, state, OUT_OF_TIME);
    }
    return reportOf(context, state, outcome);
  } catch (error) {
    return await failed(context, state, error);
  }
}

/** Takes the lease, then reads the state: in this order no other pass of this mode moves it on in between. While there is no baseline, a
 *  `changes` pass makes it, under the lease of a sweep. Returns undefined while another poller holds the lease. */
async function begin(ports: PassPorts, mode: Mode, owner: string): Promise<PassContext | undefined> {
  const { snapshots, process, clock } = ports;
  const now = clock();
  const lease = await snapshots.takeLease(process, { mode, owner, now, until: now + LEASE_MS });
  if (!lease) return undefined;
  const before = await snapshots.readState(process).catch(async (error: unknown) => {
    // Else the next pass would be `busy` until the lease expires.
    await snapshots.release(process, lease).catch(() => undefined);
    throw error;
  });
  if (before.baselined || mode === 'sweep') {
    const kind = before.baselined ? lease.mode : 'baseline';
    const heartbeat = new Heartbeat(lease, process, snapshots, clock);
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
  // Projects that this `changes` pass has settled may change while the failure lasts: the next pass must look at them again.
  const mustBeginAgain = context.kind === 'changes' && !isOutOfTime(context) && !isCutOff;
  const reason = failureReason(error);
  const since = failedSince(context) ?? context.clock();
  await endQuietly(context, mustBeginAgain, isCutOff ? undefined : { since, reason });
  await announceStall(context, state, reason);
  if (!isCutOff) throw error;
  return { ...reportOf(context, state, 'unfinished'), cutOff: String(error) };
}

function reportOf(
  { kind, before }: PassContext,
  { projects, commits, events, definitions, skippedNoLonger }: PassState,
  outcome: PassReport['outcome'],
): PassReport {
  if (outcome === 'busy') return { mode: kind, outcome, projects: 0, commits: 0, events: 0 };
  return {
    ...{ mode: kind, outcome, projects, commits },
    events: events + definitions.events,
    ...(skippedNoLonger.length > 0 && { skippedNoLonger }),
    ...(before.isSweepUnfinished && { isSweepUnfinished: true }),
  };
}

const NOT_ENDED =
  'The last run did not come to its end: it was stopped from outside, or ran out of time or memory.';
const OUT_OF_TIME = 'There is more to read than one run has time for; the next one goes on.';

/** Saves how far the pass came, and gives the lease back: the next run resumes it there. */
async function interrupt(
  { heartbeat, snapshots, process }: PassContext,
  failure?: PassFailure,
): Promise<void> {
  await heartbeat.save();
  await snapshots.release(process, heartbeat.lease, failure);
}

/** Gives the lease back after a failure. An error in doing so is only logged: the caller must see the failure itself. */
async function endQuietly(
  context: PassContext,
  mustBeginAgain: boolean,
  failure: PassFailure | undefined,
): Promise<void> {
  const { log, process, snapshots, heartbeat } = context;
  try {
    if (mustBeginAgain) await snapshots.abandon(process, heartbeat.lease, failure);
    else await interrupt(context, failure);
  } catch (error) {
    if (error instanceof LeaseLostError) return;
    log.warn('The lease could not be given back; it ends by itself within a minute.', {
      ...process,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Announces to subscribers, once, that no `changes` pass was completed for too long; `reason` is why the last one was not. Only a run
 *  announces this: a schedule that starts no runs is no stall. Nor is there a stall before the baseline. Errors in announcing are
 *  only logged: the caller must see why the pass itself failed. */
async function announceStall(context: PassContext, state: PassState, reason: string): Promise<void> {
  const { process, snapshots, log, clock, kind, before } = context;
  if (kind !== 'changes' || !isOverdue(context, before)) return;
  await tryToAnnounce(context, async () => {
    // Another run may have completed a pass since this one looked.
    const current = await snapshots.readState(process);
    const events = await announce(context, current, now => {
      const since = Math.min(now.completedAt, clock());
      if (!isOverdue(context, now)) return undefined;
      return {
        state: { stalled: { since } },
        events: version => [stalledEvent(process, { version, at: clock(), since, reason })],
      };
    });
    if (events === 0) return;
    state.events += events;
    state.isStalled = true;
    log.warn('The process is stalled; a source.stalled event was emitted.', { ...process, reason });
  });
}

/** Announces to subscribers that the stall is over, once a `changes` pass is completed. The same commit clears the stall from the
 *  state: if a run is killed before it, the next completed pass announces it. */
export async function announceRecovery(context: PassContext, state: PassState): Promise<void> {
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

function isOverdue({ clock, settings }: PassContext, { completedAt, stalled }: ProcessState): boolean {
  const now = clock();
  return !stalled && now - happenedAt(completedAt, now) > longestSilence(settings.changes.slowest);
}

async function tryToAnnounce({ log, process }: PassContext, announcing: () => Promise<void>): Promise<void> {
  try {
    await announcing();
  } catch (error) {
    log.warn('Could not emit the stall or the recovery of the process; a later run tries again.', {
      ...process,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
