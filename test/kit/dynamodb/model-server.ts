import { createServer } from 'node:http';
import { GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { TableModel } from '../../simulation/models/table.ts';
import { listen } from '../listen.ts';
import { clientOptions, type EmbeddedDynamoDb } from './dynamodb.ts';

const COMMANDS: Readonly<Record<string, new (input: never) => object>> = {
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Scan: ScanCommand,
};

/** The model of the table over HTTP (AWS JSON 1.0), for single items without binary values, to DynamoDB's
 *  own clients. */
export async function startModelServer(tableName: string): Promise<EmbeddedDynamoDb> {
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
  return { endpoint, clientOptions: clientOptions(endpoint), stop };
}
