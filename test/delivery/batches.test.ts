import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { drain } from '../../functions/delivery/drain.ts';
import { sendBy } from '../../functions/delivery/queues.ts';
import { batchesOf } from '../../functions/delivery/webhook/webhook.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import { type SentEvent, verify, verifyAll } from '../../receiver/index.ts';
import { answered, endpointOf, openSetting, SECOND, SECRET, waitingOnes } from '../kit/delivery/setting.ts';

const mostly = <Usual, Other>(usual: Usual, other: fc.Arbitrary<Other>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
const batched = (batch: number): EndpointSettings => ({ ...endpointOf(), batch });

/** Drains `waiting` deliveries of an endpoint with batches of 10; `accepts` answers for the events of each request. */
async function drained(waiting: number, accepts: (ids: readonly string[]) => boolean) {
  const setting = openSetting(({ body }) => {
    const ids = (JSON.parse(body) as SentEvent[]).map(({ id }) => id);
    return answered(accepts(ids) ? 200 : 400);
  });
  const { dependencies, posts } = setting;
  await dependencies.deliveries.add(waitingOnes(waiting));
  const health = { waiting: { added: 1, due: setting.state.now, first: true } };
  await dependencies.rows.change('crm', () => ({ name: 'crm', health }));
  const sizes = () => posts.map(({ body }) => (JSON.parse(body) as SentEvent[]).length);
  const drainAgain = () => drain(batched(10), dependencies);
  await drainAgain();
  return { ...setting, sizes, drainAgain };
}

describe('batches of a webhook', () => {
  it('hold each delivery once, in order, within their limits, and mix neither replays nor other sizes', () => {
    const delivery = fc.record({
      body: fc.integer({ min: 1, max: 240_000 }).map(length => 'x'.repeat(length)),
      replay: mostly(false, fc.boolean()),
      attempts: mostly(undefined, fc.integer({ min: 0, max: 4 })),
    });
    fc.assert(
      fc.property(fc.array(delivery, { maxLength: 40 }), fc.integer({ min: 2, max: 100 }), (all, most) => {
        const batches = batchesOf(all, most);
        expect(batches.flat()).toEqual(all);
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0);
          expect(new Set(batch.map(({ replay }) => replay)).size).toBe(1);
          const tried = Math.max(...batch.map(({ attempts = 0 }) => attempts));
          expect(batch.length).toBeLessThanOrEqual([most, Math.ceil(most / 10)][tried] ?? 1);
          if (batch.length > 1)
            expect(batch.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThanOrEqual(1_000_000);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('are full where nothing forbids it', () => {
    const all = Array.from({ length: 25 }, () => ({ body: '{}' }));
    expect(batchesOf(all, 10).map(({ length }) => length)).toEqual([10, 10, 5]);
  });

  it('are signed CloudEvents batches that verifyAll reads, with one id for one composition', async () => {
    const { posts, state } = await drained(25, () => true);
    const ids = posts.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^batch\.[\w-]{22}$/);
    const { body = '', headers = {} } = posts[0] ?? {};
    expect(headers['content-type']).toBe('application/cloudevents-batch+json');
    vi.useFakeTimers({ now: state.now, toFake: ['Date'] });
    try {
      const read = await verifyAll({ headers, rawBody: body }, SECRET);
      expect(read.map(({ id }) => id)).toEqual(waitingOnes(10).map(({ eventId }) => eventId));
      const refused = { headers, rawBody: `${body} ` };
      await expect(verifyAll(refused, SECRET)).rejects.toMatchObject({ status: 401 });
      await expect(verify({ headers, rawBody: body }, SECRET)).rejects.toMatchObject({ status: 415 });
    } finally {
      vi.useRealTimers();
    }
  });

  it('are sent at the rate of requests, not of events', async () => {
    const { slept, sizes } = await drained(100, () => true);
    expect(sizes()).toEqual(Array(10).fill(10));
    expect(slept).toEqual([SECOND]);
  });

  it('get smaller after failures, until only the event that the receiver refuses is left', async () => {
    const bad = waitingOnes(10)[3]?.eventId ?? '';
    const { state, sizes, drainAgain, dependencies } = await drained(10, ids => !ids.includes(bad));
    expect(sizes()).toEqual([10]);
    state.now += 60 * SECOND;
    await drainAgain();
    expect(sizes().slice(1)).toEqual(Array(10).fill(1));
    const left = await dependencies.deliveries.due('crm', Number.MAX_SAFE_INTEGER, 10);
    expect(left.map(({ eventId }) => eventId)).toEqual([bad]);
  });

  it('wait for each other in the queue of chats', async () => {
    const sent: string[] = [];
    const queue = (name: string) => ({
      send: async (messages: readonly unknown[]) => {
        sent.push(`${messages.length} ${name}`);
        return { indexes: [] };
      },
    });
    const send = sendBy({ deliveries: queue('deliveries'), chat: queue('chat') });
    await send([batched(10), endpointOf(), endpointOf('slack')].map(to => ({ to, body: '{}' })));
    expect(sent.toSorted()).toEqual(['1 deliveries', '2 chat']);
  });
});
