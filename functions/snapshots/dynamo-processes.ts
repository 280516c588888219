import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Mode, ProcessKey } from '../basics/process.ts';
import type { BegunPass, ProcessReader, Progress } from '../operations/processes.ts';
import { IS_ON_HOLD } from './conditions.ts';
import { debtOf } from './debts.ts';
import { getItem } from './get-item.ts';
import { DEBT, partition, passKey, stateKey } from './keys.ts';
import { progressOf } from './leases.ts';
import { queryItems } from './query-items.ts';
import { stateOf } from './state-item.ts';
import { holds, patiently, type Table } from './table.ts';

const RARE = ['baselined', 'hold', 'released', 'stalled'] as const;
const MODES: readonly Mode[] = ['changes', 'sweep'];

/** What passes know, in the table. */
export function createProcessReader(table: Table): ProcessReader {
  return {
    progress: process => stateFor(table, process),
    passes: async process =>
      (await passItems(table, process)).flatMap((item, index) =>
        item ? passOf(MODES[index] as Mode, item) : [],
      ),
    release: process => {
      const update = {
        TableName: table.tableName,
        Key: stateKey(process),
        UpdateExpression: 'SET #released = :yes',
        ConditionExpression: IS_ON_HOLD,
        ExpressionAttributeNames: { '#released': 'released', '#hold': 'hold' },
        ExpressionAttributeValues: { ':yes': { BOOL: true } },
      };
      return holds(table, () => table.client.send(new UpdateItemCommand(update)));
    },
  };
}

/** Without the parts that can be large and that nobody wants to see. */
async function stateFor(table: Table, process: ProcessKey): Promise<Progress> {
  const command = {
    TableName: table.tableName,
    Key: stateKey(process),
    ConsistentRead: true,
    ProjectionExpression: RARE.map(part => `#${part}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(RARE.map(part => [`#${part}`, part])),
  };
  const { Item } = await patiently(table, () => table.client.send(new GetItemCommand(command)));
  const debts = new Map<string, ReturnType<typeof debtOf>[1]>();
  for await (const item of queryItems(table, partition(process), DEBT)) debts.set(...debtOf(item));
  return { ...stateOf([Item, ...(await passItems(table, process))]), debts };
}

function passItems(table: Table, process: ProcessKey) {
  return Promise.all(MODES.map(mode => getItem(table, passKey(process, mode))));
}

function passOf(mode: Mode, item: Record<string, AttributeValue>): BegunPass[] {
  const isBegun = item.window !== undefined;
  const heldUntil = item.leaseOwner && Number(item.leaseUntil?.N);
  if (!isBegun && heldUntil === undefined) return [];
  return [{ mode, progress: progressOf(item), isBegun, heldUntil }];
}
