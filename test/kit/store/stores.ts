import { DeleteItemCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { dynamoStore } from '../../../functions/store/dynamo/store.ts';
import type { Table } from '../../../functions/store/dynamo/table.ts';
import type { Keep } from '../../../functions/store/limits.ts';
import { PUBLISHER } from '../../../functions/store/sqlite/journal.ts';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import type { Store } from '../../../functions/store/store.ts';
import { dropExpired } from '../../../local/cli/housekeeping.ts';
import { TABLES } from './tables.ts';

/** A store under test, of whatever kind, that is empty when it is opened. */
export interface TestStore extends Store {
  /** Deletes the rows that have expired at this time, in ms since 1970. */
  expire(now: number): Promise<void>;
  stop(): Promise<void>;
}

async function openInMemory(keep?: Keep): Promise<TestStore> {
  const store = openSqliteStore(':memory:', { keep });
  const expire = async (now: number) => {
    store.feed.moveTo(PUBLISHER, Number.MAX_SAFE_INTEGER);
    await dropExpired(store, now, async () => undefined, new AbortController().signal);
  };
  return { ...store, expire, stop: async () => store.close() };
}

/** What DynamoDB does by itself within days. */
async function expireRows({ client, tableName: TableName }: Table, now: number): Promise<void> {
  for await (const { Items = [] } of paginateScan(
    { client: client as DynamoDBClient },
    { TableName, ConsistentRead: true },
  ))
    for (const { pk, sk, expiresAt } of Items)
      if (pk && sk && expiresAt && Number(expiresAt.N) * 1_000 <= now)
        await client.send(new DeleteItemCommand({ TableName, Key: { pk, sk } }));
}

/** The stores that must behave alike. */
export const STORES: readonly (readonly [name: string, open: (keep?: Keep) => Promise<TestStore>])[] = [
  ...TABLES.map(([name, open]) => {
    const openStore = async (keep?: Keep): Promise<TestStore> => {
      const { stop, ...table } = await open();
      let drawn = 0;
      // No two callers get the same name or revision by them.
      const random = () => (++drawn % 1_000) / 1_000;
      const clock = () => Date.now() + drawn;
      const timing = { ...table.timing, random, clock };
      return { ...dynamoStore({ ...table, timing, keep }), expire: now => expireRows(table, now), stop };
    };
    return [name, openStore] as const;
  }),
  ['SQLite', openInMemory],
];
