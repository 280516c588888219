import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqsQueues } from '../../functions/delivery/queues.ts';
import { answer, hang, type Reaction, startReceiver } from '../endpoints/receiver.ts';
import { someEvents } from './given.ts';
import { type House, openHouse, until } from './house.ts';
import { virtualTime } from './virtual-time.ts';

let house: House;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  house = await openHouse();
});
afterEach(async () => {
  await house.close();
  for (const close of closers.splice(0)) await close();
});

const HOUR = 3_600_000;
const COUNT = 1_000;

async function open(name: string, reaction: Reaction) {
  const receiver = await startReceiver(reaction);
  closers.push(receiver.stop);
  return { name, receiver, settings: await house.endpoint(name, receiver.url) };
}

describe('1,000 events to 5 endpoints, one of which hangs and one of which always fails', () => {
  it('three get each event once, the broken two end in their own dead-letter queues (queues and HTTP are real; time is not: the one that hangs is given 30 ms, and a postponed message comes back at once, three days older)', async () => {
    const healthy = [
      await open('one', answer(200)),
      await open('two', answer(202)),
      await open('three', answer(204)),
    ];
    const broken = [
      { ...(await open('hangs', hang)), reason: 'no answer within 0.03 s' },
      { ...(await open('fails', answer(500))), reason: 'answered 500' },
    ];
    const time = virtualTime({ pause: 0, leap: 72 * HOUR });
    const queues = time.queues(sqsQueues(house.sqs));
    const patient = time.deliverer(house.deliverer({ timeout: 60_000, queues }).deliver);
    const hasty = time.deliverer(house.deliverer({ timeout: 30, queues }).deliver);
    const events = someEvents(COUNT);
    const ids = new Set(events.map(({ id }) => id));
    await house.publish(events);

    for (const { name, settings } of [...broken, ...healthy]) {
      house.poll(settings, name === 'hangs' ? hasty : patient);
    }
    for (const { settings } of [...healthy, ...broken]) {
      await until(async () => (await house.size(settings.queueUrl)) === 0, 150_000);
    }

    for (const { receiver, settings } of healthy) {
      const got = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(got).toHaveLength(COUNT);
      expect(new Set(got)).toEqual(ids);
      expect(await house.size(settings.deadLetterUrl)).toBe(0);
    }
    for (const { name, settings, reason } of broken) {
      const letters = await house.deadLetters(settings);
      expect(letters).toHaveLength(COUNT);
      expect(new Set(letters.map(({ Body = '' }) => JSON.parse(Body).id))).toEqual(ids);
      for (const { MessageAttributes } of letters) {
        expect(MessageAttributes?.reason?.StringValue).toBe(reason);
        expect(MessageAttributes?.endpoint?.StringValue).toBe(name);
        expect(MessageAttributes?.receives?.StringValue).toBe('2');
      }
    }
    expect(broken[1]?.receiver.received).toHaveLength(2 * COUNT);
  }, 180_000);

  it('nobody waits for the one that hangs: the others are through while its first attempts are still going on', async () => {
    const healthy = [await open('one', answer(200)), await open('two', answer(200))];
    const broken = [await open('hangs', hang), await open('fails', answer(500))];
    const { deliver, counts } = house.deliverer({ timeout: 15_000 });
    await house.publish(someEvents(100));
    for (const { settings } of [...broken, ...healthy]) house.poll(settings, deliver);
    for (const { settings, receiver } of healthy) {
      await until(async () => (await house.size(settings.queueUrl)) === 0);
      expect(receiver.received).toHaveLength(100);
    }
    const [hangs] = broken;
    // One attempt of each of its two invocations, none of them over.
    expect(hangs?.receiver.received.length).toBeLessThanOrEqual(2);
    expect(counts).toMatchObject({ 'EventsDelivered one': 100, 'EventsDelivered two': 100 });
    expect(counts).not.toHaveProperty('DeliveriesPostponed hangs');
    await hangs?.receiver.stop();
  });
});

describe('an event whose endpoint fails for three days (virtual time: a postponed message comes back at once, older by its pause)', () => {
  it('is tried 13 times, at Standard Webhooks’ pauses, and is then in the dead-letter queue', async () => {
    const { settings, receiver } = await open('fails', answer(500));
    const time = virtualTime({ pause: 0 });
    const { deliver } = house.deliverer({ queues: time.queues(sqsQueues(house.sqs)) });
    await house.publish(someEvents(1));
    house.poll(settings, time.deliverer(deliver), 1);
    await until(async () => (await house.size(settings.deadLetterUrl)) === 1);
    expect(time.pauses.slice(0, 11)).toEqual([5, 300, 1800, 7200, 18_000, ...Array(6).fill(36_000)]);
    expect(time.pauses).toHaveLength(12);
    expect(time.pauses.reduce((sum, pause) => sum + pause)).toBeCloseTo(72 * 3600, -1);
    expect(receiver.received).toHaveLength(13);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });
});
