import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SYSTEM } from '../../functions/basics/system.ts';
import { openDynamoStore } from '../../functions/store/dynamo/store.ts';
import { openSqliteStore } from '../../functions/store/sqlite/store.ts';
import type { Snapshots, WorkspaceRows } from '../../functions/store/store.ts';
import { countTable, NOTHING_COUNTED, type TableCounts } from './table-counts.ts';

/** Where a poller keeps its state. */
export type StoreOptions =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'dynamodb'; readonly tableName: string; readonly client: object };

export interface OpenStore {
  readonly snapshots: Snapshots;
  readonly rows: WorkspaceRows;
  /** What was asked of a DynamoDB since the last call. */
  takeCounts(): TableCounts;
}

export async function openStore(options: StoreOptions): Promise<OpenStore> {
  if (options.kind === 'sqlite') {
    const { snapshots, workspaces: rows } = openSqliteStore(options.path);
    return { snapshots, rows, takeCounts: () => NOTHING_COUNTED };
  }
  const {
    table,
    snapshots,
    workspaces: rows,
  } = await openDynamoStore(options.tableName, {
    client: options.client,
    ...SYSTEM,
  });
  const takeCounts = countTable(table.client as DynamoDBClient);
  return { snapshots, rows, takeCounts };
}
