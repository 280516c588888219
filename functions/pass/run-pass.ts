import { DeadlineError } from '../service/errors.ts';
import type { Mode } from '../snapshots/snapshots.ts';
import { changesPass, type Outcome } from './changes-pass.ts';
import { failureReason } from './failure-reason.ts';
import { LEASE_MS, LeaseLostError, Pass, type PassParts } from './pass.ts';
import { tellRecovered, tellStalled } from './stall.ts';
import { sweepPass } from './sweep-pass.ts';

/** What a pass did. `unfinished`: time ran out, and nothing else went wrong; the next run goes on. `busy`: another poller has
 *  the lease. */
export interface PassReport {
  readonly mode: 'baseline' | Mode;
  readonly outcome: Outcome | 'busy';
  /** Projects whose tasks were read. */
  readonly projects: number;
  readonly commits: number;
  readonly events: number;
  /** Projects that were skipped until now, where there are any. */
  readonly skippedNoLonger?: readonly string[];
  /** The request within which time ran out, if it did. */
  readonly cutOff?: string;
}

export interface RunPassOptions {
  /** Takes up what an earlier run left unfinished, and begins nothing. */
  readonly onlyGoOn?: boolean;
}

/** Takes the lease of (process, mode) and walks. A pass that fails keeps what it committed, gives its lease back and
 *  throws. The next run goes on from there, or, with a `changes` pass, begins anew (docs/decisions/0016). */
export async function runPass(
  parts: PassParts,
  mode: Mode,
  owner: string,
  { onlyGoOn = false }: RunPassOptions = {},
): Promise<PassReport> {
  const { snapshots, process, clock, state } = parts;
  const now = clock();
  const kind = state.baselined ? mode : 'baseline';
  const leaseMode = kind === 'changes' ? 'changes' : 'sweep';
  const lease = await snapshots.takeLease(process, { mode: leaseMode, owner, now, until: now + LEASE_MS });
  if (!lease) return busy(kind);
  const pass = new Pass(parts, lease);
  if (!state.baselined && (await snapshots.readState(process)).baselined) {
    // The baseline ended between our look at the state and our lease: a second one would hide what changed since.
    await snapshots.release(process, lease);
    return busy(kind);
  }
  if (onlyGoOn && !lease.window) {
    // What was unfinished a moment ago was ended by another poller.
    await snapshots.release(process, lease);
    return busy(kind);
  }
  const outcome = await walked(pass, kind === 'changes' ? changesPass : sweepPass);
  return {
    ...{ mode: kind, outcome, projects: pass.projects, commits: pass.commits },
    events: pass.events + parts.definitions.told,
    ...(pass.back.length > 0 && { skippedNoLonger: pass.back }),
    ...(pass.cutOff !== undefined && { cutOff: pass.cutOff }),
  };
}

function busy(mode: PassReport['mode']): PassReport {
  return { mode, outcome: 'busy', projects: 0, commits: 0, events: 0 };
}

async function walked(pass: Pass, passOf: (pass: Pass) => Promise<Outcome>): Promise<Outcome | 'busy'> {
  // Runs that die tell nothing at their ends: so the next one does at its beginning.
  if (pass.lease.window || pass.lease.orphaned) await tellStalled(pass, NOT_ENDED);
  try {
    const outcome = await passOf(pass);
    if (outcome === 'completed') await tellRecovered(pass);
    else {
      await pass.interrupt();
      await tellStalled(pass, OUT_OF_TIME);
    }
    return outcome;
  } catch (error) {
    if (error instanceof LeaseLostError) return 'busy';
    const isOutOfTime = error instanceof DeadlineError;
    const goesOn = isOutOfTime || !pass.mustBeginAnew;
    await endQuietly(pass, () => (goesOn ? pass.interrupt() : pass.abandon()));
    await tellStalled(pass, failureReason(error));
    if (!isOutOfTime) throw error;
    pass.cutOff = String(error);
    return 'unfinished';
  }
}

const NOT_ENDED =
  'The last run did not come to its end: it was stopped from outside, or ran out of time or memory.';
const OUT_OF_TIME = 'There is more to read than one run has time for; the next one goes on.';

/** The failure that stopped the pass is what the caller must see, not that of tidying up after it. */
async function endQuietly(pass: Pass, end: () => Promise<void>): Promise<void> {
  try {
    await end();
  } catch (error) {
    if (error instanceof LeaseLostError) return;
    const { log, process } = pass.parts;
    log.warn('The lease could not be given back; it ends by itself within a minute.', {
      ...process,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
