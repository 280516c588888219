import type { Log } from '../basics/telemetry.ts';
import { recoveredEvent, stalledEvent } from '../changes/source-events.ts';
import { longestSilence } from '../settings/longest-silence.ts';
import type { ProcessSettings } from '../settings/workspaces.ts';
import type { ProcessState } from '../snapshots/state.ts';
import { type Announcer, announce } from './announce.ts';

/** A pass, as far as it tells how the process is. */
interface Pass extends Announcer {
  readonly parts: Announcer['parts'] & {
    readonly log: Log;
    readonly settings: Pick<ProcessSettings, 'changes'>;
  };
  readonly kind: string;
  /** How many events it told. */
  events: number;
  /** True while subscribers believe that the process is stalled. */
  isStalled: boolean;
}

/** Tells subscribers, once, that no `changes` pass was completed for too long; `reason` is what the last one met. A run
 *  tells it: so a schedule that does not run is no stall, nor is anything before the baseline. It is never the cause of
 *  a failure: what the pass met is what the caller must see. */
export async function tellStalled(pass: Pass, reason: string): Promise<void> {
  if (pass.kind !== 'changes' || !isOverdue(pass, pass.state)) return;
  const { process, snapshots, log, clock } = pass.parts;
  await trying(pass, async () => {
    // Another run may have completed a pass since this one looked.
    const state = await snapshots.readState(process);
    const told = await announce({ parts: pass.parts, state }, now => {
      const since = now.completedAt;
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

/** Tells them that it is over, once a `changes` pass is completed. The state forgets the stall with the telling: a run
 *  that dies before leaves it to the next completed pass. */
export async function tellRecovered(pass: Pass): Promise<void> {
  if (pass.kind !== 'changes' || !pass.isStalled) return;
  const { process, snapshots, clock } = pass.parts;
  await trying(pass, async () => {
    // It may have been this very run that called the process stalled.
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
  return !stalled && clock() - completedAt > longestSilence(settings.changes.slowest);
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
