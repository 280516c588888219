import { type CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  PurgeQueueCommand,
  PurgeQueueInProgress,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { isJsonObject, type JsonObject, jsonOf } from '../../basics/json.ts';
import { REASON, SENT_AT, SOURCE } from '../../queue/failed-messages.ts';
import { countMessages } from '../../schedule/watch-aws.ts';
import type { ChangeRecord } from '../../store/store.ts';
import type { StackPorts } from '../context.ts';
import type { FailedMessage, LogEntry } from '../protocol/answers.ts';
import type { FailedQueueName, FunctionName } from '../protocol/requests.ts';
import { Refused } from '../refused.ts';

type Sqs = Pick<SQSClient, 'send'>;

/** SQS's limit of one receive. */
const MAX_RECEIVED = 10;

/** A dead-letter queue of SQS: no function receives from it. */
export function failedQueue(
  client: Sqs,
  name: FailedQueueName,
  QueueUrl: string,
): StackPorts['failedQueues'][FailedQueueName] {
  return {
    count: () => countMessages(client, QueueUrl),
    async peek() {
      const messages = await receive(client, QueueUrl, 0);
      return messages.map(message => failedMessageOf(name, message));
    },
    async clear() {
      try {
        await client.send(new PurgeQueueCommand({ QueueUrl }));
      } catch (error) {
        if (!(error instanceof PurgeQueueInProgress)) throw error;
        throw new Refused(
          'This queue is already being emptied; SQS allows that once a minute. Try again in a minute.',
        );
      }
    },
  };
}

/** Some of the messages. They are hidden from other receivers for `hiddenFor` seconds. */
async function receive(client: Sqs, QueueUrl: string, hiddenFor: number): Promise<Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: MAX_RECEIVED,
      VisibilityTimeout: hiddenFor,
      // Without a wait SQS asks only some of its servers, and may miss all messages of a short queue.
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages;
}

/** How long a message that is being sent back is hidden from other receivers. */
const HIDDEN_S = 60;
/** Messages of one request. */
const MAX_RETRIED = 1_000;

/** Sends failed messages back to their queues, `sources`, or to the first of these, for messages that SNS could not
 *  put into it. Each is sent before it is deleted here: after a crash it may be in both, with the same event id.
 *  Those that were sent after `now`, in ms since 1970, stay: a malformed message comes back at once.
 *  @returns how many */
export async function retryUnsettled(
  client: Sqs,
  {
    unsettled,
    sources,
    now,
  }: { readonly unsettled: string; readonly sources: Sources; readonly now: number },
): Promise<number> {
  let moved = 0;
  const staying: Message[] = [];
  while (moved + staying.length < MAX_RETRIED) {
    const messages = await receive(client, unsettled, HIDDEN_S);
    if (messages.length === 0) break;
    for (const message of messages) {
      const { Body, MessageAttributes, Attributes, ReceiptHandle } = message;
      if (Number(Attributes?.SentTimestamp) > now) {
        staying.push(message);
        continue;
      }
      await client.send(
        new SendMessageCommand({
          QueueUrl: sourceOf(message, sources),
          MessageBody: Body,
          MessageAttributes: { ...firstSent(message), ...MessageAttributes },
          MessageGroupId: Attributes?.MessageGroupId,
        }),
      );
      await client.send(new DeleteMessageCommand({ QueueUrl: unsettled, ReceiptHandle }));
      moved += 1;
    }
  }
  for (const { ReceiptHandle } of staying) {
    const shown = { QueueUrl: unsettled, ReceiptHandle, VisibilityTimeout: 0 };
    // If that fails, it is shown after HIDDEN_S.
    await client.send(new ChangeMessageVisibilityCommand(shown)).catch(() => undefined);
  }
  return moved;
}

/** By this, `deliver` recognises deliveries for an earlier endpoint of the same name. */
function firstSent({ Attributes }: Message): Message['MessageAttributes'] {
  const StringValue = Attributes?.SentTimestamp;
  return StringValue === undefined ? undefined : { [SENT_AT]: { DataType: 'String', StringValue } };
}

type Sources = readonly [events: string, ...others: string[]];

/** A queue's ARN and its URL end with its name. */
function sourceOf({ Attributes, MessageAttributes }: Message, sources: Sources): string {
  const name =
    Attributes?.DeadLetterQueueSourceArn?.split(':').at(-1) ?? MessageAttributes?.[SOURCE]?.StringValue;
  return sources.find(url => name !== undefined && url.endsWith(`/${name}`)) ?? sources[0];
}

/** The parts of a message that help to repair its cause, by the queue that it is in. */
export function failedMessageOf(queue: FailedQueueName, message: Message): FailedMessage {
  const { reason, ...about } = PARTS[queue](jsonOf(message.Body ?? ''), message);
  const known = Object.entries(about).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    at: new Date(Number(message.Attributes?.SentTimestamp ?? 0)).toISOString(),
    ...(reason !== undefined && { reason }),
    about: Object.fromEntries(known),
  };
}

type Parts = Readonly<Record<string, string | undefined>>;

const PARTS: Readonly<Record<FailedQueueName, (body: unknown, message: Message) => Parts>> = {
  // create-publish.ts writes them.
  rejected: body => ({
    reason: text(body, 'reason'),
    event: text(body, 'event', 'id'),
    type: text(body, 'event', 'type'),
    journal: text(body, 'pk'),
    record: text(body, 'sk'),
    committed: timeOf(/^CHANGE#(\d{13})/.exec(text(body, 'sk') ?? '')?.[1]),
  }),
  // Lambda writes them: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
  unpublished: body => ({
    reason: text(body, 'requestContext', 'condition'),
    from: text(body, 'DDBStreamBatchInfo', 'approximateArrivalOfFirstRecord'),
    to: text(body, 'DDBStreamBatchInfo', 'approximateArrivalOfLastRecord'),
    records: text(body, 'DDBStreamBatchInfo', 'batchSize'),
  }),
  // The message that EventBridge Scheduler could not send, and why.
  unstarted: (body, message) => ({
    reason:
      [attribute(message, 'ERROR_CODE'), attribute(message, 'ERROR_MESSAGE')].filter(Boolean).join(': ') ||
      undefined,
    function: text(body, 'processId') === undefined ? 'tick' : 'poll',
    workspace: text(body, 'workspace'),
    process: text(body, 'processId'),
    mode: text(body, 'mode'),
  }),
  // From SQS after too many receives, from SNS when delivery to a queue fails, from a run for a malformed message.
  unsettled: (body, message) => ({
    reason: attribute(message, REASON),
    event: text(body, 'id'),
    type: text(body, 'type'),
    endpoint: message.Attributes?.MessageGroupId,
    from:
      message.Attributes?.DeadLetterQueueSourceArn?.split(':').at(-1) ??
      attribute(message, SOURCE) ??
      'the topic',
    received: message.Attributes?.ApproximateReceiveCount,
  }),
};

function timeOf(ms: string | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(Number(ms)).toISOString();
}

function attribute({ MessageAttributes }: Message, name: string): string | undefined {
  return MessageAttributes?.[name]?.StringValue;
}

function text(body: unknown, ...path: readonly string[]): string | undefined {
  let value = body;
  for (const part of path) value = (value as Record<string, unknown> | null | undefined)?.[part];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** Has the publish function publish change records, by the event that the table's stream would send.
 *  @returns how many of them were published, the first ones */
export async function publishAgain(
  client: Pick<LambdaClient, 'send'>,
  FunctionName: string,
  records: readonly ChangeRecord[],
): Promise<number> {
  const Records = records.map(({ pk, sk, encoded }, place) => {
    const keys = { pk: { S: pk }, sk: { S: sk } };
    const NewImage = { ...keys, events: { B: Buffer.from(encoded).toString('base64') } };
    // The function returns that of the first record that was not published.
    const dynamodb = { Keys: keys, NewImage, SequenceNumber: String(place) };
    return { eventID: String(place), eventName: 'INSERT', dynamodb };
  });
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName, Payload: JSON.stringify({ Records }) }),
  );
  const text = Buffer.from(Payload ?? []).toString();
  if (FunctionError !== undefined) throw new Error(`The publish function failed: ${text.slice(0, 500)}`);
  const { batchItemFailures } = JSON.parse(text) as { batchItemFailures: { itemIdentifier: string }[] };
  return Math.min(records.length, ...batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier)));
}

/** Warnings and errors of the functions and of the runtime, and runs that Lambda ended. */
const PROBLEMS = [
  ...['WARN', 'ERROR', 'CRITICAL', 'FATAL'].map(level => `($.level = "${level}")`),
  ...['timeout', 'error', 'failure'].map(status => `($.record.status = "${status}")`),
].join(' || ');

/** The functions' logs in CloudWatch, by the log groups of the functions. */
export function cloudWatchLogs(
  client: Pick<CloudWatchLogsClient, 'send'>,
  groups: Readonly<Record<FunctionName, string>>,
): StackPorts['readLog'] {
  return async ({ function: name, since, until, all, position }, limit) => {
    const { events = [], nextToken } = await client.send(
      new FilterLogEventsCommand({
        logGroupName: groups[name],
        startTime: since,
        endTime: until,
        limit,
        ...(!all && { filterPattern: `{ ${PROBLEMS} }` }),
        ...(position !== undefined && { nextToken: position }),
      }),
    );
    const entries = events.flatMap(({ message = '', timestamp = since }) => logEntryOf(message, timestamp));
    return { entries, position: nextToken };
  };
}

const LEVELS: Readonly<Record<string, LogEntry['level']>> = {
  ...{ TRACE: 'debug', DEBUG: 'debug', INFO: 'info' },
  ...{ WARN: 'warn', ERROR: 'error', CRITICAL: 'error', FATAL: 'error' },
};

const NOISE = new Set('level message timestamp service cold_start sampling_rate xray_trace_id'.split(' '));

/** A line of a function's log for people; empty for one that only carries metrics. */
export function logEntryOf(line: string, timestamp: number): LogEntry[] {
  const at = new Date(timestamp).toISOString();
  const json = jsonOf(line);
  if (!isJsonObject(json))
    return [{ at, level: isEnd(line) ? 'error' : 'info', message: line.trim(), details: {} }];
  if ('_aws' in json) return [];
  if (typeof json.type === 'string' && json.type.startsWith('platform.')) return [platformEntry(json, at)];
  const rest = Object.entries(json).filter(([key]) => !NOISE.has(key) && !key.startsWith('function_'));
  const level = LEVELS[String(json.level)] ?? 'info';
  const { message = '' } = json;
  if (typeof message === 'string') return [{ at, level, message, details: Object.fromEntries(rest) }];
  const error = (message ?? {}) as JsonObject;
  const text = String(error.errorMessage ?? 'The function failed.');
  return [{ at, level, message: text, details: { ...Object.fromEntries(rest), ...error } }];
}

/** A line of Lambda itself about a run. */
function platformEntry({ type, record }: JsonObject, at: string): LogEntry {
  const { status, ...more } = (record ?? {}) as JsonObject;
  const isBad = status === 'timeout' || status === 'error' || status === 'failure';
  return {
    at,
    level: isBad ? 'error' : 'info',
    message: isBad ? `Lambda ended a run: ${status}.` : String(type),
    details: more,
  };
}

/** Lambda's own lines in a log that is not JSON. */
function isEnd(line: string): boolean {
  return /Task timed out|Runtime\.\w+|signal: killed|REPORT.*Error/.test(line);
}
