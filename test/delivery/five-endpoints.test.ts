import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { someEvents } from '../kit/delivery/given.ts';
import { type House, openHouse, until } from '../kit/delivery/house.ts';
import { answer, hang, type Reaction, reset, startReceiver } from '../kit/delivery/receiver.ts';

let house: House;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  house = await openHouse();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await house.close();
});

const HOUR = 3_600_000;
const COUNT = 100;

/** An endpoint that reacts so, until it is mended. */
async function open(name: string, reaction: Reaction) {
  let current = reaction;
  const receiver = await startReceiver((response, received) => current(response, received));
  closers.push(receiver.stop);
  await house.endpoint(name, receiver.url);
  const mend = () => {
    current = answer(200);
  };
  const ids = () => receiver.received.map(({ headers }) => headers['webhook-id'] ?? '');
  return { name, receiver, mend, ids };
}

/** The events that delivery batches for this endpoint have told of so far. */
const toldOf = (name: string) =>
  house.said.flatMap(({ details }) => (details.endpoint === name ? (details.events ?? []) : [])) as string[];

describe('100 events to 5 endpoints of one queue, one of which breaks off each connection and one of which always fails', () => {
  it('invariant 11: three get each event once; the broken two have all of theirs in rows for an hour, and get them within 15 minutes of being mended', async () => {
    const healthy = [
      await open('one', answer(200)),
      await open('two', answer(202)),
      await open('three', answer(204)),
    ];
    const broken = [await open('breaks', reset), await open('fails', answer(500))];
    house.poll(house.deliverer({ timeout: 15_000 }), 6);
    const events = someEvents(COUNT);
    const all = events.map(({ id }) => id).toSorted();
    const began = house.clock();
    await house.publish(events);
    await house.settle(began + HOUR);

    for (const { name, ids } of healthy) {
      expect(ids().toSorted()).toEqual(all);
      expect(await house.pendingIds(name)).toEqual([]);
    }
    for (const { name, mend } of broken) {
      expect((await house.pendingIds(name)).toSorted()).toEqual(all);
      expect((await house.rows.read(name))?.health.failing).toBeDefined();
      mend();
    }
    const mended = house.clock();
    const asked = broken.map(({ ids }) => ids().length);
    await house.settle();
    expect(house.clock() - mended).toBeLessThan(15 * 60_000 + 60_000);
    for (const [index, { name, ids }] of broken.entries()) {
      expect(ids().slice(asked[index]).toSorted()).toEqual(all);
      expect(await house.pendingIds(name)).toEqual([]);
      expect(await house.deliveries.dead(name, 9)).toEqual([]);
    }
  }, 120_000);

  it('nobody waits for the one that hangs: the others are through while its first attempts are still going on', async () => {
    const healthy = [await open('one', answer(200)), await open('two', answer(200))];
    const [hangs] = [await open('hangs', hang), await open('fails', answer(500))];
    await house.publish(someEvents(25));
    // As many invocations as there are batches: the queue does not know that it should be fair.
    house.poll(house.deliverer({ timeout: 15_000 }), 12);
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
