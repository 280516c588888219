import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { inParallel } from '../basics/in-parallel.ts';
import type { EndpointKind } from '../endpoints/endpoint.ts';

/** The queues that lead to endpoints. Chats have their own, for which Lambda waits a moment, so that one
 *  message can show several events. */
export interface QueueUrls {
  readonly deliveries: string;
  readonly chat: string;
}

/** The endpoint that a message of these queues is for. */
export interface Addressee {
  readonly name: string;
  readonly kind: EndpointKind;
}

/** One event for one endpoint. */
export interface Routed {
  readonly to: Addressee;
  readonly body: string;
}

/** What delivery asks of SQS. */
export interface Queues {
  /** Shows a message again in `seconds` (0 to 43,200, counted from its receive). */
  hide(record: SQSRecord, seconds: number): Promise<void>;
  /** Sends a message by which a run looks at the endpoint's waiting rows, in `seconds` (0 to 900). */
  wake(endpoint: Addressee, seconds: number): Promise<void>;
}

/** What routing asks of SQS: queues the messages.
 *  @returns the indexes of those that could not be queued */
export type Send = (messages: readonly Routed[]) => Promise<number[]>;

/** The most messages that SQS takes in one request. */
const AT_ONCE = 10;
/** Requests at once. One event for a thousand endpoints takes a hundred requests. */
const WIDTH = 10;
/** Body and attribute of a message without an event: it only wakes a run that looks at rows. */
const WAKE = 'wake';
const ENDPOINT = 'endpoint';

/** The endpoint that a message is for, and whether it brings an event or only wakes. */
export function addressOf({ messageAttributes }: SQSRecord): { name: string; isWake: boolean } {
  const name = messageAttributes[ENDPOINT]?.stringValue ?? '';
  return { name, isWake: messageAttributes[WAKE] !== undefined };
}

type Client = Pick<SQSClient, 'send'>;

export function sqsQueues(client: Client, urls: QueueUrls): Queues {
  return {
    async hide({ eventSourceARN, receiptHandle: ReceiptHandle }, VisibilityTimeout) {
      const QueueUrl = eventSourceARN.endsWith(nameOf(urls.chat)) ? urls.chat : urls.deliveries;
      await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    },
    async wake(to, DelaySeconds) {
      const attributes = attributesOf(to);
      await client.send(
        new SendMessageCommand({
          QueueUrl: urlOf(urls, to),
          MessageBody: WAKE,
          DelaySeconds,
          ...attributes,
          MessageAttributes: {
            ...attributes.MessageAttributes,
            [WAKE]: { DataType: 'String', StringValue: '1' },
          },
        }),
      );
    },
  };
}

/** Uses fair queues, with the endpoint as message group: an endpoint that has many deliveries, or is slow,
 *  delays no other. */
export function sqsSend(client: Client, urls: QueueUrls): Send {
  return async messages => {
    const unsent: number[] = [];
    const requests: { url: string; some: Numbered[] }[] = [];
    const byUrl = Map.groupBy(
      messages.map((message, index) => ({ message, index })),
      ({ message }) => urlOf(urls, message.to),
    );
    for (const [url, all] of byUrl) {
      for (const some of slices(all)) requests.push({ url, some });
    }
    await inParallel(requests, WIDTH, async ({ url, some }) => {
      unsent.push(...(await sendSome(client, url, some)));
    });
    return unsent;
  };
}

type Numbered = { readonly message: Routed; readonly index: number };

async function sendSome(client: Client, QueueUrl: string, some: readonly Numbered[]): Promise<number[]> {
  const Entries = some.map(({ message: { to, body }, index }) => ({
    Id: String(index),
    MessageBody: body,
    ...attributesOf(to),
  }));
  const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  return Failed.map(({ Id }) => Number(Id));
}

/** The messages in slices that fit into one request each, by number and by bytes. */
function slices(all: readonly Numbered[]): Numbered[][] {
  let room = 0;
  let size = 0;
  let slice = -1;
  const of = Map.groupBy(all, ({ message }) => {
    const bytes = Buffer.byteLength(message.body) + OVERHEAD_BYTES;
    if (size === AT_ONCE || bytes > room) {
      slice += 1;
      room = REQUEST_BYTES;
      size = 0;
    }
    size += 1;
    room -= bytes;
    return slice;
  });
  return [...of.values()];
}

/** The bytes that SQS takes in one request, and those to allow for the attributes of one message. */
const REQUEST_BYTES = 1_000_000;
const OVERHEAD_BYTES = 500;

function attributesOf({ name }: Addressee) {
  return {
    MessageGroupId: name,
    MessageAttributes: { [ENDPOINT]: { DataType: 'String', StringValue: name } },
  };
}

function urlOf({ deliveries, chat }: QueueUrls, { kind }: Addressee): string {
  return kind === 'webhook' ? deliveries : chat;
}

/** How the ARN of this queue ends: with its name, as its URL does, but after a colon. */
function nameOf(url: string): string {
  return `:${url.split('/').at(-1)}`;
}
