import { expect, it } from 'vitest';
import { run } from '../../bench/cost/intervals.ts';
import { metricsShown } from '../../bench/cost/stack.ts';
import { billedMs, meanOf, NOTHING } from '../../bench/cost/used.ts';

it.each([
  ['waits, whatever its memory', { waited: 185, worked: 0 }, 512, 185],
  ['works with a whole processor', { waited: 0, worked: 10 }, 1_769, 10],
  ['works with no more than one', { waited: 0, worked: 10 }, 3_538, 10],
  ['works with the part that it has', { waited: 0, worked: 10 }, 884.5, 20],
  ['begins a ms', { waited: 1.2, worked: 0 }, 512, 2],
])('a run is billed when it %s', (_, used, memoryMb, ms) => {
  expect(billedMs(used, memoryMb)).toBe(ms);
});

it('the mean of runs has the median of their work, and the metrics of all', () => {
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
    metrics: ['m1', 'm2', 'm300'],
    requests: { 'dynamodb.1': 1, 'dynamodb.2': 1, 'dynamodb.300': 1 },
  });
});

it('a dashboard shows each metric once, however often, and arithmetic by what it is made of', () => {
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

it('two days of an idle process with an adaptive interval have few passes, and more messages than passes', () => {
  const { passes, messages } = run({ fastest: 10_000, slowest: 300_000 }, 0);
  expect(passes).toBeGreaterThan(570);
  expect(passes).toBeLessThan(585);
  expect(messages).toBeGreaterThan(passes);
  expect(messages).toBeLessThan(7 * passes);
});
