import {
  type AttributeValue,
  GetItemCommand,
  type GetItemCommandOutput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { passKey, seenKey, stateKey } from '../../functions/snapshots/keys.ts';
import { PROCESS, TABLE_NAME, WORKSPACE } from './shared.ts';
import type { World } from './world.ts';

const process = { workspace: WORKSPACE, processId: PROCESS };
const Key = stateKey(process);

/** The process's state, as an operator sees it. */
export function stateItem({ table }: World): Record<string, AttributeValue> | undefined {
  const command = new GetItemCommand({ TableName: TABLE_NAME, Key, ConsistentRead: true });
  return (table.run(command) as GetItemCommandOutput).Item;
}

/** What `changes` passes have seen. */
export function seenItem({ table }: World): Record<string, AttributeValue> | undefined {
  const command = new GetItemCommand({ TableName: TABLE_NAME, Key: seenKey(process), ConsistentRead: true });
  return (table.run(command) as GetItemCommandOutput).Item;
}

/** Whether a sweep began, and has not ended. */
export function isSweepUnfinished({ table }: World): boolean {
  const command = new GetItemCommand({
    TableName: TABLE_NAME,
    Key: passKey(process, 'sweep'),
    ConsistentRead: true,
  });
  return (table.run(command) as GetItemCommandOutput).Item?.window !== undefined;
}

export function isHeld(world: World): boolean {
  return stateItem(world)?.hold !== undefined;
}

/** What the runbook tells an operator to do who knows that the held projects are gone. */
export function releaseHeld({ table }: World): void {
  table.run(
    new UpdateItemCommand({
      TableName: TABLE_NAME,
      Key,
      UpdateExpression: 'SET released = :true',
      ExpressionAttributeValues: { ':true': { BOOL: true } },
    }),
  );
}
