import {
  DeleteMessageCommand,
  type Message,
  PurgeQueueCommand,
  PurgeQueueInProgress,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { jsonOf } from '../../basics/json.ts';
import { REASON, SOURCE } from '../../queue/set-aside.ts';
import { countMessages } from '../../schedule/watch-aws.ts';
import type { SetAsideQueue } from '../context.ts';
import type { SetAsideMessage } from '../protocol/answers.ts';
import type { SetAsideName } from '../protocol/requests.ts';
import { Refused } from '../refused.ts';

type Client = Pick<SQSClient, 'send'>;

/** SQS's limit of one receive. */
const MAX_RECEIVED = 10;

/** A dead-letter queue of SQS: no function receives from it. */
export function setAsideQueue(client: Client, name: SetAsideName, QueueUrl: string): SetAsideQueue {
  return {
    count: () => countMessages(client, QueueUrl),
    async peek() {
      const messages = await receive(client, QueueUrl, 0);
      return messages.map(message => setAsideMessageOf(name, message));
    },
    async clear() {
      try {
        await client.send(new PurgeQueueCommand({ QueueUrl }));
      } catch (error) {
        if (!(error instanceof PurgeQueueInProgress)) throw error;
        throw new Refused(
          'This queue is being emptied already; SQS does so once a minute at most. Look again then.',
        );
      }
    },
  };
}

/** Some of the messages. They are hidden from other receivers for `hiddenFor` seconds. */
async function receive(client: Client, QueueUrl: string, hiddenFor: number): Promise<Message[]> {
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

interface UnsettledQueues {
  readonly unsettled: string;
  /** Where its messages come from. Messages that SNS could not put into the first of them are there, too. */
  readonly sources: readonly [events: string, ...others: string[]];
}

/** How long a message that is being sent back is hidden from other receivers. */
const HIDDEN_S = 60;
/** Messages of one request. */
const MAX_RETRIED = 1_000;

/** Sends messages that no run could process back to the queues that they came from. Each is sent before it is
 *  deleted here: after a crash in between it is in both, under the same event's id. @returns how many */
export async function retryUnsettled(
  client: Pick<SQSClient, 'send'>,
  { unsettled, sources }: UnsettledQueues,
): Promise<number> {
  let moved = 0;
  while (moved < MAX_RETRIED) {
    const messages = await receive(client, unsettled, HIDDEN_S);
    if (messages.length === 0) return moved;
    for (const message of messages) {
      await client.send(
        new SendMessageCommand({ ...contentOf(message), QueueUrl: sourceOf(message, sources) }),
      );
      const { ReceiptHandle } = message;
      await client.send(new DeleteMessageCommand({ QueueUrl: unsettled, ReceiptHandle }));
      moved += 1;
    }
  }
  return moved;
}

function contentOf({ Body, MessageAttributes, Attributes }: Message) {
  const { MessageGroupId } = Attributes ?? {};
  return {
    MessageBody: Body,
    ...(MessageAttributes && { MessageAttributes }),
    ...(MessageGroupId !== undefined && { MessageGroupId }),
  };
}

/** A queue's ARN and its URL end with its name. */
function sourceOf({ Attributes, MessageAttributes }: Message, sources: UnsettledQueues['sources']): string {
  const name =
    Attributes?.DeadLetterQueueSourceArn?.split(':').at(-1) ?? MessageAttributes?.[SOURCE]?.StringValue;
  return sources.find(url => name !== undefined && url.endsWith(`/${name}`)) ?? sources[0];
}

/** The parts of a message that help to repair its cause, by the queue that it is in. */
export function setAsideMessageOf(queue: SetAsideName, message: Message): SetAsideMessage {
  const { reason, ...about } = PARTS[queue](jsonOf(message.Body ?? ''), message);
  const known = Object.entries(about).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    at: new Date(Number(message.Attributes?.SentTimestamp ?? 0)).toISOString(),
    ...(reason !== undefined && { reason }),
    about: Object.fromEntries(known),
  };
}

type Parts = Readonly<Record<string, string | undefined>>;

const PARTS: Readonly<Record<SetAsideName, (body: unknown, message: Message) => Parts>> = {
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
  // From SQS after too many receives, from SNS when it can't put them into a queue, from a run that finds one malformed.
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

/** Texts and numbers at this place. */
function text(body: unknown, ...path: readonly string[]): string | undefined {
  let value = body;
  for (const part of path) value = (value as Record<string, unknown> | null | undefined)?.[part];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
