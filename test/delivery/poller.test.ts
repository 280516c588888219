import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deliver } from '../../functions/handlers/create-deliver.ts';
import type { Message } from '../../functions/queue/queue.ts';
import { sqsQueue } from '../../functions/queue/sqs.ts';
import { type Handlers, openHandlers, until } from '../kit/delivery/handlers.ts';
import { startPoller } from '../kit/sqs-poller.ts';

let handlers: Handlers;
beforeEach(async () => {
  handlers = await openHandlers();
});
afterEach(() => handlers.close());

const bodies = (count: number) => Array.from({ length: count }, (_, index) => `body ${index}`);
const poll = (deliver: Deliver, troubles: unknown[] = []) =>
  startPoller({
    queue: sqsQueue(handlers.sqs, handlers.urls.deliveries),
    deliver,
    sleep: (_ms, signal) => wait(10, undefined, { signal }),
    concurrency: 1,
    timeLimit: 50_000,
    onTrouble: error => troubles.push(error),
  });

describe('the poller of a queue', () => {
  it('hands over messages as Lambda does, deletes those that were taken and leaves the others', async () => {
    const seen: Message[] = [];
    const left: number[] = [];
    const runs = new Set<string>();
    const poller = poll(async ({ messages, queue }, { awsRequestId, getRemainingTimeInMillis }) => {
      runs.add(awsRequestId);
      seen.push(...messages);
      left.push(getRemainingTimeInMillis());
      const refused = messages.filter(({ body }) => body === 'body 3');
      for (const message of refused) await queue.extend(message, 600);
      return refused.map(({ id }) => id);
    });
    try {
      await handlers.send('crm', ...bodies(25));
      await until(async () => seen.length === 25 && (await handlers.size()) === 1);
    } finally {
      await poller.stop();
    }
    expect(seen[0]).toMatchObject({
      attributes: { endpoint: 'crm' },
      receives: 1,
      sentAt: expect.any(Number),
    });
    expect(runs.size).toBe(left.length);
    for (const ms of left) expect(ms).toBeGreaterThan(45_000);
  });

  it('leaves all of a batch that throws, and goes on', async () => {
    const troubles: unknown[] = [];
    const answers: Deliver[] = [
      async () => {
        throw new Error('no');
      },
      async () => [],
    ];
    let calls = 0;
    const poller = poll((event, context) => {
      const deliver = answers[Math.min(calls++, 1)] as Deliver;
      return deliver(event, context);
    }, troubles);
    try {
      for (const expected of [1, 2, 3]) {
        await handlers.send('crm', 'x');
        await until(() => calls === expected);
      }
      await until(async () => (await handlers.size()) === 1);
    } finally {
      await poller.stop();
    }
    expect(troubles).toEqual([new Error('no')]);
    expect(await handlers.size()).toBe(1);
  });

  it('stops at once when there is nothing to do, and after what is under way otherwise', async () => {
    const idle = poll(async () => []);
    await idle.stop();
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const busy = poll(async () => {
      begun.resolve();
      await go.promise;
      return [];
    });
    await handlers.send('crm', 'x');
    await begun.promise;
    const stopped = busy.stop();
    go.resolve();
    await stopped;
    expect(await handlers.size()).toBe(0);
  });
});
