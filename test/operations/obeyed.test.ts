import { afterEach, describe, expect, it } from 'vitest';
import { drain } from '../../functions/delivery/drain.ts';
import { createRegistry } from '../../functions/delivery/registry.ts';
import { STANDARD_TIMING } from '../../functions/delivery/retries.ts';
import { createTick } from '../../functions/handlers/create-tick.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { addEndpoint, updateEndpoint } from '../../functions/operations/endpoints.ts';
import { startReplay } from '../../functions/operations/replay.ts';
import { workOffReplays } from '../../functions/operations/work-off-replays.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { AT, commit, type OpenHouse, openHouse, STORES } from '../kit/operations/house.ts';

const CRM = { name: 'crm', kind: 'webhook', url: 'https://crm.example/' } as const;

describe.each(STORES)('over %s', (_, open) => {
  let house: OpenHouse;
  afterEach(() => house.close());
  const committed = async (count: number) => {
    const all: ChangeEvent[] = [];
    for (let number = 0; number < count; number++) {
      const at = house.state.now++;
      const events = eventsOf(at, 1, { projectId: `p${number}` });
      await commit(house, events, { at, projectId: `p${number}` });
      all.push(...events);
    }
    return all;
  };
  const tickOf = () =>
    createTick({
      registry: createRegistry([], house.rows, house.clock),
      ...{ queues: house.queues, clock: house.clock, log: house.log, count: () => undefined },
      replays: (all, hasTime) => workOffReplays(all, house, hasTime),
    });

  it('each tick works off replays within its time, and the next one goes on', async () => {
    house = openHouse(open);
    await addEndpoint(CRM, house);
    await committed(120);
    await startReplay({ endpoint: 'crm', since: AT }, house);
    const pending = async () => (await house.deliveries.standing('crm')).pending;
    const times = [60_000, 20_000, 15_000];
    await tickOf()(() => times.shift() ?? 0);
    expect(await pending()).toBe(100);
    await tickOf()(() => 15_000);
    expect(await pending()).toBe(100);
    await tickOf()();
    expect(await pending()).toBe(120);
    expect((await house.rows.read('crm'))?.replay).toBeUndefined();
  });

  it('a replay is sent with its header, also when the filter was changed meanwhile', async () => {
    house = openHouse(open);
    await addEndpoint(CRM, house);
    const events = await committed(3);
    await startReplay({ endpoint: 'crm', since: AT }, house);
    await tickOf()();
    const { settings: endpoint } = await updateEndpoint(
      'crm',
      { filter: { events: ['source.held'] } },
      house,
    );
    const posts: Readonly<Record<string, string>>[] = [];
    await drain(endpoint, {
      ...house,
      ...{ run: 'one', remaining: () => 60_000, random: () => 0, timing: STANDARD_TIMING },
      sleep: async () => undefined,
      count: () => undefined,
      slots: { reserveSlot: async () => 0 },
      readSecret: async name => JSON.parse(await house.secrets.read(name.name)),
      chatFormats: { slack: () => [], teams: () => [] },
      openPoster: () => ({
        post: async (_, { headers }) => {
          posts.push(headers);
          return { status: 200, retryAfter: undefined, date: undefined, at: AT };
        },
        close: async () => undefined,
      }),
    });
    expect(posts.map(headers => headers['webhook-id']).toSorted()).toEqual(
      events.map(({ id }) => id).toSorted(),
    );
    expect(posts.every(headers => headers['changewire-replay'] === 'true')).toBe(true);
    expect(await house.deliveries.standing('crm')).toMatchObject({ pending: 0, dead: 0 });
    expect((await house.rows.read('crm'))?.health).toEqual({ added: 1 });
  });

  it('the configuration wins over a row of its name, which is said once', async () => {
    house = openHouse(open);
    await addEndpoint(CRM, house);
    const registry = createRegistry([{ name: 'crm', kind: 'slack' }], house.rows, house.clock, house.log);
    for (let time = 0; time < 3; time++) {
      expect((await registry.all()).map(({ endpoint }) => endpoint)).toEqual([
        { name: 'crm', kind: 'slack' },
      ]);
      house.state.now += 60_000;
    }
    expect(house.said).toHaveLength(1);
    expect(house.said[0]).toMatch(/^Endpoint crm stands in the configuration.*the configuration counts/);
  });
});
