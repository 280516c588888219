import type { Mode } from '../basics/process.ts';
import { DeadlineError } from '../service/errors.ts';
import { tellRecovered, tellStalled } from '../telling/stall.ts';
import { failureReason } from './failure-reason.ts';
import { LEASE_MS, LeaseLostError } from './heartbeat.ts';
import type { PassKind, PassParts } from './parts.ts';
import { Pass } from './pass.ts';
import { lookAtAll } from './rounds.ts';
import { type Outcome, settle } from './settle.ts';
import { surveyAll, surveyChanges } from './survey.ts';

/** What a pass did. `unfinished`: time ran out, and nothing else went wrong; the next run goes on. `busy`: another poller has
 *  the lease. */
export interface PassReport {
  readonly mode: PassKind;
  readonly outcome: Outcome | 'busy';
  /** Projects that were looked at. */
  readonly projects: number;
  readonly commits: number;
  readonly events: number;
  /** Projects that were skipped until now, where there are any. */
  readonly skippedNoLonger?: readonly string[];
  /** The request within which time ran out, if it did. */
  readonly cutOff?: string;
  /** True when a sweep, or the baseline, began and had not ended when this pass began. */
  readonly isSweepUnfinished?: boolean;
}

export interface RunPassOptions {
  /** Takes up what an earlier run left unfinished, and begins nothing. */
  readonly onlyGoOn?: boolean;
}

/** One pass over one process. A pass that fails keeps what it committed, gives its lease back and throws; the next run goes on from there, or,
 *  with a `changes` pass, begins anew. */
export async function runPass(
  parts: PassParts,
  mode: Mode,
  owner: string,
  { onlyGoOn = false }: RunPassOptions = {},
): Promise<PassReport> {
  const pass = await begin(parts, mode, owner);
  if (!pass) return { mode, outcome: 'busy', projects: 0, commits: 0, events: 0 };
  if (onlyGoOn && !pass.heartbeat.lease.window) {
    // What was unfinished a moment ago was ended by another poller.
    await parts.snapshots.release(parts.process, pass.heartbeat.lease);
    return reportOf(pass, 'busy');
  }
  // Runs that die tell nothing at their ends: so the next one does at its beginning.
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

/** The lease first, then the state: nobody else moves it from then on. Until there is a baseline, a `changes` pass makes it, by the lease of a
 *  sweep. Undefined while another poller has the lease. */
async function begin(parts: PassParts, mode: Mode, owner: string): Promise<Pass | undefined> {
  const { snapshots, process, clock } = parts;
  const now = clock();
  const lease = await snapshots.takeLease(process, { mode, owner, now, until: now + LEASE_MS });
  if (!lease) return undefined;
  const state = await snapshots.readState(process).catch(async (error: unknown) => {
    // Or the next pass would find it busy.
    await snapshots.release(process, lease).catch(() => undefined);
    throw error;
  });
  if (state.baselined || mode === 'sweep') return new Pass(parts, lease, state);
  await snapshots.release(process, lease);
  const pass = await begin(parts, 'sweep', owner);
  if (pass?.kind !== 'sweep') return pass;
  // It ended between the two leases: what changed since is the next pass's.
  await snapshots.release(process, pass.heartbeat.lease);
  return undefined;
}

async function failed(pass: Pass, error: unknown): Promise<PassReport> {
  if (error instanceof LeaseLostError) return reportOf(pass, 'busy');
  const isOutOfTime = error instanceof DeadlineError;
  // What a `changes` pass is done with may change while its failure lasts: so the next one must look there again.
  const mustBeginAnew = pass.kind === 'changes' && !pass.outOfTime && !isOutOfTime;
  await endQuietly(pass, mustBeginAnew);
  await tellStalled(pass, failureReason(error));
  if (!isOutOfTime) throw error;
  return { ...reportOf(pass, 'unfinished'), cutOff: String(error) };
}

function reportOf(pass: Pass, outcome: PassReport['outcome']): PassReport {
  const { kind, projects, commits, events, definitions, back, state } = pass;
  if (outcome === 'busy') return { mode: kind, outcome, projects: 0, commits: 0, events: 0 };
  return {
    ...{ mode: kind, outcome, projects, commits },
    events: events + definitions.told,
    ...(back.length > 0 && { skippedNoLonger: back }),
    ...(state.isSweepUnfinished && { isSweepUnfinished: true }),
  };
}

const NOT_ENDED =
  'The last run did not come to its end: it was stopped from outside, or ran out of time or memory.';
const OUT_OF_TIME = 'There is more to read than one run has time for; the next one goes on.';

/** Remembers where the pass stands, and gives the lease back: the next run goes on from there. */
async function interrupt({ heartbeat, parts }: Pass): Promise<void> {
  await heartbeat.save();
  await parts.snapshots.release(parts.process, heartbeat.lease);
}

/** The failure that stopped the pass is what the caller must see, not that of tidying up after it. */
async function endQuietly(pass: Pass, mustBeginAnew: boolean): Promise<void> {
  const { log, process, snapshots } = pass.parts;
  try {
    await (mustBeginAnew ? snapshots.abandon(process, pass.heartbeat.lease) : interrupt(pass));
  } catch (error) {
    if (error instanceof LeaseLostError) return;
    log.warn('The lease could not be given back; it ends by itself within a minute.', {
      ...process,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
