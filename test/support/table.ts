import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ensureTable } from '../../local/stream/ensure-table.ts';
import { modelClient, TableModel } from '../simulation/models/table.ts';
import { hasEmbedded } from './dynamodb/binary.ts';
import { startDynamoDb } from './dynamodb/dynamodb.ts';

export const TABLE_NAME = 'changewire';

/** True when tests run over the table's model instead of the embedded DynamoDB: mutation tests do, because they run
 *  each test many times, and so do all where there is none for the platform. */
export const usesModel = process.env.TEST_TABLE === 'model' || !hasEmbedded();

export interface TestTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  stop(): Promise<void>;
}

/** An empty table, in memory: the embedded DynamoDB's, unless TEST_TABLE asks for its model. */
export async function openTable(): Promise<TestTable> {
  return usesModel ? { ...openModel(), stop: async () => undefined } : startTable();
}

/** The model of an empty table, and a client that knows nothing else. */
export function openModel() {
  const model = new TableModel(TABLE_NAME);
  return { client: modelClient(async command => model.run(command)), tableName: TABLE_NAME, model };
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
