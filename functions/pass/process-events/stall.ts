import { happenedAt } from '../../basics/clock.ts';
import type { Log } from '../../basics/telemetry.ts';
import { recoveredEvent, stalledEvent } from '../../changes/source-events.ts';
import { longestSilence } from '../../config/deployed/longest-silence.ts';
import type { ProcessSettings } from '../../config/deployed/workspaces.ts';
import type { ProcessState } from '../../store/state.ts';
import { type Announcer, announce } from './announce.ts';

/** What is needed here of a pass. */
interface Pass extends Announcer {
  readonly parts: Announcer['parts'] & {
    readonly log: Log;
    readonly settings: Pick<ProcessSettings, 'changes'>;
  };
  readonly kind: string;
  /** How many events the pass told. */
  events: number;
  /** True while subscribers believe that the process is stalled. */
  isStalled: boolean;
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
