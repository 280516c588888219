import { expect, it } from 'vitest';
import { type Manner, type Member, simulate, waitsOf } from '../kit/delivery/many-endpoints.ts';

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);
const STREAM = { seconds: 15, perSecond: 1 };
const SECOND = 1000;

/** Of this number of waits, in ms. It is printed, so that it can be cited. */
function p99(waits: readonly (readonly number[])[], what: string, count: number): number {
  const all = waits.flat().toSorted((one, other) => one - other);
  expect(all).toHaveLength(count);
  const found = all[Math.ceil(all.length * 0.99) - 1] as number;
  process.stdout.write(`p99 from routing to the first attempt, ${what}: ${found / SECOND} s\n`);
  return found;
}

it('50 endpoints of one queue, 10 of which hang, 10 answer 500 and 5 answer 429, try each event at the 25 others as soon as if these were well: the p99 is at most twice as long', async () => {
  const count = 25 * STREAM.seconds * STREAM.perSecond;
  const well = await waitsOf(times<Manner>(50, 200), STREAM);
  const ill: Manner[] = [
    ...times(25, 200),
    ...times(10, 'hangs'),
    ...times(10, 500),
    ...times(5, 429),
  ] as Manner[];
  const beside = await waitsOf(ill, STREAM);
  const alone = p99(well.slice(0, 25), 'webhooks alone', count);
  expect(alone).toBeGreaterThan(0);
  expect(p99(beside, 'webhooks beside endpoints that fail', count) / alone).toBeLessThanOrEqual(2);
}, 60_000);

it('20 channels, of which one gets a burst of 1,500 events, show each event of the 19 others within 10 s', async () => {
  const [channels, seconds, each] = [20, 100, 10];
  const members = times<Member>(channels, { manner: 200, settings: { kind: 'slack' } });
  const waits = await simulate(members, (seconds + 30) * SECOND, (world, after) => {
    let number = 0;
    after(SECOND, () => {
      for (let of = 0; of < 1_500; of++) void world.send(0, world.eventOf(1_000_000 + of));
    });
    for (let channel = 1; channel < channels; channel++)
      for (let at = 0; at < seconds; at += each)
        after((at + 2) * SECOND + channel * 400, () => void world.send(channel, world.eventOf(++number)));
  });
  const others = waits.slice(1);
  const count = ((channels - 1) * seconds) / each;
  expect(p99(others, 'channels beside one with a burst', count)).toBeLessThanOrEqual(10 * SECOND);
}, 60_000);

it('220 webhooks, of which 200 drain a backlog of 400 rows each, at 3 a second, try each event at the 20 others within 10 s', async () => {
  const [others, draining, seconds] = [20, 200, 15];
  const members: Member[] = [
    ...times<Member>(others, { manner: 200, settings: { kind: 'webhook' } }),
    ...times<Member>(draining, { manner: 200, settings: { kind: 'webhook', perSecond: 3 } }),
  ];
  const waits = await simulate(members, (seconds + 12) * SECOND, async (world, after) => {
    for (let index = others; index < members.length; index++) await world.backlog(index, 400);
    // One after the other, as endpoints come back: each message that wakes a run is received alone.
    for (let index = others; index < members.length; index++)
      after((index - others) * 50, () => void world.wake(index));
    let number = 10_000;
    for (let index = 0; index < others; index++)
      for (let at = 0; at < seconds; at += 5)
        after((at + 2) * SECOND + index * 200, () => void world.send(index, world.eventOf(++number)));
  });
  const count = (others * seconds) / 5;
  expect(p99(waits.slice(0, others), 'webhooks beside 200 that drain', count)).toBeLessThanOrEqual(
    10 * SECOND,
  );
}, 120_000);
