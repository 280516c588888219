import { join } from 'node:path';
import type { SQSRecord } from 'aws-lambda';
import { expect, it } from 'vitest';
import { Spool } from '../../../local/endpoints/spool.ts';
import { SpoolFile } from '../../../local/endpoints/spool-file.ts';
import { returned, spooling, waitingOnlyIn } from '../../../local/endpoints/spooling.ts';
import { temporaryDirectory } from '../dynamodb/support.ts';

/** What was put back with `key`, as a receive hands it out. */
function recordOf(key: string): SQSRecord {
  const { MessageBody = '', MessageAttributes } = returned(key);
  const messageAttributes = Object.fromEntries(
    Object.entries(MessageAttributes ?? {}).map(([name, { StringValue }]) => [
      name,
      { dataType: 'String' as const, stringValue: StringValue },
    ]),
  );
  return {
    messageId: `again-${key}`,
    receiptHandle: `r-${key}`,
    body: MessageBody,
    attributes: {
      ApproximateFirstReceiveTimestamp: '9',
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: '',
    },
    messageAttributes,
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:0:crm',
    awsRegion: 'us-east-1',
  };
}

it('a message that was settled leaves the queue when that hands it out again; nobody gets its key for a body', async () => {
  const spool = new Spool(new SpoolFile(join(temporaryDirectory(), 'crm.jsonl')), 0);
  spool.park({ key: 'open', body: 'body of open', firstReceived: 1, receives: 1, due: 0 });
  const got: string[] = [];
  const queues = { changeVisibility: async () => undefined, moveToDeadLetters: async () => undefined };
  const deliver = spooling({ spool, queues, clock: () => 0 }, () => async ({ Records }) => {
    got.push(...Records.map(({ body }) => body));
    return { batchItemFailures: [] };
  });
  const answer = await deliver({ Records: [recordOf('settled'), recordOf('open')] });
  expect(answer).toEqual({ batchItemFailures: [] });
  expect(got).toEqual(['body of open']);
});

it('what was put back into the queue is not taken for new there', () => {
  const { MessageBody: body = '', MessageAttributes: messageAttributes = {} } = returned('parked');
  const fresh = { messageId: 'fresh', body: 'body of fresh', messageAttributes: {} };
  const queued = [{ messageId: 'again', body, messageAttributes }, fresh] as Parameters<
    typeof waitingOnlyIn
  >[0];
  expect(waitingOnlyIn(queued)).toEqual([{ key: 'fresh', body: 'body of fresh' }]);
});
