import { type AttributeValue, BatchWriteItemCommand, paginateQuery } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../functions/basics/in-parallel.ts';
import type { Completion } from '../../functions/model/process-state.ts';
import { groupsOf } from '../../functions/schedule/groups.ts';
import { createWorkspaceRows } from '../../functions/store/dynamo/workspaces.ts';
import { processesOf, type Size } from './sizes.ts';
import { PROCESS, type World } from './world.ts';

/** Gives every process of this size the rows of the one that was walked, except its snapshots. */
export async function cloneProgress(size: Size, world: World): Promise<void> {
  const rows = [...(await itemsOf(world, 'STATE')), ...(await itemsOf(world, 'PASS#'))];
  const [first, ...others] = processesOf(size);
  const pk = rows[0]?.pk?.S ?? '';
  const puts = others.flatMap(({ workspace, processId }) =>
    rows.map(row => ({
      PutRequest: {
        Item: {
          ...row,
          pk: { S: pk.replace(`#${first?.workspace}#`, `#${workspace}#`).replace(/[^#]*$/, processId) },
        },
      },
    })),
  );
  const { client, tableName } = world.table;
  const batches = Array.from({ length: Math.ceil(puts.length / 25) }, (_, at) =>
    puts.slice(25 * at, 25 * (at + 1)),
  );
  await inParallel(batches, 8, batch =>
    client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: batch } })),
  );
}

/** Has every process of this size found nothing a moment ago, in its last pass. */
export async function completeAll(size: Size, world: World): Promise<void> {
  const now = Date.now() + world.ahead();
  const completion: Completion = {
    ...{ completedAt: now, pace: undefined, hold: undefined, released: false, skipped: 0 },
    ...{ sweepCompletedAt: now, isSweepUnfinished: false, sweepLeasedUntil: undefined },
  };
  const rows = createWorkspaceRows(world.table);
  await inParallel(groupsOf(processesOf(size)), 8, ({ workspace, index, processes }) =>
    rows.complete(workspace, index, () => new Map(processes.map(({ processId }) => [processId, completion]))),
  );
}

export type Item = Record<string, AttributeValue>;

/** The rows of a partition whose sort key begins with `prefix`; by default the partition of the process
 *  that is walked. */
export async function itemsOf({ table }: World, prefix: string, pk = `W#w1#P#${PROCESS}`): Promise<Item[]> {
  const items: Item[] = [];
  const query = {
    TableName: table.tableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': { S: pk }, ':prefix': { S: prefix } },
  };
  for await (const { Items = [] } of paginateQuery({ client: table.client }, query)) items.push(...Items);
  return items;
}

/** Mean bytes of these items. */
export const meanSize = (items: readonly Item[]) =>
  Math.round(items.reduce((sum, item) => sum + sizeOf(item), 0) / Math.max(1, items.length));

/** Bytes for storage: names and values, and the 100 that DynamoDB adds to each item. */
function sizeOf(item: Item): number {
  const lengths = Object.entries(item).map(([name, value]) => {
    const { S, N, B } = value;
    if (S !== undefined) return name.length + Buffer.byteLength(S);
    return name.length + (B ?? N ?? JSON.stringify(value)).length;
  });
  return lengths.reduce((sum, length) => sum + length, 100);
}
