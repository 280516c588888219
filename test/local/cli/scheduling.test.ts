import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../functions/service/client.ts';
import { createTickProgresses } from '../../../functions/store/dynamo/tick.ts';
import { ownTime } from '../../kit/local/own-time.ts';
import { startScheduling } from '../../kit/local/scheduling.ts';
import { openStage } from '../../kit/stage.ts';
import { PROCESS } from '../../kit/world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const stage = openStage();

const FIXED = { fastest: 5 * SECOND, slowest: 5 * SECOND };
const ADAPTIVE = { fastest: 5 * SECOND, slowest: 40 * SECOND };

/** A run over one process; when each pass of each mode began, in s of the time that has passed. `fails`: while it is set, every pass fails. */
async function open(changes: typeof FIXED, sweep: number, isBaselined = true) {
  const world = await stage.create({
    projects: 2,
    settings: { processes: [{ id: PROCESS, changes, sweep }] as never },
  });
  if (isBaselined) await world.run();
  const time = ownTime(world.clock.now);
  const begins: Record<'changes' | 'sweep', number[]> = { changes: [], sweep: [] };
  const service = { fails: false };
  const connection = connect({
    ...{ ...world.workspace, openAgent: world.openAgent, credentials: async () => world.service },
    ...{ clock: time.clock, sleep: time.sleep, random: () => 0.5, onNotice: () => undefined },
  });
  onTestFinished(connection.close);
  const poll = world.poller({ clock: time.clock, connect: () => connection });
  await startScheduling({
    source: { watched: [{ workspace: world.workspace, credentials: { clientId: '', clientSecret: '' } }] },
    progress: createTickProgresses(stage.table),
    rows: world.rows,
    poll: async (request, context) => {
      const { mode } = request;
      if (!service.fails) {
        const polled = await poll(request, context);
        for (const one of polled.processes.values())
          if ('report' in one && one.report.outcome !== 'not-due') begins[mode].push(time.elapsed() / SECOND);
        return polled;
      }
      if ((request.expiresAt ?? 0) <= time.clock()) return { outcome: 'expired', processes: new Map() };
      begins[mode].push(time.elapsed() / SECOND);
      const error = new Error('The service is away.');
      return { outcome: 'polled', processes: new Map([[PROCESS, { error }]]) };
    },
    time,
  });
  const until = async (seconds: number) => {
    while (time.elapsed() < seconds * SECOND) await time.step(2);
  };
  return { world, time, begins, service, until };
}

/** The longest time between two of these, and from the last one to `end`. */
const longestGap = (begins: readonly number[], from: number, end: number): number => {
  const all = [from, ...begins.filter(at => at > from), end];
  return Math.max(...all.slice(1).map((at, index) => at - (all[index] as number)));
};

test('sweeps come at their interval from the baseline on, also the first ones', async () => {
  const { begins, until } = await open(FIXED, 4 * SECOND, false);
  await until(30);
  expect(longestGap(begins.sweep, 0, 30)).toBeLessThanOrEqual(5);
});

test.each([
  ['an hour back', FIXED, -HOUR],
  ['an hour back, where passes adapt', ADAPTIVE, -HOUR],
  ['half a minute back', FIXED, -MINUTE / 2],
  ['half a minute back, where passes adapt', ADAPTIVE, -MINUTE / 2],
  ['a day ahead', FIXED, 24 * HOUR],
  ['a day ahead, where passes adapt', ADAPTIVE, 24 * HOUR],
] as const)('passes and sweeps go on when the clock is set %s', async (_, changes, by) => {
  const { begins, time, until } = await open(changes, 20 * SECOND);
  await until(60);
  time.jump(time.clock() + by);
  await until(180);
  // What was completed up to a minute ahead of the clock counts as completed.
  const tolerated = by < 0 && by >= -MINUTE ? -by / SECOND : 0;
  // Passes that adapt begin at the moments of their group, half of `fastest` early or late.
  const moment = changes === ADAPTIVE ? changes.fastest / 2 : 0;
  const longest = (changes.slowest + moment) / SECOND + 1 + tolerated;
  expect(longestGap(begins.changes, 0, 180)).toBeLessThanOrEqual(longest);
  expect(longestGap(begins.sweep, 40, 180)).toBeLessThanOrEqual(Math.max(41, 21 + tolerated));
});

const RHYTHMS = Object.entries({ fixed: FIXED, adaptive: ADAPTIVE });

// By less than a claim of a tick is believed that lies ahead, and by more than clocks differ.
test.each(RHYTHMS)('passes, %s, go on at once when the clock is set back by 90 s', async (_, changes) => {
  const { begins, time, until } = await open(changes, HOUR);
  await until(100);
  time.jump(time.clock() - 90 * SECOND);
  await until(300);
  const moment = changes === ADAPTIVE ? changes.fastest / 2 : 0;
  // A pass that is late by a few requests is no stop of 90 s.
  expect(longestGap(begins.changes, 0, 300)).toBeLessThanOrEqual((changes.slowest + moment) / SECOND + 5);
});

test.each(RHYTHMS)('failing passes, %s, are no more frequent after a clock set back', async (_, changes) => {
  const { begins, service, time, until } = await open(changes, HOUR);
  await until(40);
  time.jump(time.clock() - HOUR);
  service.fails = true;
  const before = begins.changes.length;
  await until(160);
  expect(begins.changes.length - before).toBeLessThanOrEqual(120 / 5 + 2);
  expect(longestGap(begins.changes, 40, 160)).toBeLessThanOrEqual(61);
});

test('a local run looks at a quiet process less and less often, and at once more often when something changed', async () => {
  const changes = { fastest: 10 * SECOND, slowest: 100 * SECOND };
  // No sweep: when one is due depends on the world's name, and it might find the change first.
  const { world, begins: all, until } = await open(changes, 365 * 24 * HOUR);
  const begins = all.changes;
  await until(300);
  // Each begins at a moment of its group, half of `fastest` early or late.
  const gaps = () => begins.slice(1).map((at, index) => at - (begins[index] as number));
  const expectGaps = (expected: readonly number[]) => {
    expect(gaps()).toHaveLength(expected.length);
    for (const [index, gap] of gaps().entries())
      expect(Math.abs(gap - (expected[index] as number))).toBeLessThanOrEqual(5);
  };
  const quiet = [10, 20, 40, 80, 100];
  expectGaps(quiet);
  world.edit.updateProject(PROCESS, '1001', { budget: '7' });
  await until(392);
  expectGaps([...quiet, 100, 10, 20]);
});
