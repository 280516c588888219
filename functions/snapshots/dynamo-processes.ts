import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { BegunPass, ProcessReader, Progress } from '../operations/processes.ts';
import { IS_HELD } from './conditions.ts';
import { getItem } from './get-item.ts';
import { passKey, stateKey } from './keys.ts';
import type { Mode, ProcessKey } from './snapshots.ts';
import { stateOf } from './state-item.ts';
import { loadLargeParts } from './state-parts.ts';
import { holds, patiently, type Table } from './table.ts';

const PARTS = ['baselined', 'completedAt', 'sweptAt', 'held', 'released', 'stalled', 'skipped'] as const;
const MODES: readonly Mode[] = ['changes', 'sweep'];

/** What passes know, in the table. */
export function createProcessReader(table: Table): ProcessReader {
  return {
    progress: process => progressOf(table, process),
    passes: async process => {
      const items = await Promise.all(MODES.map(mode => getItem(table, passKey(process, mode))));
      return items.flatMap((item, index) => (item ? passOf(MODES[index] as Mode, item) : []));
    },
    release: process => {
      const update = {
        TableName: table.tableName,
        Key: stateKey(process),
        UpdateExpression: 'SET #released = :yes',
        ConditionExpression: IS_HELD,
        ExpressionAttributeNames: { '#released': 'released' },
        ExpressionAttributeValues: { ':yes': { BOOL: true } },
      };
      return holds(table, () => table.client.send(new UpdateItemCommand(update)));
    },
  };
}

/** Without the parts that can be large and that nobody wants to see. */
async function progressOf(table: Table, process: ProcessKey): Promise<Progress> {
  const command = {
    TableName: table.tableName,
    Key: stateKey(process),
    ConsistentRead: true,
    ProjectionExpression: PARTS.map(part => `#${part}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(PARTS.map(part => [`#${part}`, part])),
  };
  const { Item } = await patiently(table, () => table.client.send(new GetItemCommand(command)));
  return stateOf(Item && (await loadLargeParts(table, process, Item)));
}

function passOf(mode: Mode, item: Record<string, AttributeValue>): BegunPass[] {
  const isBegun = item.window !== undefined;
  const heldUntil = item.leaseOwner && Number(item.leaseUntil?.N);
  if (!isBegun && heldUntil === undefined) return [];
  return [{ mode, progress: item.progress?.S, isBegun, heldUntil }];
}
