import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Patience, Table } from '../../functions/snapshots/table.ts';
import { startDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { ensureTable } from '../../local/dynamodb/table.ts';
import { modelClient, TableModel } from '../simulation/models/table.ts';

export const TABLE_NAME = 'changewire';

/** What is tried again is so at once. */
export const PATIENCE: Patience = { clock: Date.now, random: () => 0.5, sleep: async () => undefined };

/** True when tests run over the table's model instead of the embedded DynamoDB: mutation tests do, because they run
 *  each test many times. */
export const usesModel = process.env.TEST_TABLE === 'model';

export interface TestTable extends Table {
  stop(): Promise<void>;
}

/** An empty table, in memory: the embedded DynamoDB's, unless TEST_TABLE asks for its model. */
export async function openTable(): Promise<TestTable> {
  return usesModel ? { ...openModel(), stop: async () => undefined } : startTable();
}

/** The model of an empty table, and a client that knows nothing else. */
export function openModel() {
  const model = new TableModel(TABLE_NAME);
  return {
    client: modelClient(async command => model.run(command)),
    tableName: TABLE_NAME,
    patience: PATIENCE,
    model,
  };
}

/** An embedded DynamoDB with an empty table, in memory. */
export async function startTable() {
  const database = await startDynamoDb();
  const client = new DynamoDBClient(database.clientOptions);
  try {
    const { streamArn } = await ensureTable(client, TABLE_NAME);
    return {
      client,
      tableName: TABLE_NAME,
      patience: PATIENCE,
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
