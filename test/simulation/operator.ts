import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { AuditPosition } from '../../functions/model/process-state.ts';
import { decode } from '../../functions/store/codec.ts';
import { type Key, partition, passKey, seenKey, stateKey } from '../../functions/store/keys.ts';
import { PROCESS, WORKSPACE } from './shared.ts';
import type { World } from './world.ts';

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
