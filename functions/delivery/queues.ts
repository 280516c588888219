import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { inParallel } from '../basics/in-parallel.ts';
import type { Log } from '../basics/telemetry.ts';
import type { EndpointKind } from '../model/endpoint.ts';

/** The queues that bring events to endpoints. Chats have their own, for which Lambda waits a moment, so that
 *  one message can show several events. */
export interface QueueUrls {
  readonly deliveries: string;
  readonly chat: string;
}

/** These, and the queue of drains: messages that wake a run, which sends an endpoint's backlog for one turn.
 *  It is served by runs of its own, so that backlogs delay no new delivery. */
export interface AllQueueUrls extends QueueUrls {
  readonly drains: string;
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

/** Messages that could not be queued. */
export interface Unsent {
  /** Their places among the messages that were given, in order. */
  readonly indexes: readonly number[];
  /** Why one of them could not be. Absent if all were queued, or time was up. */
  readonly reason?: string | undefined;
}

/** What routing asks of SQS: queues the messages in their order, and begins no request once `hasTime` is
 *  false, or the queues are down. Never rejects. */
export type Send = (messages: readonly Routed[], hasTime?: () => boolean) => Promise<Unsent>;

/** The most messages that SQS takes in one request. */
const AT_ONCE = 10;
/** Requests at once. One event for a thousand endpoints takes a hundred requests. */
const WIDTH = 10;
/** After this many failed requests SQS counts as down: further ones would only take time. */
const MAX_FAILED_REQUESTS = 10;
/** Body and attribute of a message without an event: it only wakes a run that looks at rows. */
const WAKE = 'wake';
const ENDPOINT = 'endpoint';

/** The endpoint that a message is for, and whether it brings an event or only wakes. */
export function addressOf({ messageAttributes }: SQSRecord): { name: string; isWake: boolean } {
  const name = messageAttributes[ENDPOINT]?.stringValue ?? '';
  return { name, isWake: messageAttributes[WAKE] !== undefined };
}

type Client = Pick<SQSClient, 'send'>;

export function sqsQueues(client: Client, urls: AllQueueUrls): Queues {
  return { ...sqsHiding(client, urls.deliveries), ...sqsDrains(client, urls.drains) };
}

/** What functions ask of SQS that only receive: to show a message again. `url`: that of any queue of the same
 *  account and region. */
export function sqsHiding(client: Client, url: string): Pick<Queues, 'hide'> {
  return {
    async hide({ eventSourceARN, receiptHandle: ReceiptHandle }, VisibilityTimeout) {
      const QueueUrl = beside(url, eventSourceARN);
      await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    },
  };
}

/** What functions ask of SQS that handle no deliveries themselves: to wake a run that does. */
export function sqsDrains(client: Client, QueueUrl: string): Pick<Queues, 'wake'> {
  return {
    async wake(to, DelaySeconds) {
      const attributes = attributesOf(to);
      await client.send(
        new SendMessageCommand({
          QueueUrl,
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
  return async (messages, hasTime = () => true) => {
    const byUrl = Map.groupBy(
      messages.map((message, index) => ({ message, index })),
      ({ message }) => urlOf(urls, message.to),
    );
    // In the order of the messages, so that events are sent whole, one after the other.
    const requests = [...byUrl]
      .flatMap(([url, all]) => slices(all).map(some => ({ url, some, first: some[0]?.index ?? 0 })))
      .toSorted((one, other) => one.first - other.first);
    const indexes: number[] = [];
    let failures = 0;
    let reason: string | undefined;
    await inParallel(requests, WIDTH, async ({ url, some }) => {
      if (failures >= MAX_FAILED_REQUESTS || !hasTime()) {
        indexes.push(...some.map(({ index }) => index));
        return;
      }
      const unsent = await sendSome(client, url, some);
      indexes.push(...unsent.indexes);
      reason ??= unsent.reason;
      if (unsent.indexes.length === some.length) failures += 1;
    });
    return {
      indexes: indexes.toSorted((one, other) => one - other),
      ...(reason !== undefined && { reason }),
    };
  };
}

type Numbered = { readonly message: Routed; readonly index: number };

async function sendSome(client: Client, QueueUrl: string, some: readonly Numbered[]): Promise<Unsent> {
  const Entries = some.map(({ message: { to, body }, index }) => ({
    Id: String(index),
    MessageBody: body,
    ...attributesOf(to),
  }));
  try {
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    return { indexes: Failed.map(({ Id }) => Number(Id)), reason: Failed[0]?.Code };
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

/** The URL of the queue with this ARN. All queues are in the account and region of `url`. */
function beside(url: string, arn: string): string {
  return url.replace(/[^/]+$/, () => arn.split(':').at(-1) as string);
}

/** How often a message was received, by now. */
export function receivesOf({ attributes }: SQSRecord): number {
  return Number(attributes.ApproximateReceiveCount);
}

/** After this many receives, a message that can't be settled is shown again when its queue does, after
 *  minutes: it would otherwise be set aside within the hour of an outage. */
const MAX_SOON = 10;
const FIRST_PAUSE_S = 5;
const MAX_PAUSE_S = 30;

/** Seconds until a message is shown again that could not be settled because AWS did not answer; undefined:
 *  its queue decides. */
export function soonAgain(record: SQSRecord): number | undefined {
  const receives = receivesOf(record);
  if (receives > MAX_SOON) return undefined;
  return Math.min(FIRST_PAUSE_S * 2 ** (receives - 1), MAX_PAUSE_S);
}

/** Shows messages again soon. Never rejects: where that fails, the queue decides. */
export async function hideBriefly(
  records: readonly SQSRecord[],
  { queues, log, seconds = soonAgain }: HidingDependencies,
): Promise<void> {
  await inParallel(records, WIDTH, async record => {
    const pause = seconds(record);
    try {
      if (pause !== undefined) await queues.hide(record, pause);
    } catch (error) {
      log.warn('When a message is tried again could not be set; the queue decides.', {
        messageId: record.messageId,
        error: String(error),
      });
    }
  });
}

export interface HidingDependencies {
  readonly queues: Pick<Queues, 'hide'>;
  readonly log: Log;
  /** By default `soonAgain`. */
  readonly seconds?: (record: SQSRecord) => number | undefined;
}
