import { setTimeout as wait } from 'node:timers/promises';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deliver } from '../../functions/create-deliver.ts';
import { sqsQueues } from '../../functions/delivery/queues.ts';
import type { EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { startPoller } from '../support/sqs-poller.ts';
import { someEvents } from './given.ts';
import { type House, openHouse, until } from './house.ts';

let house: House;
let crm: EndpointSettings;
beforeEach(async () => {
  house = await openHouse();
  crm = await house.endpoint('crm', 'https://example.com');
});
afterEach(() => house.close());

const poll = (deliver: Deliver, troubles: unknown[] = []) =>
  startPoller({
    sqs: house.sqs,
    ...crm,
    deliver,
    sleep: (_ms, signal) => wait(10, undefined, { signal }),
    concurrency: 1,
    timeLimit: 50_000,
    onTrouble: error => troubles.push(error),
  });

describe('the poller of an endpoint’s queue', () => {
  it('hands over messages as Lambda does, deletes those that were taken and leaves the others', async () => {
    const seen: SQSEvent['Records'] = [];
    const left: number[] = [];
    const queues = sqsQueues(house.sqs);
    const poller = poll(async ({ Records }, context) => {
      seen.push(...Records);
      left.push(context?.getRemainingTimeInMillis() ?? 0);
      const refused = Records.filter(({ body }) => JSON.parse(body).data.task.id === 't3');
      for (const { receiptHandle } of refused)
        await queues.changeVisibility(crm.queueUrl, receiptHandle, 600);
      return { batchItemFailures: refused.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    });
    try {
      await house.publish(someEvents(25));
      await until(async () => seen.length === 25 && (await house.size(crm.queueUrl)) === 1);
    } finally {
      await poller.stop();
    }
    expect(seen[0]).toMatchObject({
      eventSource: 'aws:sqs',
      eventSourceARN: crm.queueArn,
      awsRegion: 'us-east-1',
      messageAttributes: { eventType: { dataType: 'String', stringValue: 'task.updated' } },
      attributes: {
        ApproximateReceiveCount: '1',
        ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
      },
    });
    for (const ms of left) expect(ms).toBeGreaterThan(45_000);
  });

  it('leaves all of a batch that throws, or that is answered with an unknown identifier, and goes on', async () => {
    const troubles: unknown[] = [];
    const answers: Deliver[] = [
      async () => {
        throw new Error('no');
      },
      async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] }),
      async () => ({ batchItemFailures: [] }),
    ];
    let calls = 0;
    const poller = poll((event, context) => {
      const deliver = answers[Math.min(calls++, 2)] as Deliver;
      return deliver(event, context);
    }, troubles);
    try {
      for (const expected of [1, 2, 3]) {
        await house.send(crm, 'x');
        await until(() => calls === expected);
      }
      await until(async () => (await house.size(crm.queueUrl)) === 2);
    } finally {
      await poller.stop();
    }
    expect(troubles).toEqual([new Error('no')]);
    expect(await house.size(crm.queueUrl)).toBe(2);
  });

  it('stops at once when there is nothing to do, and after what is under way otherwise', async () => {
    const idle = poll(async () => ({ batchItemFailures: [] }));
    await idle.stop();
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const busy = poll(async () => {
      begun.resolve();
      await go.promise;
      return { batchItemFailures: [] };
    });
    await house.send(crm, 'x');
    await begun.promise;
    const stopped = busy.stop();
    go.resolve();
    await stopped;
    expect(await house.size(crm.queueUrl)).toBe(0);
  });
});
