import type { AttributeValue, Update } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { type Key, passKey, seenKey, stateKey } from '../keys.ts';
import type { PassState, StateRow } from '../state.ts';
import { type Attributes, attributesOf, updateOf } from './state-item.ts';
import { storeLargeParts } from './state-parts.ts';
import type { Table } from './table.ts';

const KEYS: Record<StateRow, (process: ProcessKey) => Key> = {
  rare: stateKey,
  changes: process => passKey(process, 'changes'),
  sweep: process => passKey(process, 'sweep'),
  seen: seenKey,
};

/** The attributes to write for `state`, by row. What is too large for its row is stored in items of its own
 *  right now; nobody reads these before the row refers to them. */
export async function stateWrites(
  table: Table,
  process: ProcessKey,
  state: Partial<PassState>,
): Promise<Map<StateRow, Attributes>> {
  const rows = attributesOf(state);
  const rare = rows.get('rare');
  if (rare) rows.set('rare', await storeLargeParts(table, process, rare, state));
  return rows;
}

/** The update of one row, under a condition where there is one. */
export function rowUpdate(
  table: Table,
  process: ProcessKey,
  [row, attributes]: readonly [StateRow, Attributes],
  condition?: { readonly text: string; readonly values: Record<string, AttributeValue> },
): Update & { Key: Key } {
  const { ExpressionAttributeValues, ...update } = updateOf(attributes);
  const values = { ...ExpressionAttributeValues, ...condition?.values };
  return {
    TableName: table.tableName,
    Key: KEYS[row](process),
    ...update,
    ...(condition && { ConditionExpression: condition.text }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}
