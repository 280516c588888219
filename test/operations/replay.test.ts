import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { statusOfEndpoint } from '../../functions/operations/endpoint-status.ts';
import { removeEndpoint } from '../../functions/operations/endpoints.ts';
import { cancelReplay, startReplay, workOffReplay } from '../../functions/operations/replay.ts';
import { workOffReplays } from '../../functions/operations/work-off-replays.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { AT, commit, type OpenHouse, openHouse, PROCESSES, STORES } from '../kit/operations/house.ts';

const CRM = { name: 'crm', kind: 'webhook', filter: { events: ['task.updated'] } } as const;
const OTHER = { name: 'other', kind: 'webhook' } as const;
const [onboarding, sales] = PROCESSES as [ProcessKey, ProcessKey];

describe.each(STORES)('over %s, a replay', (_, open) => {
  let house: OpenHouse;
  afterEach(() => house.close());
  const opened = () => {
    house = openHouse(open, [CRM, OTHER]);
    return house;
  };
  /** Commits one after another, a ms apart, and returns all their events. */
  const committed = async (
    count: number,
    more: { process?: ProcessKey; action?: 'updated' | 'created' } = {},
  ) => {
    const all: ChangeEvent[] = [];
    for (let number = 0; number < count; number++) {
      const at = house.state.now++;
      const projectId = `p${number}`;
      const events = eventsOf(at, 1, { ...more, projectId });
      await commit(house, events, { at, projectId, ...(more.process && { process: more.process }) });
      all.push(...events);
    }
    return all;
  };
  const waiting = async (endpoint = 'crm') =>
    (await house.deliveries.due(endpoint, house.state.now, 9_999)).map(({ eventId }) => eventId);
  const workOff = async (name = 'crm') => {
    while (await workOffReplay(name, house));
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
          house.state.now = AT + 1_000;
          await startReplay({ endpoint: 'crm', since, until }, house);
          const left = [...crashes];
          const change = house.rows.change;
          // A crash after the deliveries were added, and before the position is kept.
          const rows = {
            ...house.rows,
            change: (...asked: Parameters<typeof change>) =>
              left.shift() ? Promise.reject(new Error('crashed')) : change(...asked),
          };
          for (let more = true; more; ) {
            more = await workOffReplay('crm', { ...house, rows }).catch(() => true);
          }
          const wanted = ids(all.slice(since - AT, until - AT));
          expect(await waiting()).toEqual(wanted);
          expect(await waiting('other')).toEqual([]);
          const row = await house.rows.read('crm');
          expect(row?.replay).toBeUndefined();
          expect(row?.health.waiting === undefined).toBe(wanted.length === 0);
          house.close();
        },
      ),
      { numRuns: 25 },
    );
    opened();
  });

  it('marks its deliveries, is due at once, and lets new events go before it', async () => {
    opened();
    const [event] = await committed(1);
    await startReplay({ endpoint: 'crm', since: AT }, house);
    await workOff();
    const now = house.state.now;
    expect(await house.deliveries.due('crm', now, 9)).toMatchObject([
      { eventId: event?.id, replay: true, due: now },
    ]);
    expect((await house.rows.read('crm'))?.health.waiting).toEqual({ added: 1, due: now, first: false });
    expect(house.woken).toEqual(['crm']);
  });

  it('is of the types and processes that are asked for, and within the filter', async () => {
    opened();
    const updated = await committed(2);
    const created = await committed(2, { process: sales, action: 'created' });
    const sold = await committed(1, { process: sales });
    const run = async (endpoint: string, more: object) => {
      await startReplay({ endpoint, since: AT, ...more }, house);
      await workOff(endpoint);
      return (await waiting(endpoint)).toSorted();
    };
    expect(await run('crm', { processes: [sales.processId] })).toEqual(ids(sold));
    expect(await run('crm', { types: ['task.created'] })).toEqual(ids(sold));
    expect(await run('other', { types: ['task.created'] })).toEqual(ids(created).toSorted());
    expect(await run('crm', { processes: [onboarding.processId] })).toEqual(
      ids([...updated, ...sold]).toSorted(),
    );
  });

  it('tells how far it is', async () => {
    opened();
    await committed(60);
    const replay = await startReplay({ endpoint: 'crm', since: AT }, house);
    expect(replay).toEqual({ id: 'replay-1', since: AT, until: AT + 60, added: 0, startedAt: AT + 60 });
    expect((await house.rows.read('crm'))?.replay).toEqual(replay);
    expect(await workOffReplay('crm', house)).toBe(true);
    expect((await house.rows.read('crm'))?.replay).toEqual({
      ...replay,
      added: 50,
      position: expect.any(String),
    });
  });

  it('shows the share of its time of which all are sent, once all are added, until none waits', async () => {
    opened();
    await committed(60);
    await startReplay({ endpoint: 'crm', since: AT }, house);
    const shown = async () => (await statusOfEndpoint('crm', house)).replay;
    expect(await shown()).toMatchObject({ added: 0 });
    await workOffReplay('crm', house);
    expect(await shown()).not.toHaveProperty('percent');
    await workOff();
    expect(await shown()).toMatchObject({ added: 60, percent: 0 });
    const places = (await house.deliveries.due('crm', house.state.now, 60)).map(({ place }) => place);
    await house.deliveries.remove('crm', places.slice(0, 45));
    expect(await shown()).toMatchObject({ added: 60, percent: 75 });
    await house.deliveries.remove('crm', places.slice(45));
    expect(await shown()).toBeUndefined();
    house.state.now += 1;
    await startReplay({ endpoint: 'crm', since: AT + 59 }, house);
    expect(await shown()).not.toHaveProperty('percent');
    expect(await house.rows.read('crm')).not.toHaveProperty('replayed');
  });

  it('is refused beside another one, of the future, and to nobody', async () => {
    opened();
    await startReplay({ endpoint: 'crm', since: AT - 1 }, house);
    await expect(startReplay({ endpoint: 'crm', since: AT - 9 }, house)).rejects.toThrow('under way');
    for (const since of [AT, Number.NaN, AT + 1])
      await expect(startReplay({ endpoint: 'other', since }, house)).rejects.toThrow('in the past');
    await expect(startReplay({ endpoint: 'nobody', since: 0 }, house)).rejects.toThrow('no endpoint');
    expect((await house.rows.read('crm'))?.replay?.since).toBe(AT - 1);
  });

  it('that is cancelled adds nothing more, also when that happens in a slice; what was added is sent', async () => {
    opened();
    await committed(120);
    await startReplay({ endpoint: 'crm', since: AT }, house);
    const read = house.journal.read;
    const journal = {
      read: async (...asked: Parameters<typeof read>) => {
        expect(await cancelReplay('crm', house)).toMatchObject({ since: AT });
        return read(...asked);
      },
    };
    expect(await workOffReplay('crm', { ...house, journal })).toBe(false);
    expect(await waiting()).toHaveLength(50);
    expect((await house.rows.read('crm'))?.health.waiting).toBeDefined();
    expect(await cancelReplay('crm', house)).toBeUndefined();
  });

  it('has its turn among others as long as there is time; one that fails holds up none', async () => {
    opened();
    await committed(120);
    for (const { name } of [CRM, OTHER]) await startReplay({ endpoint: name, since: AT }, house);
    const registered = async () =>
      Promise.all(
        [CRM, OTHER].map(async endpoint => ({ endpoint, row: await house.rows.read(endpoint.name) })),
      );
    let slices = 3;
    await workOffReplays(await registered(), house, () => slices-- > 0);
    expect([(await waiting()).length, (await waiting('other')).length]).toEqual([100, 50]);
    const read = house.rows.read;
    const failing = {
      ...house.rows,
      read: (name: string) => (name === 'crm' ? Promise.reject(new Error('down')) : read(name)),
    };
    await workOffReplays(await registered(), { ...house, rows: failing }, () => true);
    expect([(await waiting()).length, (await waiting('other')).length]).toEqual([100, 120]);
    expect(house.said).toEqual(['A replay stands still; it goes on in a minute.']);
  });

  it('to an endpoint that was removed meanwhile ends', async () => {
    opened();
    await committed(1);
    const settings = { name: 'gone', kind: 'webhook' } as const;
    await house.rows.change('gone', () => ({ name: 'gone', settings, health: {} }));
    await startReplay({ endpoint: 'gone', since: AT }, house);
    const row = await house.rows.read('gone');
    await removeEndpoint('gone', house);
    await workOffReplays([{ endpoint: settings, row }], house, () => true);
    expect([await waiting('gone'), await house.rows.read('gone'), house.said]).toEqual([[], undefined, []]);
  });
});
