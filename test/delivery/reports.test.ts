import { describe, expect, it } from 'vitest';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import { HEALTH_TYPES } from '../../functions/model/filter.ts';
import { checkEvents } from '../kit/check-event.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../kit/delivery/setting.ts';
import { openWatched } from '../kit/delivery/watched.ts';
import { STORES } from '../kit/store/stores.ts';

const webhook = (name: string, events?: readonly string[]): EndpointSettings => ({
  ...{ name, kind: 'webhook' },
  ...(events && { filter: { events: events as never } }),
});
const [open] = STORES.flatMap(([name, open]) => (name === 'SQLite' ? [open] : []));
const inMemory = () => (open as NonNullable<typeof open>)();
const typesOf = (all: readonly { readonly event: { readonly type: string } }[]) =>
  all.map(({ event }) => event.type);

describe.each(STORES)('a receiver that dies, over %s', (_, openStore) => {
  it('is reported within a minute of failing, once, and its recovery, to the endpoints that name the types', async () => {
    const world = await openWatched(await openStore(), [
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
    await world.pass(HOUR);
    isDead = false;
    await world.pass(HOUR);
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
});

describe('an endpoint that answers 410', () => {
  it('is reported as stopped at once, and as recovered once it accepts again', async () => {
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
      await world.pass(HOUR);
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
      await world.pass(HOUR);
      await world.change('one');
      await world.change('two');
    }
    const all = reportsOf(world.lines).map(nameAndDepth);
    expect(all.toSorted()).toEqual(['one 0', 'one 0', 'two 1', 'two 1']);
    // The reports became dead letters, which are not reported either.
    expect(typesOf(world.attempts())).not.toContain('delivery.dead');
  });
});
