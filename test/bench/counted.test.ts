import { describe, expect, it } from 'vitest';
import { run } from '../../bench/cost/intervals.ts';
import { covered } from '../../bench/cost/recorder.ts';
import { metricsOf } from '../../bench/cost/runner.ts';
import { metricsShown } from '../../bench/cost/stack.ts';
import { billedMs, meanOf, NOTHING, plus } from '../../bench/cost/used.ts';

describe('what a run is billed', () => {
  it.each([
    ['waits, whatever its memory', { waited: 185, worked: 0 }, 512, 185],
    ['works with a whole processor', { waited: 0, worked: 10 }, 1_769, 10],
    ['works with no more than one', { waited: 0, worked: 10 }, 3_538, 10],
    ['works with the part that it has', { waited: 0, worked: 10 }, 884.5, 20],
    ['begins a ms', { waited: 1.2, worked: 0 }, 512, 2],
  ])('%s', (_, used, memoryMb, ms) => {
    expect(billedMs(used, memoryMb)).toBe(ms);
  });
});

describe('the time that requests are under way', () => {
  it.each([
    ['none', [], 0],
    ['one', [[10, 30]], 20],
    [
      'one after the other',
      [
        [0, 10],
        [20, 25],
      ],
      15,
    ],
    [
      'at once',
      [
        [0, 10],
        [0, 10],
        [5, 8],
      ],
      10,
    ],
    [
      'one that outlasts the other',
      [
        [5, 20],
        [0, 10],
      ],
      20,
    ],
  ] satisfies [string, [number, number][], number][])('%s', (_, intervals, ms) => {
    expect(covered(intervals.map(([began, ended]) => ({ began, ended })))).toBe(ms);
  });
});

describe('the mean of runs', () => {
  it('has the median of their work, and the metrics of all', () => {
    const runs = [1, 2, 300].map(worked => ({
      ...NOTHING,
      worked,
      writeUnits: worked,
      requests: { [`dynamodb.${worked}`]: 3 },
      metrics: [`m${worked}`],
    }));
    expect(meanOf(runs)).toMatchObject({
      worked: 2,
      writeUnits: 101,
      requests: { 'dynamodb.1': 1, 'dynamodb.2': 1, 'dynamodb.300': 1 },
      metrics: ['m1', 'm2', 'm300'],
    });
  });

  it('is nothing where as much is taken away', () => {
    const used = { ...NOTHING, requests: { 'sqs.SendMessage': 2 }, logged: 100, waited: 5 };
    expect(plus(used, used, -1)).toEqual({ ...NOTHING, requests: { 'sqs.SendMessage': 0 } });
  });
});

describe('metrics', () => {
  it('are names and what they belong to, of lines in the embedded format alone', () => {
    const Metrics = [{ Name: 'Late' }, { Name: 'Age' }];
    const line = {
      _aws: { CloudWatchMetrics: [{ Namespace: 'Changewire', Dimensions: [['service']], Metrics }] },
      service: 'changewire',
      Late: 1,
      Age: 3,
    };
    expect(metricsOf(JSON.stringify(line))).toEqual(['Late service=changewire', 'Age service=changewire']);
    expect(metricsOf('{"message":"Pass ended."}')).toEqual([]);
  });
});

describe('a dashboard', () => {
  it('shows each metric once, however often, and arithmetic by what it is made of', () => {
    const metrics = [
      ['AWS/Lambda', 'Errors', 'FunctionName', 'poll', { stat: 'Sum' }],
      ['AWS/Lambda', 'Errors', 'FunctionName', 'poll', { stat: 'Average' }],
      ['AWS/Lambda', 'Errors', 'FunctionName', 'tick'],
      [{ expression: 'FILL(late, 0)' }],
      ['Changewire', 'Late', { id: 'late', visible: false }],
    ];
    const text = JSON.stringify({ widgets: [{ properties: { metrics } }, { properties: {} }] });
    const [begin = '', end = ''] = text.split('"tick"');
    const body = { 'Fn::Join': ['', [`${begin}"`, { Ref: 'TickFunction' }, `"${end}`]] };
    expect(metricsShown(body)).toBe(3);
  });
});

describe('two days of one process', () => {
  const MINUTE = 60_000;

  it('has a pass for each interval where that is fixed', () => {
    expect(run({ fastest: MINUTE, slowest: MINUTE }, 0)).toEqual({
      messages: 2_880,
      passes: 2_880,
      found: 0,
      age: 0,
    });
    const busy = run({ fastest: 5_000, slowest: 5_000 }, 100);
    expect(busy).toMatchObject({ messages: 34_560, passes: 34_560 });
    expect(busy.found).toBeGreaterThan(198);
    expect(busy.age).toBeGreaterThan(2_000);
    expect(busy.age).toBeLessThan(3_000);
  });

  it('has few passes where nothing changes and the interval is adaptive, and more messages than passes', () => {
    const { passes, messages } = run({ fastest: 10_000, slowest: 5 * MINUTE }, 0);
    expect(passes).toBeGreaterThan(570);
    expect(passes).toBeLessThan(585);
    expect(messages).toBeGreaterThan(passes);
    expect(messages).toBeLessThan(7 * passes);
  });

  it('has more of them where something changes', () => {
    const rhythm = { fastest: 10_000, slowest: 5 * MINUTE };
    const [idle, busy] = [run(rhythm, 0), run(rhythm, 100)];
    expect(busy.passes).toBeGreaterThan(idle.passes * 1.3);
    expect(busy.age).toBeLessThan(3 * MINUTE);
  });
});
