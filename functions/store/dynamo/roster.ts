import { DeleteItemCommand, PutItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../basics/in-parallel.ts';
import type { ProcessKey } from '../../basics/process.ts';
import {
  DEBT,
  type Key,
  PROJECT_PREFIX,
  partition,
  passKey,
  processIn,
  ROSTER,
  rosterKey,
  STATE_PART,
  seenKey,
  stateKey,
  TOMBSTONE,
  usersKey,
} from '../keys.ts';
import type { Forgotten, Roster } from '../roster.ts';
import { NOT_WALKED } from './conditions.ts';
import { firstOf, queryItems } from './query-items.ts';
import { patiently, type Table } from './table.ts';
import { transact } from './transact.ts';

/** Writes under way at once. */
const WIDTH = 20;
const IS_PROJECT = { ProjectionExpression: 'projectId', FilterExpression: 'attribute_exists(projectId)' };

/** The roster of a DynamoDB table, which also knows since when. */
export interface TableRoster extends Roster {
  /** @returns since when each is remembered, in ms since 1970 by the table's clock */
  remember<Process extends ProcessKey>(processes: readonly Process[]): Promise<ReadonlyMap<Process, number>>;
}

/** The processes of a table: a row each, in one partition. */
export function createRoster(table: Table): TableRoster {
  // Needs no refresh: the configuration doesn't change while a program runs, and no configured process is
  // forgotten.
  const remembered = new Map<string, number>();
  const list = async () => {
    const found: ProcessKey[] = [];
    for await (const item of queryItems(table, ROSTER, undefined)) {
      const { sk, since } = item as { sk: { S: string }; since: { N: string } };
      const process = processIn(sk.S);
      found.push(process);
      remembered.set(partition(process), Number(since.N));
    }
    return found;
  };
  return {
    list,
    async remember(processes) {
      const isNew = (process: ProcessKey) => !remembered.has(partition(process));
      if (processes.some(isNew)) await list();
      await inParallel(processes.filter(isNew), WIDTH, async process => {
        const since = table.patience.clock();
        const Item = { ...rosterKey(process), since: { N: String(since) } };
        const put = { TableName: table.tableName, Item };
        await patiently(table, () => table.client.send(new PutItemCommand(put)));
        remembered.set(partition(process), since);
      });
      return new Map(processes.map(each => [each, remembered.get(partition(each)) as number]));
    },
    async count(process, most) {
      const items = queryItems(table, partition(process), PROJECT_PREFIX, { ...IS_PROJECT, first: most });
      return (await firstOf(items, most)).length;
    },
    forget(process, page) {
      remembered.delete(partition(process));
      return forget(table, process, page);
    },
  };
}

/** Deletes the state first, with the users, in one transaction, then the rest a page at a time. If the process is configured
 *  again before all is deleted, it begins with a baseline, which takes the snapshots that are left for what
 *  it read earlier. So nothing is told of what is deleted. */
async function forget(
  table: Table,
  process: ProcessKey,
  { now, most }: { readonly now: number; readonly most: number },
): Promise<Forgotten> {
  const TableName = table.tableName;
  const isFree = {
    ConditionExpression: NOT_WALKED,
    ExpressionAttributeValues: { ':now': { N: String(now) } },
  };
  const begun: TransactWriteItem[] = [
    { Delete: { TableName, Key: stateKey(process) } },
    { Delete: { TableName, Key: seenKey(process) } },
    { Delete: { TableName, Key: usersKey(process) } },
    { Delete: { TableName, Key: passKey(process, 'changes'), ...isFree } },
    { Delete: { TableName, Key: passKey(process, 'sweep'), ...isFree } },
  ];
  if ((await transact(table, begun)) === 'conflict') return 'busy';
  const items = await firstOf(itemsOf(table, process, most), most);
  await inParallel(items, WIDTH, ({ pk, sk }) => remove(table, { pk, sk }));
  const isProject = ({ sk, projectId }: Row) => projectId !== undefined && sk.S.startsWith(PROJECT_PREFIX);
  const projects = items.filter(isProject).length;
  if (items.length === most) return { projects, isDone: false };
  await remove(table, rosterKey(process));
  return { projects, isDone: true };
}

/** What a process has beside its state. Rows of projects and of debts have a `projectId`; further parts of a snapshot have none. */
type Row = Key & { readonly projectId?: { readonly S: string } };

async function* itemsOf(table: Table, process: ProcessKey, first: number): AsyncIterable<Row> {
  // Stryker disable next-line ObjectLiteral: without it more is read than needed, and no more comes of that
  const keys = { ProjectionExpression: 'pk, sk, projectId', first };
  for (const prefix of [STATE_PART, DEBT, TOMBSTONE, PROJECT_PREFIX])
    yield* queryItems(table, partition(process), prefix, keys) as unknown as AsyncIterable<Row>;
}

async function remove(table: Table, key: Key): Promise<void> {
  const command = new DeleteItemCommand({ TableName: table.tableName, Key: key });
  await patiently(table, () => table.client.send(command));
}
