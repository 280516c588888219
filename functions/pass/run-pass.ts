import type { Mode } from '../basics/process.ts';
import { DeadlineError } from '../service/errors.ts';
import type { PassFailure } from '../store/state.ts';
import { LEASE_MS, LeaseLostError } from './heartbeat.ts';
import type { PassKind, PassParts } from './parts.ts';
import { Pass } from './pass.ts';
import { failureReason } from './process-events/failure-reason.ts';
import { tellRecovered, tellStalled } from './process-events/stall.ts';
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
