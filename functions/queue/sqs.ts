import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
  type Message as SqsMessage,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { assert } from '../basics/assert.ts';
import { inParallel } from '../basics/in-parallel.ts';
import type { Count } from '../basics/telemetry.ts';
import type { LambdaContext, Message, NewMessage, Queue, Serve, Unsent } from './queue.ts';

type Client = Pick<SQSClient, 'send'>;

/** SQS's limit of messages in one request. */
const MAX_MESSAGES = 10;
/** SQS's limit of bytes in one request, and the allowance for the attributes of one message. */
const MAX_REQUEST_BYTES = 1_000_000;
const ATTRIBUTES_BYTES = 500;
/** One event for a thousand endpoints takes a hundred requests. */
const CONCURRENCY = 10;
/** After this many failed requests, SQS counts as down: further ones would only take time. */
const MAX_FAILED_REQUESTS = 10;

/** A standard queue of SQS. Its groups are those of fair queues. */
export function sqsQueue(client: Client, QueueUrl: string): Queue {
  return {
    name: QueueUrl.split('/').at(-1) as string,
    send: (messages, hasTime = () => true) => send(client, QueueUrl, messages, hasTime),
    async receive(max) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: Math.min(max, MAX_MESSAGES),
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      return Messages.map(messageOf);
    },
    async extend({ receipt: ReceiptHandle }, VisibilityTimeout) {
      await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    },
    async delete(messages) {
      const batches = Map.groupBy(messages, (_, index) => Math.floor(index / MAX_MESSAGES));
      for (const batch of batches.values()) {
        const Entries = batch.map(({ receipt: ReceiptHandle }, index) => ({
          Id: String(index),
          ReceiptHandle,
        }));
        await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      }
    },
  };
}

/** The queue that Lambda received a message from. All queues are in the account and region of `url`. */
export function sqsQueueBeside(client: Client, url: string): (arn: string) => Queue {
  return arn =>
    sqsQueue(
      client,
      url.replace(/[^/]+$/, () => arn.split(':').at(-1) as string),
    );
}

/** A message that stays in its queue counts as old after this time, in s. */
const OLD_S = 600;

/** A handler as Lambda's event source mapping invokes it, with messages of one queue at a time. Counts the age of an
 *  old message that stays: SQS leaves those that were received three times out of the age of the oldest message. */
export function servedByLambda(
  serve: Serve,
  queueOf: (arn: string) => Queue,
  count: Count = () => {},
): (event: Pick<SQSEvent, 'Records'>, context: LambdaContext) => Promise<SQSBatchResponse> {
  return async ({ Records }, context) => {
    const [first] = Records;
    if (!first) return { batchItemFailures: [] };
    const batch = { messages: Records.map(messageOfRecord), queue: queueOf(first.eventSourceARN) };
    const again = await serve(batch, context);
    const staying = batch.messages.filter(({ id }) => again.includes(id));
    const age = Math.floor((Date.now() - Math.min(...staying.map(({ sentAt }) => sentAt))) / 1000);
    if (age >= OLD_S) count({ OldestRetry: age });
    return { batchItemFailures: again.map(itemIdentifier => ({ itemIdentifier })) };
  };
}

type Numbered = { readonly message: NewMessage; readonly index: number };

async function send(
  client: Client,
  QueueUrl: string,
  messages: readonly NewMessage[],
  hasTime: () => boolean,
): Promise<Unsent> {
  const indexes: number[] = [];
  let failures = 0;
  let reason: string | undefined;
  const requests = slices(messages.map((message, index) => ({ message, index })));
  await inParallel(requests, CONCURRENCY, async some => {
    if (failures >= MAX_FAILED_REQUESTS || !hasTime()) {
      indexes.push(...some.map(({ index }) => index));
      return;
    }
    const unsent = await sendSome(client, QueueUrl, some);
    indexes.push(...unsent.indexes);
    reason ??= unsent.reason;
    if (unsent.indexes.length === some.length) failures += 1;
  });
  return {
    indexes: indexes.toSorted((one, other) => one - other),
    ...(reason !== undefined && { reason }),
  };
}

async function sendSome(client: Client, QueueUrl: string, some: readonly Numbered[]): Promise<Unsent> {
  const Entries = some.map(({ message: { body, group, attributes, delay }, index }) => ({
    Id: String(index),
    MessageBody: body,
    ...(group !== undefined && { MessageGroupId: group }),
    ...(attributes && { MessageAttributes: attributesOf(attributes) }),
    ...(delay !== undefined && { DelaySeconds: Math.ceil(delay) }),
  }));
  try {
    const answer = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    const { Failed = [], Successful } = answer;
    const [first] = Failed;
    const indexes = Failed.map(({ Id }) => Number(Id));
    const given = new Set(some.map(({ index }) => index));
    const left = indexes.filter(index => given.delete(index)).length;
    const areAll = left === indexes.length && (Successful?.length ?? given.size) === given.size;
    // As after any error, all of them count as unsent.
    assert(areAll, 'queue.answer-is-complete');
    return { indexes, reason: first?.Message ?? first?.Code };
  } catch (error) {
    return { indexes: some.map(({ index }) => index), reason: String(error) };
  }
}

/** The messages in slices that fit into one request each, by number and by bytes. */
function slices(all: readonly Numbered[]): Numbered[][] {
  let room = 0;
  let size = 0;
  let slice = -1;
  const of = Map.groupBy(all, ({ message }) => {
    const bytes = Buffer.byteLength(message.body) + ATTRIBUTES_BYTES;
    if (size === MAX_MESSAGES || bytes > room) {
      slice += 1;
      room = MAX_REQUEST_BYTES;
      size = 0;
    }
    size += 1;
    room -= bytes;
    return slice;
  });
  return [...of.values()];
}

function attributesOf(attributes: Readonly<Record<string, string>>) {
  const texts = Object.entries(attributes).map(
    ([name, StringValue]) => [name, { DataType: 'String', StringValue }] as const,
  );
  return Object.fromEntries(texts);
}

function messageOf(message: SqsMessage): Message {
  const { MessageId = '', ReceiptHandle = '', Body = '', Attributes = {}, MessageAttributes = {} } = message;
  return {
    id: MessageId,
    receipt: ReceiptHandle,
    body: Body,
    group: Attributes.MessageGroupId,
    sentAt: Number(Attributes.SentTimestamp),
    receives: Number(Attributes.ApproximateReceiveCount),
    attributes: textsOf(
      Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue] as const),
    ),
  };
}

function messageOfRecord(record: SQSRecord): Message {
  const texts = Object.entries(record.messageAttributes);
  return {
    ...messageOf({
      MessageId: record.messageId,
      ReceiptHandle: record.receiptHandle,
      Body: record.body,
      Attributes: record.attributes as unknown as SqsMessage['Attributes'],
    }),
    attributes: textsOf(texts.map(([name, { stringValue }]) => [name, stringValue] as const)),
  };
}

/** The string attributes: no others are ever sent. */
function textsOf(all: readonly (readonly [string, string | undefined])[]): Record<string, string> {
  return Object.fromEntries(all.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}
