import { afterEach, describe, expect, it } from 'vitest';
import { drain } from '../../functions/delivery/drain.ts';
import { webhookJobs } from '../../functions/delivery/kinds.ts';
import { createRegistry } from '../../functions/delivery/registry.ts';
import { STANDARD_TIMING } from '../../functions/delivery/retries.ts';
import { createTick } from '../../functions/handlers/create-tick.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { createOperations } from '../../functions/operations/operations.ts';
import { workOffReplays } from '../../functions/operations/replay.ts';
import { AT, commit, type OpenContext, openContext, STORES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { askOf } from '../kit/operations/setting.ts';

const CRM = { endpoint: 'crm', kind: 'webhook', url: 'https://crm.example/' } as const;
const SINCE = new Date(AT).toISOString();

describe.each(STORES)('over %s', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());
  const opened = () => {
    context = openContext(open);
    return askOf({ operations: createOperations(context), caller: { who: 'ann', isProven: true } });
  };
  const committed = async (count: number) => {
    const all: ChangeEvent[] = [];
    for (let number = 0; number < count; number++) {
      const at = context.state.now++;
      const events = eventsOf(at, 1, { projectId: `p${number}` });
      await commit(context, events, { at, projectId: `p${number}` });
      all.push(...events);
    }
    return all;
  };
  const tickOf = () =>
    createTick({
      registry: createRegistry([], context.endpoints, context.clock),
      ...{ queues: context.queues, clock: context.clock, log: context.log, count: () => undefined },
      replays: (all, hasTime) => workOffReplays(context, all, hasTime),
    });

  it('each tick works off replays within its time, and the next one goes on', async () => {
    const ask = opened();
    await ask('add-endpoint', CRM);
    await committed(120);
    await ask('replay', { to: 'crm', since: SINCE });
    const pending = async () => (await context.deliveries.counts('crm')).pending;
    const times = [60_000, 20_000, 15_000];
    await tickOf()(() => times.shift() ?? 0);
    expect(await pending()).toBe(100);
    await tickOf()(() => 15_000);
    expect(await pending()).toBe(100);
    await tickOf()();
    expect(await pending()).toBe(120);
    expect((await context.endpoints.read('crm'))?.replay).toBeUndefined();
  });

  it('a replay is sent with its header, also when the filter was changed meanwhile', async () => {
    const ask = opened();
    await ask('add-endpoint', CRM);
    const events = await committed(3);
    await ask('replay', { to: 'crm', since: SINCE });
    await tickOf()();
    await ask('update-endpoint', { endpoint: 'crm', filter: { events: ['source.held'] } });
    const endpoint = (await context.endpoints.read('crm'))?.settings as EndpointSettings;
    const posts: Readonly<Record<string, string>>[] = [];
    await drain(endpoint, {
      ...context,
      rows: context.endpoints,
      ...{ run: 'one', remaining: () => 60_000, random: () => 0, timing: STANDARD_TIMING },
      sleep: async () => undefined,
      doubtSecret: () => undefined,
      count: () => undefined,
      slots: { reserveSlot: async () => 0 },
      readSecret: async name => JSON.parse(await context.secrets.read(name.name)),
      jobsOf: webhookJobs,
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
    expect(await context.deliveries.counts('crm')).toMatchObject({ pending: 0, dead: 0 });
    expect((await context.endpoints.read('crm'))?.health).toEqual({ added: 1 });
  });

  it('the configuration wins over a row of its name, which is said once', async () => {
    const ask = opened();
    await ask('add-endpoint', CRM);
    const registry = createRegistry(
      [{ name: 'crm', kind: 'slack' }],
      context.endpoints,
      context.clock,
      context.log,
    );
    for (let time = 0; time < 3; time++) {
      expect((await registry.all()).map(({ endpoint }) => endpoint)).toEqual([
        { name: 'crm', kind: 'slack' },
      ]);
      context.state.now += 60_000;
    }
    expect(context.said).toHaveLength(1);
    expect(context.said[0]).toMatch(/^Endpoint crm is in the configuration.*the configured one is used/);
  });
});
