import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { checkLayout } from './layout.ts';
import type { Table } from './table.ts';

/** The stack's table, as a function uses it.
 *  @throws unless its layout is the one that this code knows */
export async function openTable(
  tableName: string,
  options: DynamoDBClientConfig,
  patience: Table['patience'],
): Promise<Table> {
  const client = new DynamoDBClient(options);
  // This middleware copies each answer for a logger, and no logger is configured.
  client.middlewareStack.remove('loggerMiddleware');
  const table = { client, tableName, patience };
  await checkLayout(table);
  return table;
}
