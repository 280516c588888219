import {
  type AttributeValue,
  GetItemCommand,
  type GetItemCommandOutput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { AuditPosition } from '../../functions/model/process-state.ts';
import { decode } from '../../functions/store/codec.ts';
import { type Key, passKey, seenKey, stateKey } from '../../functions/store/keys.ts';
import { PROCESS, TABLE_NAME, WORKSPACE } from './shared.ts';
import type { World } from './world.ts';

const OF = { workspace: WORKSPACE, processId: PROCESS };

function itemAt({ table }: World, Key: Key): Record<string, AttributeValue> | undefined {
  const command = new GetItemCommand({ TableName: TABLE_NAME, Key, ConsistentRead: true });
  return (table.run(command) as GetItemCommandOutput).Item;
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
export function release({ table }: World): void {
  table.run(
    new UpdateItemCommand({
      TableName: TABLE_NAME,
      Key: stateKey(OF),
      UpdateExpression: 'SET released = :true',
      ExpressionAttributeValues: { ':true': { BOOL: true } },
    }),
  );
}
