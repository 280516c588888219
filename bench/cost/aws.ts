import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Listening, listen } from './proxy.ts';
import type { Recorder } from './recorder.ts';
import type { Party } from './used.ts';

/** A message that a function sent to a queue, or published (`queue` is the topic's name then). */
export interface Sent {
  readonly queue: string;
  readonly body: string;
  readonly group?: string | undefined;
  /** As SQS tells them of a raw delivery. */
  readonly attributes: Readonly<Record<string, { DataType: string; StringValue?: string }>>;
}

export interface CountingAws extends Listening {
  /** Messages that were sent since `takeSent` was called last. */
  takeSent(): Sent[];
}

interface Secrets {
  readonly credentials: string;
  parameter(name: string): string;
}

/** One address for every service of AWS that a function calls: DynamoDB is the embedded one, the others take and count what they are told. */
export async function startCountingAws(
  dynamodb: string,
  recorder: Recorder,
  secrets: Secrets,
): Promise<CountingAws> {
  let sent: Sent[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const target = String(request.headers['x-amz-target'] ?? '');
    const [service = '', command = ''] = target.split('.');
    const answer = (party: Party, name: string, make: () => Promise<string> | string) => {
      recorder.add({ requests: { [`${party}.${name}`]: 1 } });
      return recorder.late(party, async () => make());
    };
    const json = (value: unknown) => JSON.stringify(value);
    let reply: string | undefined;
    let status = 200;
    if (service.startsWith('DynamoDB')) {
      reply = await answer('dynamodb', command, async () => {
        const asked = await fetch(dynamodb, {
          method: 'POST',
          headers: signed(request.headers),
          body: json({ ...JSON.parse(body), ReturnConsumedCapacity: 'TOTAL' }),
        });
        status = asked.status;
        const answered = await asked.text();
        recorder.add(unitsOf(command, answered, status));
        return answered;
      });
    } else if (service === 'AmazonSQS') {
      reply = await answer('sqs', command, () => json(queued(command, JSON.parse(body), recorder, sent)));
    } else if (service === 'AmazonSSM') {
      const { Name } = JSON.parse(body) as { Name: string };
      reply = await answer('ssm', command, () =>
        json({ Parameter: { Name, Value: secrets.parameter(Name) } }),
      );
    } else if (service === 'secretsmanager') {
      reply = await answer('secretsmanager', command, () => json({ SecretString: secrets.credentials }));
    } else if (request.url?.includes('/event-source-mappings')) {
      reply = await answer('lambda', 'GetEventSourceMapping', () =>
        json({ State: 'Enabled', LastProcessingResult: 'OK' }),
      );
    } else {
      const form = new URLSearchParams(body);
      const action = form.get('Action') ?? `${request.method} ${request.url} ${target}`;
      response.setHeader('content-type', 'text/xml');
      reply = await answer('sns', action, () => topic(action, form, recorder, sent));
    }
    response.statusCode = status;
    response.end(reply);
  });
  return {
    ...(await listen(server)),
    takeSent() {
      const taken = sent;
      sent = [];
      return taken;
    },
  };
}

/** Those that the embedded DynamoDB wants to see; it does not check the signature, which was made over another body. */
function signed(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['content-type', 'x-amz-target', 'x-amz-date', 'authorization'];
  return Object.fromEntries(names.map(name => [name, String(headers[name])]));
}

const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems', 'BatchWriteItem']);

/** As the embedded DynamoDB counts them. A condition that fails it does not count: at least one unit. */
function unitsOf(command: string, answer: string, status: number) {
  const isWrite = WRITES.has(command);
  if (status !== 200) return isWrite ? { writeUnits: 1 } : {};
  const { ConsumedCapacity = [] } = JSON.parse(answer) as {
    ConsumedCapacity?: { CapacityUnits: number } | { CapacityUnits: number }[];
  };
  const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
  return isWrite ? { writeUnits: units } : { readUnits: units };
}

const CHUNK = 65_536;
const chunks = (bytes: number) => Math.max(1, Math.ceil(bytes / CHUNK));
const md5 = (body: string) => createHash('md5').update(body).digest('hex');

interface Entry {
  readonly Id?: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly MessageAttributes?: Sent['attributes'];
}

/** SQS's answer to a command of a function. */
function queued(
  command: string,
  asked: { QueueUrl: string; Entries?: Entry[] } & Entry,
  recorder: Recorder,
  sent: Sent[],
): unknown {
  const queue = asked.QueueUrl.split('/').at(-1) ?? '';
  if (command !== 'SendMessage' && command !== 'SendMessageBatch') {
    recorder.add({ sqs: 1 });
    return command === 'GetQueueAttributes'
      ? { Attributes: { ApproximateNumberOfMessages: '0', ApproximateNumberOfMessagesNotVisible: '0' } }
      : {};
  }
  const entries = asked.Entries ?? [asked];
  const billed = chunks(entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0));
  const grouped = entries.some(({ MessageGroupId }) => MessageGroupId !== undefined);
  recorder.add({ sqs: billed, sqsGrouped: grouped ? billed : 0 });
  for (const { MessageBody, MessageGroupId, MessageAttributes = {} } of entries)
    sent.push({ queue, body: MessageBody, group: MessageGroupId, attributes: MessageAttributes });
  const Successful = entries.map(({ Id, MessageBody }) => ({
    Id,
    MessageId: 'counted',
    MD5OfMessageBody: md5(MessageBody),
  }));
  return asked.Entries ? { Successful, Failed: [] } : Successful[0];
}

/** SNS's answer, in XML. */
function topic(action: string, form: URLSearchParams, recorder: Recorder, sent: Sent[]): string {
  if (action === 'ListSubscriptionsByTopic')
    return `<${action}Response><${action}Result><Subscriptions/></${action}Result></${action}Response>`;
  if (action !== 'PublishBatch') throw new Error(`Nobody counts ${action}.`);
  const ids: string[] = [];
  for (let index = 1; ; index++) {
    const entry = `PublishBatchRequestEntries.member.${index}`;
    const id = form.get(`${entry}.Id`);
    if (id === null) break;
    ids.push(id);
    const body = form.get(`${entry}.Message`) ?? '';
    recorder.add({ published: chunks(Buffer.byteLength(body)) });
    const attributes: Record<string, { DataType: string; StringValue?: string }> = {};
    for (let at = 1; form.has(`${entry}.MessageAttributes.entry.${at}.Name`); at++) {
      const attribute = `${entry}.MessageAttributes.entry.${at}`;
      attributes[form.get(`${attribute}.Name`) ?? ''] = {
        DataType: form.get(`${attribute}.Value.DataType`) ?? 'String',
        StringValue: form.get(`${attribute}.Value.StringValue`) ?? '',
      };
    }
    sent.push({ queue: 'topic', body, attributes });
  }
  const members = ids
    .map(id => `<member><Id>${id}</Id><MessageId>counted-${id}</MessageId></member>`)
    .join('');
  return `<PublishBatchResponse><PublishBatchResult><Successful>${members}</Successful><Failed/></PublishBatchResult></PublishBatchResponse>`;
}
