import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { AuditPosition } from '../../functions/model/process-state.ts';
import { decode } from '../../functions/store/codec.ts';
import { type Key, partition, passKey, seenKey, stateKey } from '../../functions/store/keys.ts';
import type { Plan, RestoreStep } from './plan.ts';
import { PROCESS, WORKSPACE } from './shared.ts';
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

const of = (processId = PROCESS) => ({ workspace: WORKSPACE, processId });

function itemAt({ storage }: World, { pk, sk }: Key): Record<string, AttributeValue> | undefined {
  return [...storage.items()].find(item => item.pk?.S === pk.S && item.sk?.S === sk.S);
}

/** Whether a sweep began, and has not ended. */
export function isSweepUnfinished(world: World): boolean {
  return itemAt(world, passKey(of(), 'sweep'))?.window !== undefined;
}

/** Where the audit log stands. */
export function auditPosition(world: World): AuditPosition | undefined {
  const bytes = itemAt(world, seenKey(of()))?.audit?.B;
  return bytes && (decode(bytes) as AuditPosition);
}

export function isOnHold(world: World, processId = PROCESS): boolean {
  return itemAt(world, stateKey(of(processId)))?.hold !== undefined;
}

/** Whether the process has a baseline. */
export function isBaselined(world: World, processId: string): boolean {
  return itemAt(world, stateKey(of(processId)))?.baselined?.BOOL === true;
}

/** All rows of a process. */
export function rowsOf({ storage }: World, processId: string): readonly Record<string, AttributeValue>[] {
  return [...storage.items()].filter(item => item.pk?.S === partition(of(processId)));
}

/** Releases the hold as the runbook says, for an operator who knows that these projects are gone. */
export function release({ storage }: World, processId = PROCESS): void {
  storage.release(processId);
}
