import { type AttributeValue, BatchGetItemCommand, type KeysAndAttributes } from '@aws-sdk/client-dynamodb';
import type { Key } from '../keys.ts';
import { patiently, type Table, waitAfter } from './table.ts';

type Item = Record<string, AttributeValue>;

/** DynamoDB's limit of one BatchGetItem. */
const BATCH = 100;

/** Reads the items of these keys, in any order, with the options `how`; keys without an item are left out.
 *  DynamoDB may answer only a part of a batch and hand back the other keys: these are asked for again, at
 *  once if it answered anything, after a wait if it answered nothing.
 *  @throws when it answers nothing however often it is asked */
export async function batchGet(
  table: Table,
  keys: readonly Key[],
  how: Omit<KeysAndAttributes, 'Keys'>,
): Promise<Item[]> {
  const found: Item[] = [];
  let rest: readonly Item[] = keys;
  for (let inVain = 0; rest.length > 0; ) {
    const asked = rest.slice(0, BATCH);
    const command = { RequestItems: { [table.tableName]: { ...how, Keys: asked } } };
    const answer = await patiently(table, () => table.client.send(new BatchGetItemCommand(command)));
    found.push(...(answer.Responses?.[table.tableName] ?? []));
    const left = answer.UnprocessedKeys?.[table.tableName]?.Keys ?? [];
    rest = [...left, ...rest.slice(BATCH)];
    inVain = left.length < asked.length ? 0 : inVain + 1;
    if (inVain > 0 && !(await waitAfter(table, inVain))) throw new Error(UNANSWERED);
  }
  return found;
}

const UNANSWERED =
  'The table answered no item of a batch, however often it was asked: it is throttled. The next pass asks again.';
