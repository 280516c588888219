import { expect, it, onTestFinished } from 'vitest';
import { PRICES } from '../../bench/cost/prices.ts';
import { MINUTE, SECOND } from '../kit/time.ts';
import { VirtualStack } from '../kit/virtual-stack.ts';

function open(...how: ConstructorParameters<typeof VirtualStack>): VirtualStack {
  const stack = new VirtualStack(...how);
  onTestFinished(() => stack.close());
  return stack;
}

type Cost = ReturnType<VirtualStack['takeCost']>;

/** Dollars, for a function of 1 GB: a message is received and deleted, or shown again. */
function dollars({ runs, ms, writes }: Cost): number {
  const price = (item: keyof typeof PRICES) => (PRICES[item].tiers[0]?.dollars ?? 0) / PRICES[item].per;
  const run = price('lambdaRequests') + 2 * (price('sqsRequests') + price('sqsGrouped'));
  return runs * run + (ms / 1_000) * price('lambdaGbSeconds') + writes * price('dynamodbWrites');
}

it('invariant 12: a workspace in trouble delays no other, and costs less than ten idle processes of another', async () => {
  const sick = ['overloaded', 'hanging', 'refusing'];
  const stack = open({
    ...{ healthy: { processes: 50 }, ten: { processes: 10 } },
    ...Object.fromEntries(sick.map(name => [name, { processes: 150 }])),
  });
  await stack.baseline();
  stack.behave('overloaded', () => ({ status: 503, headers: { 'retry-after': '600' } }));
  stack.behave('hanging', () => undefined);
  stack.behave('refusing', () => ({ status: 401 }));

  // The outbreak: what is under way meets it, and is waited for.
  await stack.minutes(2);
  for (const name of sick) {
    const { ms, requests } = stack.takeCost(name);
    expect.soft(ms, name).toBeLessThan(name === 'hanging' ? 7 * MINUTE : SECOND);
    expect.soft(requests, name).toBeLessThan(60);
  }
  // Subscribers are told, once for each process.
  await stack.minutes(16);
  for (const name of sick) expect(stack.events(name, 'source.stalled'), name).toBe(150);
  for (const name of [...sick, 'ten']) stack.takeCost(name);

  await stack.minutes(9);
  const idle = stack.takeCost('ten');
  for (const name of sick) {
    const cost = stack.takeCost(name);
    expect.soft(dollars(cost), name).toBeLessThan(dollars(idle));
    expect.soft(cost.runs, name).toBeLessThan(idle.runs);
    expect.soft(cost.writes, name).toBeLessThan(idle.writes);
    expect.soft(cost.requests, name).toBeLessThan(idle.requests / 10);
    if (name !== 'hanging') expect.soft(cost.ms, name).toBeLessThan(idle.ms);
    expect.soft(stack.events(name, 'source.stalled'), name).toBe(150);
  }

  const passes = stack.ran.filter(
    ({ message }) => message.workspace === 'healthy' && message.mode === 'changes',
  );
  expect(passes.flatMap(({ message }) => message.processes)).toHaveLength(27 * 50);
  expect(Math.max(...passes.map(({ at, dueAt }) => at - dueAt))).toBeLessThan(10 * SECOND);
  expect(new Set(passes.map(({ outcome }) => outcome))).toEqual(new Set(['polled']));

  expect(sick.map(name => stack.most(name) <= 16)).toEqual([true, true, true]);
});

it('the requests at once that a workspace allows are never exceeded while a hundred processes are made known, and other processes of the workspace go on being polled', async () => {
  const stack = open({ eu: { processes: 125, projects: 8 } });
  await stack.baseline(25);
  stack.latency = 300;
  let minutes = 0;
  for (; stack.unbaselined('eu') > 0 && minutes < 40; minutes++) await stack.minutes(1);
  expect(stack.unbaselined('eu')).toBe(0);
  expect(stack.most('eu')).toBeGreaterThan(12);
  expect(stack.most('eu')).toBeLessThanOrEqual(16);
  expect(stack.said.filter(({ level }) => level !== 'info')).toEqual([]);
});
