import { createServer, type IncomingMessage } from 'node:http';
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ResourceNotFoundException,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { TableModel } from '../../simulation/models/table.ts';
import { listen } from '../listen.ts';
import { clientOptions, type EmbeddedDynamoDb } from './dynamodb.ts';
import { MODEL_STREAM, modelStreams } from './model-streams.ts';

type Json = Record<string, unknown>;
type Operation = () => unknown;

const COMMANDS: Readonly<Record<string, new (input: never) => object>> = {
  BatchGetItem: BatchGetItemCommand,
  DeleteItem: DeleteItemCommand,
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  TransactWriteItems: TransactWriteItemsCommand,
  UpdateItem: UpdateItemCommand,
};

/** The model of the table, with its stream, behind HTTP (AWS JSON 1.0), so that other processes can use
 *  it with DynamoDB's clients. */
export async function startModelServer(tableName: string): Promise<EmbeddedDynamoDb> {
  const model = new TableModel(tableName);
  const administration = administrationOf();
  const streams = modelStreams(model, () => 0);
  const run = async (target: string, input: Json): Promise<unknown> => {
    const [service = '', operation = ''] = target.split('.');
    if (service.startsWith('DynamoDBStreams')) return streams.send({ input } as never);
    const administrate = administration[operation];
    if (administrate) return administrate();
    const Command = COMMANDS[operation];
    if (Command === undefined) throw new Error(`${target} is not served.`);
    // The token makes a repeated request harmless; here none is repeated.
    const { ClientRequestToken: _, ...known } = input;
    return model.run(new Command(known as never));
  };
  const server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target']);
    const answered = await run(target, await inputOf(request)).then(
      output => ({ status: 200, body: toWire(output) }),
      error => ({ status: 400, body: { ...toWire(error), __type: error.name, message: error.message } }),
    );
    response.writeHead(answered.status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answered.body));
  });
  const { url: endpoint, stop } = await listen(server);
  return { endpoint, clientOptions: clientOptions(endpoint), stop };
}

/** The operations that create and describe the table, which the model always has. */
function administrationOf(): Readonly<Record<string, Operation>> {
  let isThere = false;
  const table = () => ({
    Table: {
      TableStatus: 'ACTIVE',
      StreamSpecification: { StreamEnabled: true },
      LatestStreamArn: MODEL_STREAM,
    },
  });
  return {
    CreateTable: () => {
      isThere = true;
      return {};
    },
    DescribeTable: () => {
      if (isThere) return table();
      throw new ResourceNotFoundException({ message: 'There is no table.', $metadata: {} });
    },
    DescribeTimeToLive: () => ({ TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } }),
    UpdateTimeToLive: () => ({}),
  };
}

async function inputOf(request: IncomingMessage): Promise<Json> {
  const chunks = await request.setEncoding('utf8').toArray();
  const isBinary = (key: string, value: unknown) => key === 'B' && typeof value === 'string';
  return JSON.parse(chunks.join(''), (key, value) =>
    isBinary(key, value) ? Buffer.from(value, 'base64') : value,
  );
}

/** A value as JSON: bytes as base64, times in seconds. */
function toWire(value: unknown): Json {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64') as unknown as Json;
  if (value instanceof Date) return (value.getTime() / 1000) as unknown as Json;
  if (Array.isArray(value)) return value.map(toWire) as unknown as Json;
  if (typeof value !== 'object' || value === null) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toWire(part)]));
}
