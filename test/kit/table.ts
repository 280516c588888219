import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { Table, TableTiming } from '../../functions/store/dynamo/table.ts';
import { modelClient, TableModel } from '../simulation/models/table.ts';
import { clientOptions, type EmbeddedDynamoDb, hasEmbedded, startDynamoDb } from './dynamodb/dynamodb.ts';

export const TABLE_NAME = 'changewire';

/** Repeats at once, without a pause. */
export const TABLE_TIMING: TableTiming = { clock: Date.now, random: () => 0.5, sleep: async () => undefined };

/** Which table tests run over. By default the model; tests that compare the model with DynamoDB also use
 *  the embedded DynamoDB. `dynamodb`: all tests use the embedded one. `model`: none does, for mutation
 *  tests, which run each test many times, and for machines without an embedded DynamoDB. */
const asked = process.env.TEST_TABLE;
export const usesModel = asked === 'model' || !hasEmbedded();

export interface TestTable extends Table {
  stop(): Promise<void>;
}

/** An empty table, in memory: the model, unless TEST_TABLE asks for the embedded DynamoDB. */
export async function openTable(): Promise<TestTable> {
  return asked === 'dynamodb' ? startTable() : { ...openModel(), stop: async () => undefined };
}

/** The model of an empty table, and a client that reaches nothing else. `before` gets each command first, and may
 *  answer it or throw. */
export function openModel(before?: (command: object) => unknown) {
  const model = new TableModel(TABLE_NAME);
  return {
    client: modelClient(async command => (before && (await before(command))) ?? model.run(command)),
    tableName: TABLE_NAME,
    timing: TABLE_TIMING,
    model,
  };
}

/** An embedded DynamoDB with an empty table, in memory. */
export const startTable = () => startTableOn(startDynamoDb);

export type StartedTable = Awaited<ReturnType<typeof startTable>>;

/** Another DynamoDB, over which the contract of the stores runs as well: DynamoDB Local, another emulator, or that of AWS. */
export const namedEndpoint = process.env.TEST_DYNAMODB_ENDPOINT;

/** Whether the contract of the stores runs over a DynamoDB, and not over its model, which has a contract with the embedded one. */
export const isReal = asked === 'dynamodb' || namedEndpoint !== undefined;

/** A table of its own at `endpoint`; closing deletes it. The environment may have credentials and a region. */
export async function startTableAt(endpoint: string): Promise<StartedTable> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION } = process.env;
  const { region, credentials } = clientOptions(endpoint);
  const own = {
    accessKeyId: AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: AWS_SECRET_ACCESS_KEY ?? '',
    ...(AWS_SESSION_TOKEN !== undefined && { sessionToken: AWS_SESSION_TOKEN }),
  };
  const options = {
    endpoint,
    region: AWS_REGION ?? region,
    credentials: AWS_ACCESS_KEY_ID ? own : credentials,
  };
  const database = { endpoint, clientOptions: options, stop: async () => undefined };
  const table = await startTableOn(async () => database, `${TABLE_NAME}-test-${randomUUID()}`);
  const stop = async () => {
    await table.client.send(new DeleteTableCommand({ TableName: table.tableName }));
    await table.stop();
  };
  return { ...table, stop };
}

/** Creates a table as the stack creates it, but that items do not expire. */
export async function createTable(client: DynamoDBClient, TableName: string): Promise<{ streamArn: string }> {
  const keys = [
    ['pk', 'HASH'],
    ['sk', 'RANGE'],
  ] as const;
  const { TableDescription } = await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: keys.map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
      AttributeDefinitions: keys.map(([AttributeName]) => ({ AttributeName, AttributeType: 'S' })),
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName });
  return { streamArn: TableDescription?.LatestStreamArn as string };
}

/** A DynamoDB with an empty table; closing the table stops it. */
async function startTableOn(start: () => Promise<EmbeddedDynamoDb>, tableName = TABLE_NAME) {
  const database = await start();
  const client = new DynamoDBClient(database.clientOptions);
  try {
    const { streamArn } = await createTable(client, tableName);
    return {
      client,
      tableName,
      timing: TABLE_TIMING,
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
