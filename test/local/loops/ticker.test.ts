import { expect, it, onTestFinished } from 'vitest';
import { periodOf, startTicker, type TickerOptions } from '../../../local/loops/ticker.ts';
import { ownTime, soon } from '../../kit/local/own-time.ts';

function open(more: Partial<TickerOptions> = {}) {
  const time = ownTime(1_000_000);
  const ticks: number[] = [];
  const changes: string[] = [];
  const failures: unknown[] = [];
  const state = { isChanged: false, hasJobs: false };
  const ticker = startTicker({
    tick: async () => void ticks.push(time.elapsed()),
    period: 60_000,
    ...{ clock: time.clock, sleep: time.sleep },
    hasJobs: async () => state.hasJobs,
    isChanged: () => {
      const { isChanged } = state;
      state.isChanged = false;
      return isChanged;
    },
    onChange: async change => void changes.push(change),
    onFailure: error => failures.push(error),
    ...more,
  });
  onTestFinished(ticker.stop);
  const until = async (ms: number) => {
    while (time.elapsed() < ms) await time.step();
  };
  return { time, ticks, changes, failures, state, ticker, until };
}

it('ticks at once, and then each period', async () => {
  const { ticks, until } = open();
  await until(120_000);
  await soon(() => expect(ticks).toEqual([0, 60_000, 120_000]));
});

it.each([
  [[60_000, 3_600_000], 60_000],
  [[90_000, 3_600_000], 60_000],
  [[20_000, 3_600_000], 5_000],
  [[60_000, 4_000], 1_000],
  [[100, 3_600_000], 1_000],
] as const)('for intervals of %j ms the period is %i ms', ([interval, sweep], period) => {
  const slower = { changes: { fastest: 60_000, slowest: 60_000 }, sweep: 6 * 3_600_000 };
  expect(periodOf([slower, { changes: { fastest: interval, slowest: 300_000 }, sweep }])).toBe(period);
});

it('ticks when it is asked to, and once more after a tick that is under way', async () => {
  const under = Promise.withResolvers<void>();
  const ticks: number[] = [];
  const { ticker, until } = open({
    tick: async () => {
      ticks.push(ticks.length);
      if (ticks.length === 2) await under.promise;
    },
  });
  await until(2_000);
  ticker.now();
  await soon(() => expect(ticks).toHaveLength(2));
  ticker.now();
  under.resolve();
  await soon(() => expect(ticks).toHaveLength(3));
});

it('ticks within 2 s when the clock was set back; a small correction is none', async () => {
  const { ticks, changes, time, until } = open();
  await until(10_000);
  time.jump(time.clock() - 2_900);
  await until(12_000);
  expect(changes).toEqual([]);
  time.jump(time.clock() - 3_600_000);
  await until(14_000);
  await soon(() => expect(ticks).toEqual([0, 14_000]));
  await until(20_000);
  expect(changes).toEqual(['clock']);
  expect(ticks).toEqual([0, 14_000]);
});

it('ticks one time after the other while a replay is under way', async () => {
  const ticks: number[] = [];
  open({
    tick: async () => void ticks.push(ticks.length),
    // A tick works off replays for a second.
    clock: () => 1_000 * ticks.length,
    hasJobs: async () => ticks.length < 5,
  });
  await soon(() => expect(ticks).toHaveLength(5));
});

it.each([
  ['stands still', async () => true],
  ['can not be looked for', () => Promise.reject(new Error('no'))],
])('rests after a tick where a replay %s', async (_, hasJobs) => {
  const { ticks, until } = open({ hasJobs });
  await until(120_000);
  await soon(() => expect(ticks).toEqual([0, 60_000, 120_000]));
});

it('goes on after a tick that failed, and reports it; none is reported once it is stopped', async () => {
  const { failures, ticker, until } = open({ tick: () => Promise.reject(new Error('no')) });
  await until(60_000);
  await soon(() => expect(failures).toEqual([new Error('no'), new Error('no')]));
  await ticker.stop();
  expect(failures).toHaveLength(2);
});
