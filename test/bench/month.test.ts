import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Measured } from '../../bench/cost/measure.ts';
import { ASSUMED, emptyReceives, monthOf, outageOf, sumOf } from '../../bench/cost/month.ts';
import { costPage } from '../../bench/cost/page.ts';
import { configOf, processesOf, SIZES, type Size } from '../../bench/cost/sizes.ts';
import type { StackFacts } from '../../bench/cost/stack.ts';
import { NOTHING, type Used } from '../../bench/cost/used.ts';
import { readConfig } from '../../functions/config/read.ts';

const MINUTES = 43_800;
const SWEEPS = 730 / 6;
const sized = (name: Size['name']) => SIZES.find(size => size.name === name) as Size;
const used = (some: Partial<Used>): Used => ({ ...NOTHING, ...some });

const facts: StackFacts & { processes: number } = {
  resources: 87,
  alarms: 15,
  alarmMetrics: 17,
  dashboards: [50, 51],
  queues: 5,
  mappings: [
    { source: 'Passes', target: 'poll', batch: 1, seconds: 0 },
    { source: 'stream', target: 'publish', batch: 100, seconds: 0 },
    { source: 'Events', target: 'route', batch: 10, seconds: 0 },
    { source: 'Deliveries', target: 'deliver', batch: 10, seconds: 0 },
  ],
  starts: { tick: MINUTES },
  isTopicEncrypted: false,
  isRecoverable: true,
  processes: 4_000,
};
const batch = (first: Used) => ({ first, further: NOTHING });
const way = {
  publish: batch(used({ published: 1 })),
  route: batch(used({ sqs: 1, sqsGrouped: 1 })),
  deliver: batch(
    used({ requests: { 'ssm.GetParameter': 0.5 }, writeUnits: 1, metrics: ['Delivered service=x'] }),
  ),
};
const measured: Measured = {
  commit: 'abc',
  date: '2026-01-01',
  stacks: { idle: facts, busy: facts, large: facts },
  functions: {
    deliver: { memoryMb: 512, initMs: 0, gzip: 0 },
    poll: { memoryMb: 1_024, initMs: 0, gzip: 0 },
    tick: { memoryMb: 512, initMs: 0, gzip: 0 },
  },
  baseline: NOTHING,
  idlePass: used({ writeUnits: 2, readUnits: 4, waited: 100, logged: 10 }),
  dropped: NOTHING,
  change: used({ writeUnits: 4 }),
  sweep: used({ readUnits: 1_000, waited: 10_000 }),
  tick: { idle: used({ waited: 50, metrics: ['Age service=x'] }), busy: NOTHING, large: NOTHING },
  delivering: { busy: way, large: way },
  pollPeakMb: 0,
  projectBytes: 1_000,
  changeBytes: 100,
  attemptBytes: 10,
};

describe('a month', () => {
  it('of 5 idle processes is their passes, their sweeps and the tick', () => {
    const [passes, sweeps] = [5 * MINUTES, 5 * SWEEPS];
    const usage = sumOf(monthOf(measured, sized('idle')));
    expect(usage.lambdaRequests).toBeCloseTo(passes + sweeps + MINUTES, 3);
    expect(usage.lambdaGbSeconds).toBeCloseTo(0.1 * passes + 10 * sweeps + 0.5 * 0.05 * MINUTES, 3);
    expect(usage.dynamodbWrites).toBeCloseTo(2 * passes, 3);
    expect(usage.dynamodbReads).toBeCloseTo(4 * passes + 1_000 * sweeps, 3);
    // Two queues that nobody fills, and two requests for each pass, whose messages have a group.
    const empty = 2 * 657_000 + emptyReceives(passes + sweeps);
    expect(usage.sqsRequests).toBeCloseTo(empty + 2 * (passes + sweeps), 3);
    expect(usage.sqsGrouped).toBeCloseTo(2 * (passes + sweeps), 3);
    expect(usage).toMatchObject({
      metrics: 1,
      alarmMetrics: 17,
      dashboards: 1,
      largeDashboards: 1,
      secrets: 1,
    });
    expect(usage).toMatchObject({ logsWritten: 10 * passes, dynamodbStorage: 5 * 2_000 * 1_000 });
    expect(usage).toMatchObject({ snsPublished: 0, keyCalls: 0, schedulerStarts: MINUTES });
  });

  it('of busy ones is their changes, too, each published once and delivered to three', () => {
    const changes = 5_000 * (730 / 24);
    const usage = sumOf(monthOf(measured, sized('busy')));
    expect(usage.snsPublished).toBeCloseTo(changes, 3);
    // Beside those of the runs, each environment reads the secrets of three endpoints when it starts.
    expect(usage.keyCalls - 1.5 * changes).toBeGreaterThan(3 * 12 * 30);
    expect(usage.keyCalls - 1.5 * changes).toBeLessThan(3 * 12 * 31 * 2);
    expect(usage.dynamodbWrites).toBeCloseTo(2 * 50 * MINUTES + 4 * changes + 3 * changes, 3);
    expect(usage.dynamodbStorage).toBe(50 * 2_000 * 1_000 + 5_000 * (30 * 100 + 7 * 3 * 10));
    expect(usage.metrics).toBe(1);
  });

  it('has what each process has as often as there are processes, and what each stack has for each', () => {
    const ofEach = used({ metrics: ['Done processId=p1', 'Late processId=p1', 'Age service=x'] });
    const small = { ...facts, alarmMetrics: 300, processes: 60, mappings: [] };
    const old = { ...measured, idlePass: ofEach, stacks: { ...measured.stacks, large: small } };
    const usage = sumOf(monthOf(old, sized('large')));
    expect(usage).toMatchObject({ metrics: 2 * 4_000 + 2 * 67, alarmMetrics: 20_000, dashboards: 67 });
    // Passes and ticks: nothing is in a queue.
    expect(usage.schedulerStarts).toBeCloseTo(4_000 * (MINUTES + SWEEPS) + 67 * MINUTES, 3);
  });
});

describe('a month of messages that name several processes', () => {
  const idleRun = { processes: 25, used: used({ writeUnits: 3, readUnits: 50, waited: 400 }) };
  const idleRuns = {
    idle: { ...idleRun, processes: 5 },
    busy: { ...idleRun, processes: 10 },
    large: idleRun,
  };
  const grouped: Measured = { ...measured, idleRuns };
  const passesOf = (of: Measured, name: Size['name']) => monthOf(of, sized(name))[0]?.usage;

  it.each([
    ['idle', 1],
    ['busy', 5],
    ['large', 160],
  ] as const)('is a run a minute for each group of processes: %s', (name, groups) => {
    const runs = groups * MINUTES;
    const usage = passesOf(grouped, name);
    expect(usage?.lambdaRequests).toBeCloseTo(runs, 3);
    expect(usage?.dynamodbWrites).toBeCloseTo(3 * runs, 3);
    expect(usage?.lambdaGbSeconds).toBeCloseTo(0.4 * runs, 3);
    expect(usage?.sqsRequests).toBeCloseTo(2 * runs, 3);
  });

  it('has days in which the service answers nothing: no pass is made, and each process tells that twice', () => {
    const outage = {
      ...{ met: used({ waited: 34_000 }), probe: used({ waited: 4_000 }) },
      ...{ announced: used({ writeUnits: 100 }), recovered: used({ writeUnits: 200 }) },
    };
    expect(outageOf(grouped, sized('large'))).toBeUndefined();
    const day = outageOf({ ...grouped, outage }, sized('large')) ?? [];
    const usageOf = (name: string) => day.find(({ cause }) => cause === name)?.usage;
    expect(usageOf('passes that find nothing')).toBeUndefined();
    expect(usageOf('sweeps')).toBeUndefined();
    expect(usageOf('runs that meet the outage')?.lambdaGbSeconds).toBeCloseTo(160 * 34, 3);
    expect(usageOf('probes')?.lambdaRequests).toBeCloseTo(40 * 180, 3);
    expect(usageOf('announcing')?.dynamodbWrites).toBeCloseTo(160 * 100, 3);
    expect(usageOf('recovering')?.dynamodbWrites).toBeCloseTo(160 * 200, 3);
    expect(usageOf('changes: publishing')?.snsPublished).toBeCloseTo(8_000, 3);
    expect(usageOf('tick')?.lambdaRequests).toBeCloseTo(1_440, 3);
    // A smaller group announces less at once.
    const few = outageOf({ ...grouped, outage }, sized('idle')) ?? [];
    const announcing = few.find(({ cause }) => cause === 'announcing');
    expect(announcing?.usage.dynamodbWrites).toBeCloseTo(20, 3);
    // Beside its one metric the tick writes two all day, and events are counted in two hours.
    const watching = few.find(({ cause }) => cause === 'watching');
    expect((watching?.usage.metrics ?? 0) * ASSUMED.daysPerMonth).toBeCloseTo(1 + 2 + 2 / 24, 3);
  });
});

describe('receives that find nothing', () => {
  it.each([
    ['are as many as pollers wait where nothing comes', 0, 657_000],
    ['are nearly so many where hardly anything comes: a batch cuts half of a wait short', 1_000, 656_500],
    ['are fewer where more comes', 657_000, 657_000 / (Math.E - 1)],
    ['are hardly any where there is always something', 20_000_000, 0],
  ])('%s', (_, batches, empty) => {
    expect(emptyReceives(batches)).toBeCloseTo(empty, -1);
  });
});

describe('the sizes', () => {
  it.each(SIZES)('are configurations: $title', size => {
    const config = readConfig(configOf(size));
    const [stack] = [config].flat();
    expect(stack?.workspaces.flatMap(({ processes }) => processes)).toHaveLength(size.processes);
    expect(stack?.workspaces).toHaveLength(size.workspaces);
    expect(stack?.endpoints).toHaveLength(size.endpoints);
  });

  it('have each event wanted by three endpoints', () => {
    const large = sized('large');
    const { endpoints } = configOf(large) as { endpoints: { filter: { processes: string[] } }[] };
    for (const { processId } of processesOf(large).slice(0, 200)) {
      const wanting = endpoints.filter(({ filter }) => filter.processes.includes(processId));
      expect(wanting).toHaveLength(large.wanted);
    }
  });
});

describe('docs/cost.md', () => {
  const root = join(import.meta.dirname, '../..');
  const now = JSON.parse(readFileSync(join(root, 'bench/cost/measured/now.json'), 'utf8')) as Measured;

  it('is what `npm run cost` prints', () => {
    expect(readFileSync(join(root, 'docs/cost.md'), 'utf8')).toBe(costPage(now));
  });
});
