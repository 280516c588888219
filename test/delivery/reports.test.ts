import { describe, expect, it, onTestFinished } from 'vitest';
import { createRegistry } from '../../functions/delivery/registry.ts';
import { hasReports, reportProblem, reportRecovery, sendReports } from '../../functions/delivery/reports.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import { HEALTH_TYPES } from '../../functions/model/filter.ts';
import { checkEvents } from '../kit/check-event.ts';
import { AT, DAY, HOUR, MINUTE, SECOND } from '../kit/delivery/setting.ts';
import { openWatched } from '../kit/delivery/watched.ts';
import { STORES, type TestStore } from '../kit/store/stores.ts';

const webhook = (name: string, events?: readonly string[]): EndpointSettings => ({
  ...{ name, kind: 'webhook' },
  ...(events && { filter: { events: events as never } }),
});
const [open] = STORES.flatMap(([name, open]) => (name === 'SQLite' ? [open] : []));
const inMemory = () => (open as NonNullable<typeof open>)();
const typesOf = (all: readonly { readonly event: { readonly type: string } }[]) =>
  all.map(({ event }) => event.type);

it('a receiver that dies is reported within a minute of failing, once, and its recovery, to the endpoints that name the types', async () => {
  const world = await openWatched(await inMemory(), [
    webhook('crm', [...HEALTH_TYPES, 'task.updated']),
    webhook('ops', HEALTH_TYPES),
    webhook('stops', ['endpoint.stopped', 'task.updated']),
    webhook('all'),
    webhook('bare', ['task.updated']),
  ]);
  let isDead = true;
  world.answers.set('crm', () => (isDead ? 503 : 200));
  for (let second = 0; second < 120; second += 10) {
    await world.change('crm');
    await world.pass(10 * SECOND);
  }
  const [failing] = world.told('ops');
  expect(failing?.at).toBeLessThanOrEqual(2 * MINUTE);
  await world.pass(HOUR, 5 * MINUTE);
  isDead = false;
  await world.pass(HOUR, 5 * MINUTE);
  const told = world.told('ops');
  expect(typesOf(told)).toEqual(['endpoint.failing', 'endpoint.recovered']);
  checkEvents(told.map(({ event }) => event));
  const [first, second] = told.map(({ event }) => event);
  expect(first).toMatchObject({
    source: '/endpoints/crm',
    data: { endpoint: { name: 'crm', kind: 'webhook' }, reason: 'answered 503' },
  });
  expect(Number(second?.sequence)).toBeGreaterThan(Number(first?.sequence));
  const sinceOf = (event: (typeof told)[number]['event'] | undefined) =>
    event && 'since' in event.data && event.data.since;
  expect(sinceOf(second)).toBe(sinceOf(first));
  expect(world.attempts()).toHaveLength(2);
  expect(world.lines.filter(({ code }) => code === 'endpoint.reported')).toHaveLength(2);
});

it('an endpoint that answers 410 is reported as stopped at once, and as recovered once it accepts again', async () => {
  const store = await inMemory();
  const world = await openWatched(store, [webhook('crm'), webhook('ops', HEALTH_TYPES)]);
  world.answers.set('crm', () => 410);
  await world.change('crm');
  await world.pass(SECOND);
  expect(typesOf(world.told('ops'))).toEqual(['endpoint.stopped']);
  await world.pass(DAY);
  await store.endpoints.change('crm', row => row && { ...row, health: { reports: row.health.reports } });
  world.answers.set('crm', () => 200);
  await world.change('crm');
  await world.pass(SECOND);
  expect(typesOf(world.told('ops'))).toEqual(['endpoint.stopped', 'endpoint.recovered']);
});

/** This view of a store dies at a call of it after the first transition, before or after its effect. */
function dying(store: TestStore, at: number, when: 'before' | 'after') {
  let [hasReport, calls, isDead] = [false, 0, false];
  const guard =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const isLast = hasReport && ++calls === at;
      if (isDead || (isLast && when === 'before')) return die();
      const result = await work(...args);
      return isLast ? die() : result;
    };
  const die = (): never => {
    isDead = true;
    throw new Error('killed');
  };
  const { endpoints, deliveries } = store;
  const change: typeof endpoints.change = async (...args) => {
    const row = await endpoints.change(...args);
    hasReport ||= row?.health.reports?.open !== undefined;
    return row;
  };
  const ports = {
    endpoints: {
      ...endpoints,
      list: guard(endpoints.list),
      read: guard(endpoints.read),
      change: guard(change),
    },
    deliveries: { ...deliveries, add: guard(deliveries.add), note: guard(deliveries.note) },
  };
  return { ports, died: () => isDead };
}

it('a run that dies between a transition and its report loses no report and adds none, wherever it dies: each send has the same bytes', async () => {
  let deaths = 0;
  for (const when of ['before', 'after'] as const)
    for (let call = 1; ; call++) {
      const store = await inMemory();
      const world = await openWatched(store, [webhook('crm'), webhook('ops', HEALTH_TYPES)]);
      const { ports, died } = dying(store, call, when);
      world.restart(ports);
      world.answers.set('crm', () => 410);
      await world.change('crm');
      // Before, it was tried again by the queue.
      world.restart();
      await world.pass(2 * MINUTE);
      const told = world.told('ops');
      const texts = new Set(told.map(({ event }) => JSON.stringify(event)));
      expect([call, when, texts.size]).toEqual([call, when, 1]);
      expect(typesOf(told.slice(0, 1))).toEqual(['endpoint.stopped']);
      expect((await store.endpoints.read('crm'))?.health.reports?.open).toBeUndefined();
      if (!died()) break;
      deaths += 1;
      expect(told.length).toBeLessThanOrEqual(2);
    }
  expect(deaths).toBeGreaterThan(10);
});

/** The report of an endpoint that stopped, which is to be sent. */
async function openReport(configured = [webhook('crm'), webhook('ops', HEALTH_TYPES)]) {
  const store = await inMemory();
  onTestFinished(store.stop);
  const { endpoints: rows, deliveries } = store;
  const clock = () => AT;
  const registry = createRegistry(configured, rows, clock, undefined, 0);
  const nothing = async () => undefined;
  const log = { info: () => undefined, warn: () => undefined };
  const problem = { now: AT, depth: 0, origin: undefined, reason: '' };
  const health = reportProblem({ stopped: { at: AT, reason: 'answered 410' } }, problem);
  await rows.change('crm', () => ({ name: 'crm', health }));
  return { rows, deliveries, registry, clock, queues: { wake: nothing }, log };
}

it('two runs that send the same report leave the report of a recovery that comes between their removals', async () => {
  const { rows, deliveries, ...more } = await openReport();
  const ports = { rows, deliveries, ...more };
  const add: typeof deliveries.add = async all => {
    await deliveries.add(all);
    await sendReports('crm', ports);
    await rows.change('crm', row => row && { ...row, health: reportRecovery(row.health, AT, undefined) });
  };
  await sendReports('crm', { ...ports, deliveries: { ...deliveries, add } });
  expect((await rows.read('crm'))?.health.reports?.open).toMatchObject([{ type: 'endpoint.recovered' }]);
});

it.each([
  ['removed', undefined, 0],
  ['removed, and another one of its name added', { addedAt: AT + 1 }, 0],
  ['changed to want no reports before they are added', { before: true }, 0],
  ['as it was', {}, 1],
])('a report is for the endpoint that wants it: not where that is %s', async (_, later, count) => {
  const { rows, deliveries, ...more } = await openReport([webhook('crm')]);
  const row = { name: 'ops', settings: webhook('ops', HEALTH_TYPES), health: {}, addedAt: AT };
  await rows.change('ops', () => row);
  const { before = false, ...changed } = { ...later } as { before?: boolean };
  const registry: typeof more.registry = {
    ...more.registry,
    read: async name => {
      if (before) await rows.change(name, () => ({ ...row, settings: webhook('ops', ['task.updated']) }));
      return more.registry.read(name);
    },
  };
  const add: typeof deliveries.add = async all => {
    await deliveries.add(all);
    await rows.change('ops', () => (later ? { ...row, ...changed } : 'removed'));
  };
  await sendReports('crm', { ...more, rows, registry, deliveries: { ...deliveries, add } });
  expect(await deliveries.counts('ops')).toMatchObject({ pending: count });
});

it('a tick leaves a report of the last seconds to the run that made it, unless the clock was set back', () => {
  const stopped = { at: AT, reason: 'answered 410' };
  const about = { now: AT, depth: 0, origin: undefined, reason: '' };
  const health = reportProblem({ stopped }, about);
  const seconds = [-HOUR / SECOND, -1, 0, 4, 5, 60];
  expect(seconds.filter(second => hasReports(health, AT + second * SECOND))).toEqual([-3600, 5, 60]);
});

it('deliveries that are given up are counted once each, and reported together: of a failing endpoint, hourly', async () => {
  const world = await openWatched(await inMemory(), [webhook('crm'), webhook('ops', HEALTH_TYPES)]);
  world.answers.set('crm', () => 400);
  for (let index = 0; index < 30; index++) await world.change('crm');
  await world.pass(3 * DAY + 12 * HOUR);
  const dead = world
    .told('ops')
    .flatMap(({ event, at }) => (event.type === 'delivery.dead' ? [{ event, at }] : []));
  expect(dead.reduce((sum, { event }) => sum + event.data.deliveries, 0)).toBe(30);
  for (const [index, { at }] of dead.entries())
    if (index > 0) expect(at - (dead[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(HOUR);
});

it('deliveries that are given up of a pull endpoint are reported too, but not its reports', async () => {
  const store = await inMemory();
  const feed = { ...webhook('feed', ['task.updated', ...HEALTH_TYPES]), kind: 'pull' } as const;
  const world = await openWatched(store, [feed, webhook('crm'), webhook('ops', HEALTH_TYPES)]);
  world.answers.set('crm', () => 410);
  await world.change('crm');
  await world.pass(HOUR);
  expect((await store.deliveries.pending('feed', 9)).map(({ eventId }) => eventId)).toHaveLength(1);
  await world.pass(15 * DAY, HOUR);
  expect(typesOf(world.told('ops'))).toEqual(['endpoint.stopped']);
  await world.change('feed');
  await world.change('feed');
  await world.pass(15 * DAY, HOUR);
  expect(world.told('ops').at(-1)?.event).toMatchObject({
    ...{ type: 'delivery.dead', source: '/endpoints/feed' },
    data: { deliveries: 2, reason: 'not acknowledged within 14 days' },
  });
  expect(world.told('ops')).toHaveLength(2);
});

describe('two endpoints that watch each other', () => {
  const both = ['one', 'two'].map(name => webhook(name, [...HEALTH_TYPES, 'task.updated']));
  const reportsOf = (lines: readonly object[]) =>
    (lines as readonly { code?: string; events?: string[] }[]).flatMap(({ code, events = [] }) =>
      code === 'endpoint.reported' ? events : [],
    );
  const nameAndDepth = (id: string) => id.replace(/^changewire\.health\.(\w+)\..*(\d)$/, '$1 $2');

  it('are each reported once as failing and as stopped when both are dead; what is lost, hourly', async () => {
    const world = await openWatched(await inMemory(), both);
    for (const { name } of both) world.answers.set(name, () => 503);
    for (let hour = 0; hour < 10 * 24; hour++) {
      await world.change('one');
      await world.change('two');
      await world.pass(HOUR, 15 * MINUTE);
    }
    const all = reportsOf(world.lines);
    expect(new Set(all).size).toBe(all.length);
    const perEndpoint = { failing: 1, stopped: 1, hoursOfLoss: 2 * 24 };
    const most = 2 * Object.values(perEndpoint).reduce((sum, one) => sum + one, 0);
    expect(all.length).toBeGreaterThan(4);
    expect(all.length).toBeLessThanOrEqual(most);
  });

  it('report no failure to deliver the report of a failed report, though changes are accepted in between', async () => {
    const world = await openWatched(await inMemory(), both);
    const isChange = (type: string) => type === 'task.updated';
    world.answers.set('one', ({ type }, at) => (!isChange(type) ? 400 : at < 3 * MINUTE ? 503 : 200));
    world.answers.set('two', ({ type }) => (isChange(type) ? 200 : 400));
    for (let at = 0; at < 3 * MINUTE; at += 10 * SECOND) {
      await world.change('one');
      await world.pass(10 * SECOND);
    }
    for (let hour = 0; hour < 4 * 24; hour++) {
      await world.pass(HOUR, 15 * MINUTE);
      await world.change('one');
      await world.change('two');
    }
    const all = reportsOf(world.lines).map(nameAndDepth);
    expect(all.toSorted()).toEqual(['one 0', 'one 0', 'two 1', 'two 1']);
    // The reports became dead letters, which are not reported either.
    expect(typesOf(world.attempts())).not.toContain('delivery.dead');
  });
});
