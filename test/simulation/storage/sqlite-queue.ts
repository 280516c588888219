import { DatabaseSync } from 'node:sqlite';
import type { SQSRecord } from 'aws-lambda';
import type { Message } from '../../../functions/queue/queue.ts';
import { QUEUE_SCHEMA, SqliteQueue } from '../../../functions/queue/sqlite.ts';
import type { SimulatedQueue } from '../models/queue.ts';
import type { QueueSetup } from './storage.ts';

/** A file in memory for queues. It is no part of what a restore puts back: what the feed has published is not in the simulated file either. */
export function queueFile(): DatabaseSync {
  const file = new DatabaseSync(':memory:');
  file.exec(QUEUE_SCHEMA);
  return file;
}

/** A queue in SQLite as one machine has it, for runs that get their messages as from SQS. */
export function sqliteQueue(
  file: DatabaseSync,
  { name, arn, url, clock, visibilityTimeout: visibility, forgets }: QueueSetup,
): SimulatedQueue {
  const queue = new SqliteQueue(file, name, { clock, visibility });
  const receiptIn = (handle: string) => ({ receipt: handle.split('/')[1] ?? '' });
  return {
    url,
    get size() {
      return queue.groups().reduce((sum, group) => sum + queue.held(group).count, 0);
    },
    send: (body, attributes = {}, { group, delay } = {}) =>
      void queue.send([{ body, attributes, group, delay }]),
    receive: async max => (await queue.receive(max)).map(message => recordOf(message, name, arn)),
    delete: handle => {
      if (!forgets()) void queue.delete([receiptIn(handle)]);
    },
    changeVisibility: (handle, seconds) => void queue.extend(receiptIn(handle), seconds),
    nextVisibleAt: () => queue.nextAfter(Number.MIN_SAFE_INTEGER),
  };
}

/** A message as Lambda's event source for SQS hands it to a function. */
function recordOf(message: Message, name: string, arn: string): SQSRecord {
  const { id, receipt, body, group, attributes, sentAt, receives } = message;
  const messageAttributes = Object.fromEntries(
    Object.entries(attributes).map(([key, stringValue]) => [key, { stringValue, dataType: 'String' }]),
  );
  return {
    messageId: `${name}-${id}`,
    receiptHandle: `${name}/${receipt}/${receives}`,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(sentAt),
      SenderId: 'local',
      ApproximateFirstReceiveTimestamp: String(sentAt),
      ...(group !== undefined && { MessageGroupId: group }),
    },
    messageAttributes: messageAttributes as SQSRecord['messageAttributes'],
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: 'eu-west-1',
  };
}
