import { randomUUID } from 'node:crypto';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import type { Sleep } from '../../functions/basics/clock.ts';
import type { Deliver } from '../../functions/handlers/create-deliver.ts';

export interface PollerOptions {
  /** A client with `useQueueUrlAsEndpoint: false`, because the queue is not served at its URL. */
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly deliver: Deliver;
  readonly sleep: Sleep;
  /** Invocations at once; 2 by default. */
  readonly concurrency?: number;
  /** ms that one invocation may take. */
  readonly timeLimit?: number;
  /** Called when receiving or the handler failed; it goes on after a second. */
  readonly onTrouble: (error: unknown) => void;
}

export interface Poller {
  /** Receives nothing more. Resolves when the invocations under way have ended. */
  stop(): Promise<void>;
}

/** The most messages of one receive, and so of one invocation. */
const BATCH = 10;
const TIME_LIMIT_MS = 120_000;

/** The event source mapping of `deliver.ts` on one machine: hands it one queue's messages, and deletes
 *  those that it does not return as failed. When the handler throws, all of them are shown again after
 *  the visibility time-out. */
export function startPoller(options: PollerOptions): Poller {
  const stopping = new AbortController();
  const lanes = Array.from({ length: options.concurrency ?? 2 }, () => lane(options, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(lanes);
    },
  };
}

async function lane(options: PollerOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await turn(options, signal);
    } catch (error) {
      if (signal.aborted) return;
      options.onTrouble(error);
      await options.sleep(1000, signal).catch(() => {});
    }
  }
}

async function turn(options: PollerOptions, abortSignal: AbortSignal): Promise<void> {
  const { sqs, queueUrl, queueArn, deliver, timeLimit = TIME_LIMIT_MS } = options;
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: BATCH,
      WaitTimeSeconds: 20,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
    { abortSignal },
  );
  if (Messages.length === 0) return;
  const until = Date.now() + timeLimit;
  const { batchItemFailures } = await deliver(
    { Records: Messages.map(message => recordOf(message, queueArn)) },
    { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => until - Date.now() },
  );
  await deleteAll(
    sqs,
    queueUrl,
    taken(Messages, new Set(batchItemFailures.map(each => each.itemIdentifier))),
  );
}

/** Reads the answer as Lambda does: an identifier that no message has means that all failed. */
function taken(messages: readonly Message[], failures: ReadonlySet<string>): Message[] {
  const known = new Set(messages.map(message => message.MessageId));
  if ([...failures].some(id => !known.has(id))) return [];
  return messages.filter(({ MessageId = '' }) => !failures.has(MessageId));
}

async function deleteAll(sqs: SQSClient, QueueUrl: string, messages: readonly Message[]): Promise<void> {
  if (messages.length === 0) return;
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
}

function recordOf(message: Message, queueArn: string): SQSRecord {
  const { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} } = message;
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    md5OfBody: MD5OfBody,
    attributes: Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
        name,
        { dataType: value.DataType ?? 'String', stringValue: value.StringValue },
      ]),
    ),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}
