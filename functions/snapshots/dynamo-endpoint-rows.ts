import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Decide, EndpointRow, EndpointRows } from '../delivery/endpoint-rows.ts';
import { IS_ABSENT, IS_REVISION } from './conditions.ts';
import { type Item, numberIn } from './delivery-items.ts';
import { getItem } from './get-item.ts';
import { ENDPOINTS, endpointRowKey } from './keys.ts';
import { queryItems } from './query-items.ts';
import { holds, type Table, waitAfter } from './table.ts';

/** Enough for as many writers that change one row at once, because each time one of them succeeds. */
const TRIES = 50;
/** After so many tries the waits grow no further: they are 400 ms at most. */
const GROWING_WAITS = 4;
const REVISIONS = 2 ** 40;

/** The registry of endpoints in the table (design.md §6: `ENDPOINTS`). When an answer is lost, the SDK
 *  repeats the write, which then fails: `decide` is called with the row as it was just written. */
export function createEndpointRows(table: Table): EndpointRows {
  return {
    list: async () => {
      const rows = await Array.fromAsync(queryItems(table, ENDPOINTS, undefined), rowOf);
      // Stryker disable next-line EqualityOperator: no two rows have the same name
      return rows.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    },
    read: async name => {
      const item = await getItem(table, endpointRowKey(name));
      return item && rowOf(item);
    },
    change: (name, decide) => change(table, name, decide),
  };
}

async function change(table: Table, name: string, decide: Decide): Promise<EndpointRow | undefined> {
  for (let tried = 1; ; tried++) {
    const item = await getItem(table, endpointRowKey(name));
    const before = item && rowOf(item);
    const after = decide(before);
    if (after === undefined) return before;
    if (after === 'removed') {
      if (!item || (await remove(table, name, item))) return undefined;
    } else if (await write(table, name, item, after)) return after;
    if (tried === TRIES || !(await waitAfter(table, Math.min(tried, GROWING_WAITS))))
      throw new Error(`The row of endpoint ${name} changed each time before it could be written.`);
  }
}

function write(table: Table, name: string, before: Item | undefined, row: EndpointRow): Promise<boolean> {
  const revision = before
    ? numberIn(before, 'revision') + 1
    : Math.floor(table.patience.random() * REVISIONS);
  const put = {
    TableName: table.tableName,
    Item: { ...endpointRowKey(name), revision: { N: String(revision) }, row: { S: JSON.stringify(row) } },
    ...(before ? isRevisionOf(before) : { ConditionExpression: IS_ABSENT }),
  };
  return holds(table, () => table.client.send(new PutItemCommand(put)));
}

function remove(table: Table, name: string, before: Item): Promise<boolean> {
  const command = { TableName: table.tableName, Key: endpointRowKey(name), ...isRevisionOf(before) };
  return holds(table, () => table.client.send(new DeleteItemCommand(command)));
}

function isRevisionOf({ revision }: Item) {
  return {
    ConditionExpression: IS_REVISION,
    ExpressionAttributeValues: { ':expected': revision as { N: string } },
  };
}

function rowOf({ row }: Item): EndpointRow {
  return JSON.parse(row?.S as string) as EndpointRow;
}
