import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { ensureTable } from '../../local/dynamodb/table.ts';

export const TABLE_NAME = 'changewire';

/** An embedded DynamoDB with an empty table, in memory. */
export async function startTable() {
  const database = await startDynamoDb();
  const client = new DynamoDBClient(database.clientOptions);
  try {
    const { streamArn } = await ensureTable(client, TABLE_NAME);
    return {
      client,
      tableName: TABLE_NAME,
      streamArn,
      clientOptions: database.clientOptions,
      stop: async () => {
        client.destroy();
        await database.stop();
      },
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

export type TestTable = Awaited<ReturnType<typeof startTable>>;
