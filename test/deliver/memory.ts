import type { SQSRecord } from 'aws-lambda';
import { type BatchDependencies, deliverBatch } from '../../functions/delivery/deliver-batch.ts';
import type { EndpointKind, EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import type { Answer, NoAnswer } from '../../functions/endpoints/post.ts';
import { STANDARD_TIMING } from '../../functions/endpoints/retries.ts';
import { AT, memoryStates, SECRET } from './given.ts';

export const answered = (status: number, retryAfter?: string): Answer => ({
  status,
  retryAfter,
  date: undefined,
  at: AT,
});

export const endpointOf = (kind: EndpointKind): EndpointSettings => ({
  name: 'crm',
  kind,
  secret: 'changewire/endpoint/crm',
  queueArn: 'arn:queue',
  queueUrl: 'queue',
  deadLetterUrl: 'dead-letters',
});

/** A message of the queue, first received `age` ms before now. */
export function recordOf(messageId: string, body: string, age = 0): SQSRecord {
  return {
    messageId,
    receiptHandle: `receipt-${messageId}`,
    body,
    attributes: {
      ApproximateFirstReceiveTimestamp: String(AT - age),
      ApproximateReceiveCount: '3',
      SentTimestamp: '0',
      SenderId: '',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:queue',
    awsRegion: 'eu-west-1',
  };
}

/** One Post as the poster was asked for it. */
export interface Posted {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Everything that the delivery of batches asks for, written down in order; nothing leaves this process. `post` answers. */
export function openMemory(
  post: (posted: Posted, number: number) => Promise<Answer | NoAnswer> | Answer | NoAnswer = () =>
    answered(200),
) {
  const posts: Posted[] = [];
  const visible: [string, string, number][] = [];
  const dead: [string, string, Readonly<Record<string, string>>][] = [];
  const said: [string, string, object][] = [];
  const counts: [string, number, object | undefined][] = [];
  const slept: number[] = [];
  const reserved: [string, number, number][] = [];
  const state = { now: AT, closed: 0 };
  const states = memoryStates();
  const say = (level: string) => (message: string, details: object) =>
    void said.push([level, message, details]);
  const dependencies: BatchDependencies = {
    readSecret: async () => ({ url: 'https://crm.example/', secrets: [SECRET] }),
    states: {
      ...states,
      reserveSlot: (name, interval, now) => {
        reserved.push([name, interval, now]);
        return states.reserveSlot(name, interval, now);
      },
    },
    openPoster: () => ({
      post: async (url, { body, headers }) => {
        posts.push({ url, body, headers });
        return post({ url, body, headers }, posts.length);
      },
      close: async () => void state.closed++,
    }),
    // One message for each event, of its id.
    chatFormats: {
      slack: events => events.map(({ id }) => ({ body: `slack ${id}`, eventIds: [id] })),
      teams: events => events.map(({ id }) => ({ body: `teams ${id}`, eventIds: [id] })),
    },
    queues: {
      changeVisibility: async (...asked) => void visible.push(asked),
      moveToDeadLetters: async (...asked) => void dead.push(asked),
    },
    timing: STANDARD_TIMING,
    clock: () => state.now,
    random: () => 0,
    sleep: async ms => {
      slept.push(ms);
      state.now += ms;
    },
    remaining: () => Number.POSITIVE_INFINITY,
    log: { info: say('info'), warn: say('warn'), error: say('error') },
    count: (...counted) => void counts.push(counted as [string, number, object | undefined]),
  };
  return {
    ...{ dependencies, states, posts, visible, dead, said, counts, slept, reserved, state },
    /** Delivers records to an endpoint of that kind; returns the ids of those that stay in the queue. */
    deliver: (
      records: readonly SQSRecord[],
      kind: EndpointKind = 'webhook',
      more: Partial<BatchDependencies> = {},
    ) => deliverBatch(endpointOf(kind), records, { ...dependencies, ...more }),
  };
}
