import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { AuditPosition } from '../../functions/model/process-state.ts';
import { decode } from '../../functions/store/codec.ts';
import { type Key, passKey, seenKey, stateKey } from '../../functions/store/keys.ts';
import { PROCESS, WORKSPACE } from './shared.ts';
import type { World } from './world.ts';

const OF = { workspace: WORKSPACE, processId: PROCESS };

function itemAt({ storage }: World, { pk, sk }: Key): Record<string, AttributeValue> | undefined {
  return [...storage.items()].find(item => item.pk?.S === pk.S && item.sk?.S === sk.S);
}

/** Whether a sweep began, and has not ended. */
export function isSweepUnfinished(world: World): boolean {
  return itemAt(world, passKey(OF, 'sweep'))?.window !== undefined;
}

/** Where the audit log stands. */
export function auditPosition(world: World): AuditPosition | undefined {
  const bytes = itemAt(world, seenKey(OF))?.audit?.B;
  return bytes && (decode(bytes) as AuditPosition);
}

export function isOnHold(world: World): boolean {
  return itemAt(world, stateKey(OF))?.hold !== undefined;
}

/** Releases the hold as the runbook says, for an operator who knows that these projects are gone. */
export function release({ storage }: World): void {
  storage.release();
}
