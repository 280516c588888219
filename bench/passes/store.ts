import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SYSTEM } from '../../functions/basics/system.ts';
import { openTable } from '../../functions/store/dynamo/layout.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import { openDatabase } from '../../functions/store/sqlite/database.ts';
import { SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { sqliteSnapshots } from '../../functions/store/sqlite/store.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { countTable, NOTHING_COUNTED, type TableCounts } from './table-counts.ts';

/** Where a poller keeps its state. */
export type StoreOptions =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'dynamodb'; readonly tableName: string; readonly client: object };

export interface OpenStore {
  readonly snapshots: Snapshots;
  /** What was asked of a DynamoDB since the last call. */
  takeCounts(): TableCounts;
}

export async function openStore(options: StoreOptions): Promise<OpenStore> {
  if (options.kind === 'sqlite') {
    const database = openDatabase(options.path, [SNAPSHOTS_SCHEMA]);
    return { snapshots: sqliteSnapshots(database), takeCounts: () => NOTHING_COUNTED };
  }
  const table = await openTable(options.tableName, options.client, SYSTEM);
  const takeCounts = countTable(table.client as DynamoDBClient);
  return { snapshots: createSnapshots(table), takeCounts };
}
