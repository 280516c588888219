import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { serialise } from '../../functions/changes/fit-event.ts';
import { placeOf } from '../../functions/delivery/read-event.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { findEndpoint, statusOf } from '../../functions/operations/endpoints.ts';
import { workOffJobs } from '../../functions/operations/jobs.ts';
import { startReplay, workOffReplay } from '../../functions/operations/replay.ts';
import { KEEP } from '../../functions/store/limits.ts';
import { AT, commit, type OpenContext, openContext, PROCESSES, STORES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { askIn } from '../kit/operations/setting.ts';

const CRM = { name: 'crm', kind: 'webhook', filter: { events: ['task.updated'] } } as const;
const DAY = 86_400_000;
const OTHER = { name: 'other', kind: 'webhook' } as const;
const [onboarding, sales] = PROCESSES as [ProcessKey, ProcessKey];

describe.each(STORES)('over %s, a replay', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());
  const opened = () => {
    context = openContext(open, [CRM, OTHER]);
    return context;
  };
  const ask = () => askIn(context);
  const start = (
    to: string,
    since: number,
    more: { until?: string; types?: string[]; processes?: string[] } = {},
  ) => startReplay(context, { to, since: new Date(since).toISOString(), ...more });
  /** Commits one after another, a ms apart, and returns all their events. */
  const committed = async (
    count: number,
    more: { process?: ProcessKey; action?: 'updated' | 'created' } = {},
  ) => {
    const all: ChangeEvent[] = [];
    for (let number = 0; number < count; number++) {
      const at = context.state.now++;
      const projectId = `p${number}`;
      const events = eventsOf(at, 1, { ...more, projectId });
      await commit(context, events, { at, projectId, ...(more.process && { process: more.process }) });
      all.push(...events);
    }
    return all;
  };
  const waiting = async (endpoint = 'crm') =>
    (await context.deliveries.due(endpoint, context.state.now, 9_999)).map(({ eventId }) => eventId);
  const waitingOf = async (name: string) => (await context.endpoints.read(name))?.health.waiting;
  const workOff = async (name = 'crm') => {
    while (await workOffReplay(context, name));
  };
  const ids = (events: readonly ChangeEvent[]) => events.map(({ id }) => id);

  it('invariant 11: adds what its filter wants of a stretch, in order, to that endpoint alone, whatever crashes in between', async () => {
    const numbers = fc.nat({ max: 130 });
    await fc.assert(
      fc.asyncProperty(
        numbers,
        numbers,
        numbers,
        fc.array(fc.nat({ max: 5 })),
        async (count, from, to, crashes) => {
          opened();
          const all = await committed(count);
          const [since, until] = [AT + Math.min(from, to), AT + Math.max(from, to) + 1];
          context.state.now = AT + 1_000;
          await start('crm', since, { until: new Date(until).toISOString() });
          const left = [...crashes];
          const change = context.endpoints.change;
          // A crash after the deliveries were added, and before the position is kept.
          const endpoints = {
            ...context.endpoints,
            change: (...asked: Parameters<typeof change>) =>
              left.shift() ? Promise.reject(new Error('crashed')) : change(...asked),
          };
          for (let more = true; more; ) {
            more = await workOffReplay({ ...context, endpoints }, 'crm').catch(() => true);
          }
          const wanted = ids(all.slice(since - AT, until - AT));
          expect(await waiting()).toEqual(wanted);
          expect(await waiting('other')).toEqual([]);
          const row = await context.endpoints.read('crm');
          expect(row?.replay).toBeUndefined();
          expect(row?.health.waiting === undefined).toBe(wanted.length === 0);
          context.close();
        },
      ),
      { numRuns: 25 },
    );
    opened();
  });

  it('marks its deliveries, is due at once, and lets new events go before it', async () => {
    opened();
    const [event] = await committed(1);
    await start('crm', AT);
    await workOff();
    const now = context.state.now;
    const delivery = { eventId: event?.id, replay: true, due: now };
    expect(await context.deliveries.due('crm', now, 9)).toMatchObject([delivery]);
    expect(await waitingOf('crm')).toEqual({ added: 1, due: now, first: false });
    expect(context.woken).toEqual(['crm']);
  });

  it('is of the types and processes that are asked for, and within the filter', async () => {
    opened();
    const updated = await committed(2);
    const created = await committed(2, { process: sales, action: 'created' });
    const sold = await committed(1, { process: sales });
    const run = async (endpoint: string, more: { types?: string[]; processes?: string[] }) => {
      await start(endpoint, AT, more);
      await workOff(endpoint);
      return (await waiting(endpoint)).toSorted();
    };
    expect(await run('crm', { processes: [sales.processId] })).toEqual(ids(sold));
    expect(await run('crm', { types: ['task.created'] })).toEqual(ids(sold));
    expect(await run('other', { types: ['task.created'] })).toEqual(ids(created).toSorted());
    const both = ids([...updated, ...sold]).toSorted();
    expect(await run('crm', { processes: [onboarding.processId] })).toEqual(both);
  });

  it('shows the share of its time of which all are sent, once all are added, until none waits', async () => {
    opened();
    await committed(60);
    // Nothing is committed in the future.
    const { replay } = await start('crm', AT, { until: new Date(AT + 9_999).toISOString() });
    expect(replay).toEqual({ id: 'replay-1', since: AT, until: AT + 60, added: 0, startedAt: AT + 60 });
    const shown = async () => (await statusOf(context, await findEndpoint(context, 'crm'))).replay;
    expect(await shown()).toMatchObject({ added: 0 });
    await workOffReplay(context, 'crm');
    expect(await shown()).not.toHaveProperty('percent');
    await workOff();
    expect(await shown()).toMatchObject({ added: 60, percent: 0 });
    const places = (await context.deliveries.due('crm', context.state.now, 60)).map(({ place }) => place);
    await context.deliveries.remove('crm', places.slice(0, 45));
    expect(await shown()).toMatchObject({ added: 60, percent: 75 });
    await context.deliveries.remove('crm', places.slice(45));
    expect(await shown()).toBeUndefined();
    context.state.now += 1;
    await start('crm', AT + 59);
    expect(await shown()).not.toHaveProperty('percent');
    expect(await context.endpoints.read('crm')).not.toHaveProperty('replayed');
  });

  it('is refused beside another one, of the future, and to nobody', async () => {
    opened();
    await start('crm', AT - 1);
    await expect(start('crm', AT - 9)).rejects.toThrow('in progress');
    const rehearsed = { to: 'crm', since: new Date(AT - 9).toISOString(), dryRun: true };
    await expect(ask()('replay', rehearsed)).rejects.toThrow('in progress');
    for (const since of [AT, AT + 1]) await expect(start('other', since)).rejects.toThrow('in the past');
    await expect(startReplay(context, { to: 'other', since: 'never' })).rejects.toThrow('in the past');
    await expect(start('nobody', 0)).rejects.toThrow('There is no endpoint');
    expect((await context.endpoints.read('crm'))?.replay?.since).toBe(AT - 1);
  });

  it('begins where the journal begins, and is refused before that, with the setting', async () => {
    opened();
    Object.assign(context, { keep: { ...KEEP, journal: 3 * DAY } });
    const until = new Date(AT - 3 * DAY).toISOString();
    await expect(start('crm', AT - 9 * DAY, { until })).rejects.toThrow(
      'Invalid time range: the journal begins at 2026-11-18T12:00:00.000Z, by the setting "keep". Choose a later end.',
    );
    expect((await start('crm', AT - 9 * DAY)).replay.since).toBe(AT - 3 * DAY);
    expect((await start('other', AT - DAY)).replay.since).toBe(AT - DAY);
  });

  it('has its turn among others as long as there is time; one that fails holds up none', async () => {
    opened();
    await committed(120);
    for (const { name } of [CRM, OTHER]) await start(name, AT);
    const read = context.endpoints.read;
    const registered = async () =>
      Promise.all([CRM, OTHER].map(async endpoint => ({ endpoint, row: await read(endpoint.name) })));
    let slices = 3;
    await workOffJobs(context, await registered(), () => slices-- > 0);
    expect([(await waiting()).length, (await waiting('other')).length]).toEqual([100, 50]);
    const failing = {
      ...context.endpoints,
      read: (name: string) => (name === 'crm' ? Promise.reject(new Error('down')) : read(name)),
    };
    await workOffJobs({ ...context, endpoints: failing }, await registered(), () => true);
    expect([(await waiting()).length, (await waiting('other')).length]).toEqual([100, 120]);
    expect(context.said).toEqual(['Replay failed; it continues with the next tick.']);
  });
});

const UNWANTING = { name: 'crm', kind: 'webhook', filter: { events: ['source.held'] } } as const;

describe.each(STORES)('over %s, an event that is sent once more', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());
  const [event] = eventsOf(AT) as [ChangeEvent];
  const body = serialise(event);
  const opened = async () => {
    context = openContext(open, [UNWANTING, OTHER]);
    await commit(context, [event]);
    context.state.now = AT + 9_000;
    return context;
  };
  const resend = (eventId: string, to: string) => askIn(context)('resend', { eventId, to });
  const due = (endpoint = 'crm') => context.deliveries.due(endpoint, context.state.now, 9);

  it('invariant 11: comes from the journal byte for byte, to that endpoint alone, whatever its filter', async () => {
    await opened();
    expect(await resend(event.id, 'crm')).toEqual({ endpoint: 'crm', eventId: event.id, result: 'sent' });
    const at = placeOf(body)?.at;
    expect(await due()).toMatchObject([{ eventId: event.id, body, at, replay: true, due: AT + 9_000 }]);
    expect(await due('other')).toEqual([]);
    expect(context.woken).toEqual(['crm']);
    const { health } = (await context.endpoints.read('crm')) ?? {};
    expect(health?.waiting).toEqual({ added: 1, due: AT + 9_000, first: false });
  });

  it('is its dead letter where there is one, and no other comes back', async () => {
    await opened();
    const dead = { endpoint: 'crm', eventId: event.id, at: AT, body: '{"a":1}', attributes: {} };
    await context.deliveries.addDead(dead, { at: AT, reason: 'no' });
    await context.deliveries.addDead({ ...dead, eventId: 'another' }, { at: AT, reason: 'no' });
    expect(await resend(event.id, 'crm')).toMatchObject({ result: 'sent' });
    expect(await due()).toMatchObject([{ body: '{"a":1}', replay: true, attempts: 0 }]);
    expect(await context.deliveries.dead('crm', 9)).toMatchObject([{ eventId: 'another' }]);
  });

  it.each([
    ['resend', { eventId: event.id, to: 'crm' }, { result: 'already waiting' }],
    ['resend-dead', { to: 'crm' }, { deliveries: { atLeast: 0, isExact: true } }],
  ] as const)(
    'is noted in the endpoint’s row by a repeated %s, if that failed',
    async (name, asked, answer) => {
      const { endpoints, deliveries, woken } = await opened();
      await deliveries.addDead(
        { ...asked, endpoint: 'crm', eventId: event.id, at: AT, body, attributes: {} },
        { at: AT, reason: 'no' },
      );
      const { change } = endpoints;
      endpoints.change = () => Promise.reject(new Error('crashed'));
      await expect(askIn(context)(name, asked)).rejects.toThrow('crashed');
      endpoints.change = change;
      expect(await askIn(context)(name, asked)).toMatchObject(answer);
      expect((await endpoints.read('crm'))?.health.waiting).toMatchObject({ due: AT + 9_000 });
      expect(woken).toEqual(['crm']);
    },
  );
});
