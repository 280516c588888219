import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Mode, ProcessKey } from '../../basics/process.ts';
import { DEBT, type Key, partition, passKey, stateKey } from '../keys.ts';
import type { BegunPass, ProcessReader, Progress } from '../processes.ts';
import type { Debt } from '../state.ts';
import { batchGet } from './batch-get.ts';
import { IS_ON_HOLD } from './conditions.ts';
import { debtOf } from './debts.ts';
import { progressOf } from './leases.ts';
import { queryItems } from './query-items.ts';
import { stateOf } from './state-item.ts';
import { holds, type Table } from './table.ts';

const NAMES = [
  ...['pk', 'sk', 'baselined', 'baselinedAt', 'hold', 'released', 'stalled', 'completedAt', 'sweptAt'],
  ...['changesFailure', 'sweepFailure', 'leaseUntil', 'window', 'progress'],
];
type ProcessItem = Key & { readonly leaseUntil?: { readonly N: string } } & Record<string, AttributeValue>;

const MODES: readonly Mode[] = ['changes', 'sweep'];

/** What passes know, in the table. */
export function createProcessReader(table: Table): ProcessReader {
  return {
    progress: process => readProgress(table, process),
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

/** Leaves out the attributes that can be large and that nobody wants to see. */
async function readProgress(table: Table, process: ProcessKey): Promise<Progress> {
  const keys = [stateKey(process), ...MODES.map(mode => passKey(process, mode))];
  const items = (await batchGet(table, keys, {
    ConsistentRead: true,
    ProjectionExpression: NAMES.map(name => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(NAMES.map(name => [`#${name}`, name])),
  })) as ProcessItem[];
  const debts = new Map<string, Debt>();
  for await (const item of queryItems(table, partition(process), DEBT)) debts.set(...debtOf(item));
  const passes = MODES.flatMap(mode => {
    const item = items.find(({ sk }) => sk.S === passKey(process, mode).sk.S);
    return item ? passOf(mode, item) : [];
  });
  return { ...stateOf(items), debts, passes };
}

function passOf(mode: Mode, item: ProcessItem): BegunPass[] {
  const isBegun = item.window !== undefined;
  const heldUntil = item.leaseUntil && Number(item.leaseUntil.N);
  if (!isBegun && heldUntil === undefined) return [];
  return [{ mode, progress: progressOf(item), isBegun, heldUntil }];
}
