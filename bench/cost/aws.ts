import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Listening } from '../../test/kit/listen.ts';
import { listen } from './proxy.ts';
import { published, queued, type Sent } from './queues.ts';
import type { Recorder } from './recorder.ts';
import type { Party } from './used.ts';

export interface CountingAws extends Listening {
  /** Messages that were sent since the last call of `takeSent`. */
  takeSent(): Sent[];
}

interface Parts {
  /** The address of the embedded DynamoDB. */
  readonly dynamodb: string;
  readonly recorder: Recorder;
  readonly secrets: { readonly credentials: string; parameter(name: string): string };
  readonly sent: Sent[];
}

/** A request of a function. `command` is `<service>.<operation>`. */
interface Asked {
  readonly command: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A stand-in for every AWS service that a function calls: DynamoDB is the embedded one, the others count requests and
 *  return minimal answers. Unknown requests are rejected, so that every request is counted. */
export async function startCountingAws(
  dynamodb: string,
  recorder: Recorder,
  secrets: Parts['secrets'],
): Promise<CountingAws> {
  const sent: Sent[] = [];
  const server = createServer(async (request, response) => {
    const [body, { headers, url = '/' }] = [await text(request), request];
    const asked = { command: commandOf(headers, url, body), headers, body };
    const answer = await answerTo(asked, { dynamodb, recorder, secrets, sent }).catch(error => ({
      status: 400,
      body: JSON.stringify({ __type: 'NotCounted', message: String(error) }),
    }));
    response.statusCode = answer.status;
    response.end(answer.body);
  });
  return { ...(await listen(server)), takeSent: () => sent.splice(0) };
}

/** The name of each service in requests, and whose latency it has. */
const SERVICES: Readonly<Record<string, Party>> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  AmazonSSM: 'ssm',
  secretsmanager: 'secretsmanager',
};

function commandOf(headers: IncomingHttpHeaders, url: string, body: string): string {
  const [service = '', command = ''] = String(headers['x-amz-target'] ?? '').split('.');
  if (service !== '') return `${SERVICES[service] ?? service}.${command}`;
  if (url.includes('/event-source-mappings')) return 'lambda.GetEventSourceMapping';
  return `sns.${new URLSearchParams(body).get('Action') ?? url}`;
}

async function answerTo(asked: Asked, parts: Parts): Promise<Answer> {
  const { command, body } = asked;
  const [party = '', name = ''] = command.split('.');
  const answer = (make: () => unknown) => {
    parts.recorder.add({ requests: { [command]: 1 } });
    return parts.recorder.late(party as Party, async () => ({ status: 200, body: JSON.stringify(make()) }));
  };
  if (party === 'dynamodb') return fromTable(name, asked, parts);
  if (party === 'sqs') return answer(() => queued(name, JSON.parse(body), parts));
  switch (command) {
    case 'ssm.GetParameter': {
      const { Name } = JSON.parse(body) as { Name: string };
      return answer(() => ({ Parameter: { Name, Value: parts.secrets.parameter(Name) } }));
    }
    case 'secretsmanager.GetSecretValue':
      return answer(() => ({ SecretString: parts.secrets.credentials }));
    case 'lambda.GetEventSourceMapping':
      return answer(() => ({ State: 'Enabled', LastProcessingResult: 'OK' }));
    case 'sns.ListSubscriptionsByTopic':
    case 'sns.PublishBatch': {
      const xml = published(name, new URLSearchParams(body), parts);
      return { ...(await answer(() => '')), body: xml };
    }
    default:
      throw new Error(`${command} is not counted.`);
  }
}

async function fromTable(
  name: string,
  { headers, body }: Asked,
  { dynamodb, recorder }: Parts,
): Promise<Answer> {
  recorder.add({ requests: { [`dynamodb.${name}`]: 1 } });
  return recorder.late('dynamodb', async () => {
    const asked = await fetch(dynamodb, {
      method: 'POST',
      headers: signed(headers),
      body: JSON.stringify({ ...JSON.parse(body), ReturnConsumedCapacity: 'TOTAL' }),
    });
    const answer = { status: asked.status, body: await asked.text() };
    recorder.add(unitsOf(name, answer));
    return answer;
  });
}

/** The headers that the embedded DynamoDB needs. It does not check the signature, which was made for
 *  another body. */
function signed(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['content-type', 'x-amz-target', 'x-amz-date', 'authorization'];
  return Object.fromEntries(names.map(name => [name, String(headers[name])]));
}

const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems', 'BatchWriteItem']);

/** The units of a request, as the embedded DynamoDB counts them. It does not count a write whose
 *  condition fails, which costs at least one. */
function unitsOf(name: string, { status, body }: Answer) {
  const isWrite = WRITES.has(name);
  if (status !== 200) return isWrite ? { writeUnits: 1 } : {};
  const { ConsumedCapacity = [] } = JSON.parse(body) as {
    ConsumedCapacity?: { CapacityUnits: number } | { CapacityUnits: number }[];
  };
  const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
  return isWrite ? { writeUnits: units } : { readUnits: units };
}
