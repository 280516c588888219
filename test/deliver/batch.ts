import type { SQSRecord } from 'aws-lambda';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import { createDeliver, type DeliverDependencies } from '../../functions/create-deliver.ts';
import type { EndpointKind, EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { memoryStates, type Said, SECRET } from './given.ts';

export interface DeadLetter {
  readonly url: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The deliverer with queues that only write down what it asks of them, and time that passes by its own sleeping. */
export function openBatch(
  url: string,
  kind: EndpointKind = 'webhook',
  options: Partial<DeliverDependencies> = {},
) {
  const endpoint: EndpointSettings = {
    name: 'crm',
    kind,
    secret: 'changewire/endpoint/crm',
    queueArn: 'arn:queue',
    queueUrl: 'queue',
    deadLetterUrl: 'dead-letters',
  };
  let now = Date.now();
  const said: Said[] = [];
  const counts: Record<string, number> = {};
  const visible: [receipt: string, seconds: number][] = [];
  const dead: DeadLetter[] = [];
  const slept: number[] = [];
  const say =
    (level: Said['level']) =>
    (message: string, details: object = {}) =>
      void said.push({ level, message, details: { ...details } });
  const states = memoryStates();
  const deliver = createDeliver({
    endpoints: [endpoint],
    readSecret: async () => JSON.stringify({ url, secrets: [SECRET] }),
    states,
    queues: {
      changeVisibility: async (_url, receipt, seconds) => void visible.push([receipt, seconds]),
      moveToDeadLetters: async (deadLetterUrl, body, attributes) =>
        void dead.push({ url: deadLetterUrl, body, attributes }),
    },
    clock: () => now,
    random: () => 0,
    sleep: async ms => {
      slept.push(ms);
      now += ms;
    },
    allowLoopback: true,
    timeout: 5_000,
    log: { info: say('info'), warn: say('warn'), error: say('error') },
    count: (name, value) => {
      counts[name] = (counts[name] ?? 0) + value;
    },
    ...options,
  });
  let number = 0;
  const record = (body: string, age = 0, arn = endpoint.queueArn): SQSRecord => {
    const messageId = `m${number++}`;
    return {
      messageId,
      receiptHandle: `r-${messageId}`,
      body,
      attributes: {
        ApproximateFirstReceiveTimestamp: String(now - age),
        ApproximateReceiveCount: '3',
        SentTimestamp: '0',
        SenderId: '',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: arn,
      awsRegion: 'us-east-1',
    };
  };
  return {
    deliver,
    states,
    said,
    counts,
    visible,
    dead,
    slept,
    record,
    records: (events: readonly ChangeEvent[]) => events.map(event => record(JSON.stringify(event))),
    clock: () => now,
    pass(ms: number): void {
      now += ms;
    },
  };
}

export const failuresOf = (answer: { batchItemFailures: { itemIdentifier: string }[] }) =>
  answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort();
