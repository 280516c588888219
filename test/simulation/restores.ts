import type { RestoreStep } from './plan/restore.ts';
import type { Plan } from './plan.ts';
import type { Backup as StorageBackup } from './storage/storage.ts';
import type { World } from './world.ts';

/** The least time that a restore takes: far longer than clocks differ. */
export const RESTORE_MS = 300_000;

/** The storage as it once was, and how many events each process had committed by then. */
export interface Backup {
  readonly storage: StorageBackup;
  readonly events: readonly number[];
}

/** Keeps the table's content at the moments to which the plan restores it; none before the end of all
 *  baselines, because what was told after such a moment would count as known. */
export class Restores {
  readonly #steps: readonly (RestoreStep & { readonly index: number })[];
  readonly #backups = new Map<number, Backup>();

  constructor({ steps }: Plan) {
    this.#steps = steps.flatMap((step, index) => (step.do === 'restore' ? [{ ...step, index }] : []));
  }

  /** The plan's step with this number begins. */
  reach(now: number, { storage, processes, publisher }: World): void {
    for (const { index, back, how, off } of this.#steps) {
      if (how === 'new table, cut' && now === index - off) publisher.pause();
      if (now >= index || now < index - back || this.#backups.has(index)) continue;
      const commits = processes.map(process => process.commits);
      if (!commits.every(({ told }) => told)) continue;
      this.#backups.set(index, {
        storage: storage.backup(),
        events: commits.map(({ events }) => events.length),
      });
    }
  }

  /** Undefined where there is no such moment. */
  backupOf(step: number): Backup | undefined {
    return this.#backups.get(step);
  }
}

/** Restores the table as an operator does: stops the pollers, and maybe before that the publisher,
 *  restores the table, and starts all of them again. */
export async function restore(world: World, backup: Backup | undefined, step: RestoreStep): Promise<void> {
  if (!backup) return world.publisher.resume();
  world.standStill();
  world.pollers.stop();
  await world.pass(RESTORE_MS);
  if (step.how === 'new table, drained') world.publisher.resume();
  if (step.how === 'new table, drained')
    await world.until(() => world.publisher.isIdle, 'the stream is drained');
  world.restore(backup, step.how);
  // The restored rows of endpoints are old, but deliveries between then and now are still under way.
  await world.resumeEndpoints({ all: true });
  world.publisher.resume();
  world.goOn();
}
