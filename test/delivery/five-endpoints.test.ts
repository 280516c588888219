import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { someEvents } from '../kit/delivery/given.ts';
import { type Handlers, openHandlers, until } from '../kit/delivery/handlers.ts';
import { answer, hang, type Reaction, reset, startReceiver } from '../kit/delivery/receiver.ts';

let handlers: Handlers;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  handlers = await openHandlers();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await handlers.close();
});

const HOUR = 3_600_000;
const COUNT = 100;

/** An endpoint that reacts so, until it is repaired. */
async function open(name: string, reaction: Reaction) {
  let current = reaction;
  const receiver = await startReceiver((response, received) => current(response, received));
  closers.push(receiver.stop);
  await handlers.endpoint(name, receiver.url);
  const mend = () => {
    current = answer(200);
  };
  const ids = () => receiver.received.map(({ headers }) => headers['webhook-id'] ?? '');
  return { name, receiver, mend, ids };
}

/** The events that delivery batches for this endpoint have told of so far. */
const toldOf = (name: string) =>
  handlers.said.flatMap(({ details }) =>
    details.endpoint === name ? (details.events ?? []) : [],
  ) as string[];

describe('100 events to 5 endpoints of one queue, one of which breaks off each connection and one of which always fails', () => {
  it('invariant 11: three get each event once; the broken two have all of theirs in rows for an hour, and get them within 15 minutes of being repaired', async () => {
    const healthy = [
      await open('one', answer(200)),
      await open('two', answer(202)),
      await open('three', answer(204)),
    ];
    const broken = [await open('breaks', reset), await open('fails', answer(500))];
    handlers.poll(handlers.deliverer({ timeout: 15_000 }), 6);
    const events = someEvents(COUNT);
    const all = events.map(({ id }) => id).toSorted();
    const began = handlers.clock();
    await handlers.publish(events);
    await handlers.settle(began + HOUR);

    for (const { name, ids } of healthy) {
      expect(ids().toSorted()).toEqual(all);
      expect(await handlers.pendingIds(name)).toEqual([]);
    }
    for (const { name, mend } of broken) {
      expect((await handlers.pendingIds(name)).toSorted()).toEqual(all);
      expect((await handlers.rows.read(name))?.health.failing).toBeDefined();
      mend();
    }
    const repaired = handlers.clock();
    const asked = broken.map(({ ids }) => ids().length);
    await handlers.settle();
    expect(handlers.clock() - repaired).toBeLessThan(15 * 60_000 + 60_000);
    for (const [index, { name, ids }] of broken.entries()) {
      expect(ids().slice(asked[index]).toSorted()).toEqual(all);
      expect(await handlers.pendingIds(name)).toEqual([]);
      expect(await handlers.deliveries.dead(name, 9)).toEqual([]);
    }
  }, 120_000);

  it('nobody waits for the one that hangs: the others are through while its first attempts are still going on', async () => {
    const healthy = [await open('one', answer(200)), await open('two', answer(200))];
    const [hangs] = [await open('hangs', hang), await open('fails', answer(500))];
    await handlers.publish(someEvents(25));
    // As many invocations as there are batches: the queue does not know that it should be fair.
    handlers.poll(handlers.deliverer({ timeout: 15_000 }), 12);
    for (const { receiver } of healthy) await until(() => receiver.received.length >= 25);
    for (const { ids } of healthy) expect(new Set(ids()).size).toBe(25);
    // One attempt of each invocation, none of them over.
    expect(hangs?.receiver.received.length).toBeLessThanOrEqual(12);
    // The answers are on their way.
    for (const name of ['one', 'two']) await until(() => new Set(toldOf(name)).size === 25);
    expect(toldOf('hangs')).toEqual([]);
    await hangs?.receiver.stop();
  });
});
