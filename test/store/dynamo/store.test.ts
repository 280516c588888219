import { createServer } from 'node:http';
import { GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LayoutError, TABLE_LAYOUT } from '../../../functions/store/dynamo/layout.ts';
import { getItem } from '../../../functions/store/dynamo/requests.ts';
import { openDynamoStore } from '../../../functions/store/dynamo/store.ts';
import { LAYOUT_KEY } from '../../../functions/store/keys.ts';
import { clientOptions } from '../../kit/dynamodb/dynamodb.ts';
import { listen } from '../../kit/listen.ts';
import { TABLE_NAME, TABLE_TIMING } from '../../kit/table.ts';
import { TableModel } from '../../simulation/models/table.ts';

const COMMANDS: Readonly<Record<string, new (input: never) => object>> = {
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Scan: ScanCommand,
};

/** The model of the table over HTTP (AWS JSON 1.0), for single items without binary values, to DynamoDB's
 *  own clients. */
async function startModelServer(tableName: string) {
  const model = new TableModel(tableName);
  const server = createServer(async (request, response) => {
    const chunks = await request.setEncoding('utf8').toArray();
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    let [status, body]: [number, unknown] = [200, undefined];
    try {
      const Command = COMMANDS[operation];
      if (!Command) throw new Error(`${operation} is not served.`);
      body = model.run(new Command(JSON.parse(chunks.join('')) as never));
    } catch (error) {
      const { name, message } = error as Error;
      [status, body] = [400, { __type: name, message }];
    }
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(body));
  });
  const { url: endpoint, stop } = await listen(server);
  return { clientOptions: clientOptions(endpoint), stop };
}

describe('the table of a function', () => {
  let server: Awaited<ReturnType<typeof startModelServer>>;
  beforeEach(async () => {
    server = await startModelServer(TABLE_NAME);
    return server.stop;
  });
  const open = async () => {
    const { table } = await openDynamoStore(TABLE_NAME, { client: server.clientOptions, ...TABLE_TIMING });
    onTestFinished(() => table.client.destroy());
    return table;
  };

  it('is opened with its layout, by a client that hands no answer to a logger', async () => {
    const table = await open();
    expect(table).toMatchObject({ tableName: TABLE_NAME, timing: TABLE_TIMING });
    const layout = { ...LAYOUT_KEY, version: { N: String(TABLE_LAYOUT) } };
    expect(await getItem(table, LAYOUT_KEY)).toEqual(layout);
    const steps = table.client.middlewareStack.identify();
    expect(steps.filter(step => step.includes('loggerMiddleware'))).toEqual([]);
    expect(steps.filter(step => step.includes('retryMiddleware'))).toHaveLength(1);
  });

  it('is not opened where its layout is another version’s', async () => {
    const { client } = await open();
    const Item = { ...LAYOUT_KEY, version: { N: '1' } };
    await client.send(new PutItemCommand({ TableName: TABLE_NAME, Item }));
    await expect(open()).rejects.toThrow(LayoutError);
  });
});
