import type { Item } from './models/table.ts';
import type { Plan, RestoreStep } from './plan.ts';
import type { World } from './world.ts';

/** So long a restore takes, at least: far longer than clocks differ. */
export const RESTORE_MS = 300_000;

/** The table as it once was, and how much had been told by then. */
export interface Backup {
  readonly items: readonly Item[];
  readonly events: number;
}

/** Keeps the table's contents of those moments to which the plan will restore it. A moment before the end of the baseline
 *  is none: what was told since would be taken for known. */
export class Restores {
  readonly #steps: readonly { readonly index: number; readonly back: number }[];
  readonly #backups = new Map<number, Backup>();

  constructor({ steps }: Plan) {
    this.#steps = steps.flatMap((step, index) => (step.do === 'restore' ? [{ index, back: step.back }] : []));
  }

  /** The plan's step with this number begins. */
  reach(now: number, { table, commits }: World): void {
    for (const { index, back } of this.#steps) {
      if (now >= index || now < index - back || this.#backups.has(index) || !commits.told) continue;
      this.#backups.set(index, { items: [...table.items()], events: commits.events.length });
    }
  }

  /** Undefined where there is no such moment. */
  backupOf(step: number): Backup | undefined {
    return this.#backups.get(step);
  }
}

/** What an operator does: he stops the pollers, has the table restored, and lets all go on with it. */
export async function restore(world: World, backup: Backup | undefined, step: RestoreStep): Promise<void> {
  if (!backup) return;
  world.pollers.stop();
  if (step.how === 'new table, cut') world.cutStream();
  await world.pass(RESTORE_MS);
  if (step.how === 'new table, drained')
    await world.until(() => world.publisher.isIdle, 'the stream is drained');
  world.restore(backup, step.how);
}
