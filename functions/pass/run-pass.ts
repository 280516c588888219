import { happenedAt } from '../basics/clock.ts';
import type { Mode } from '../basics/process.ts';
import { recoveredEvent, stalledEvent } from '../changes/source-events.ts';
import { longestSilence } from '../config/workspace.ts';
import type { PassFailure, ProcessState } from '../model/process-state.ts';
import { DeadlineError } from '../service/errors.ts';
import { failureReason } from './failures.ts';
import { LEASE_MS, LeaseLostError } from './heartbeat.ts';
import type { PassKind, PassParts } from './parts.ts';
import { Pass } from './pass.ts';
import { announce } from './process-events/announce.ts';
import { lookAtAll } from './rounds.ts';
import { type Outcome, settle } from './settle.ts';
import { surveyAll, surveyChanges } from './survey.ts';

/** What a pass did. `unfinished`: time ran out, nothing else went wrong, and the next run resumes the pass. `busy`: another poller
 *  holds the lease. */
export interface PassReport {
  readonly mode: PassKind;
  readonly outcome: Outcome | 'busy';
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

export interface RunPassOptions {
  /** Resumes a pass that an earlier run left unfinished, and begins no new one. */
  readonly onlyGoOn?: boolean;
}

/** Runs one pass over one process. A pass that fails keeps its commits, gives its lease back and throws. The next run resumes it where it
 *  stood; a `changes` pass begins anew. */
export async function runPass(
  parts: PassParts,
  mode: Mode,
  owner: string,
  { onlyGoOn = false }: RunPassOptions = {},
): Promise<PassReport> {
  const pass = await begin(parts, mode, owner);
  if (!pass) return { mode, outcome: 'busy', projects: 0, commits: 0, events: 0 };
  if (onlyGoOn && !pass.heartbeat.lease.window) {
    // Another poller has completed the unfinished pass meanwhile.
    await parts.snapshots.release(parts.process, pass.heartbeat.lease);
    return reportOf(pass, 'busy');
  }
  // A run that was killed could not tell subscribers that the process is stalled: the next run does.
  if (pass.heartbeat.lease.window || pass.heartbeat.lease.orphaned) await tellStalled(pass, NOT_ENDED);
  try {
    const survey = await (pass.kind === 'changes' ? surveyChanges(pass) : surveyAll(pass));
    const rounds = await lookAtAll(pass, survey);
    const outcome = await settle(pass, survey, rounds);
    if (outcome === 'completed') await tellRecovered(pass);
    else {
      await interrupt(pass);
      await tellStalled(pass, OUT_OF_TIME);
    }
    return reportOf(pass, outcome);
  } catch (error) {
    return await failed(pass, error);
  }
}

/** Takes the lease, then reads the state: in this order no other pass of this mode moves it on in between. While there is no baseline, a
 *  `changes` pass makes it, under the lease of a sweep. Returns undefined while another poller holds the lease. */
async function begin(parts: PassParts, mode: Mode, owner: string): Promise<Pass | undefined> {
  const { snapshots, process, clock } = parts;
  const now = clock();
  const lease = await snapshots.takeLease(process, { mode, owner, now, until: now + LEASE_MS });
  if (!lease) return undefined;
  const state = await snapshots.readState(process).catch(async (error: unknown) => {
    // Else the next pass would be `busy` until the lease expires.
    await snapshots.release(process, lease).catch(() => undefined);
    throw error;
  });
  if (state.baselined || mode === 'sweep') return new Pass(parts, lease, state);
  await snapshots.release(process, lease);
  const pass = await begin(parts, 'sweep', owner);
  if (pass?.kind !== 'sweep') return pass;
  // Another run completed the baseline in between: the next `changes` pass reads what changed since.
  await snapshots.release(process, pass.heartbeat.lease);
  return undefined;
}

async function failed(pass: Pass, error: unknown): Promise<PassReport> {
  if (error instanceof LeaseLostError) return reportOf(pass, 'busy');
  const isOutOfTime = error instanceof DeadlineError;
  // Projects that this `changes` pass has settled may change while the failure lasts: the next pass must look at them again.
  const mustBeginAnew = pass.kind === 'changes' && !pass.outOfTime && !isOutOfTime;
  const reason = failureReason(error);
  await endQuietly(pass, mustBeginAnew, isOutOfTime ? undefined : reason);
  await tellStalled(pass, reason);
  if (!isOutOfTime) throw error;
  return { ...reportOf(pass, 'unfinished'), cutOff: String(error) };
}

function reportOf(pass: Pass, outcome: PassReport['outcome']): PassReport {
  const { kind, projects, commits, events, definitions, skippedNoLonger, state } = pass;
  if (outcome === 'busy') return { mode: kind, outcome, projects: 0, commits: 0, events: 0 };
  return {
    ...{ mode: kind, outcome, projects, commits },
    events: events + definitions.told,
    ...(skippedNoLonger.length > 0 && { skippedNoLonger }),
    ...(state.isSweepUnfinished && { isSweepUnfinished: true }),
  };
}

const NOT_ENDED =
  'The last run did not come to its end: it was stopped from outside, or ran out of time or memory.';
const OUT_OF_TIME = 'There is more to read than one run has time for; the next one goes on.';

/** Saves how far the pass came, and gives the lease back: the next run resumes it there. */
async function interrupt({ heartbeat, parts }: Pass, failure?: PassFailure): Promise<void> {
  await heartbeat.save();
  await parts.snapshots.release(parts.process, heartbeat.lease, failure);
}

/** Gives the lease back after a failure. An error in doing so is only logged: the caller must see the failure itself. */
async function endQuietly(pass: Pass, mustBeginAnew: boolean, reason: string | undefined): Promise<void> {
  const { log, process, snapshots, clock } = pass.parts;
  const { lease } = pass.heartbeat;
  const since = pass.failedSince ?? clock();
  const failure = reason === undefined ? undefined : { since, reason };
  try {
    await (mustBeginAnew ? snapshots.abandon(process, lease, failure) : interrupt(pass, failure));
  } catch (error) {
    if (error instanceof LeaseLostError) return;
    log.warn('The lease could not be given back; it ends by itself within a minute.', {
      ...process,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Tells subscribers, once, that no `changes` pass was completed for too long; `reason` is why the last one was not. Only a run
 *  tells this: a schedule that starts no runs is no stall. Nor is there a stall before the baseline. Errors in telling are
 *  only logged: the caller must see why the pass itself failed. */
export async function tellStalled(pass: Pass, reason: string): Promise<void> {
  if (pass.kind !== 'changes' || !isOverdue(pass, pass.state)) return;
  const { process, snapshots, log, clock } = pass.parts;
  await trying(pass, async () => {
    // Another run may have completed a pass since this one looked.
    const state = await snapshots.readState(process);
    const told = await announce({ parts: pass.parts, state }, now => {
      const since = Math.min(now.completedAt, clock());
      if (!isOverdue(pass, now)) return undefined;
      return {
        state: { stalled: { since } },
        events: version => [stalledEvent(process, { version, at: clock(), since, reason })],
      };
    });
    if (told === 0) return;
    pass.events += told;
    pass.isStalled = true;
    log.warn('The process is stalled; subscribers are told.', { ...process, reason });
  });
}

/** Tells subscribers that the stall is over, once a `changes` pass is completed. The same commit clears the stall from the
 *  state: if a run is killed before it, the next completed pass tells. */
export async function tellRecovered(pass: Pass): Promise<void> {
  if (pass.kind !== 'changes' || !pass.isStalled) return;
  const { process, snapshots, clock } = pass.parts;
  await trying(pass, async () => {
    // Read again: this very run may have announced the stall.
    const state = await snapshots.readState(process);
    const told = await announce({ parts: pass.parts, state }, ({ stalled }) => {
      if (!stalled) return undefined;
      return {
        state: { stalled: undefined },
        events: version => [recoveredEvent(process, { version, since: stalled.since, until: clock() })],
      };
    });
    pass.events += told;
  });
}

function isOverdue(pass: Pass, { completedAt, stalled }: ProcessState): boolean {
  const { clock, settings } = pass.parts;
  const now = clock();
  return !stalled && now - happenedAt(completedAt, now) > longestSilence(settings.changes.slowest);
}

async function trying(pass: Pass, tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (error) {
    pass.parts.log.warn('Subscribers could not be told how the process is; a later run tells them.', {
      ...pass.parts.process,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
