import { afterEach, describe, expect, it } from 'vitest';
import { giveUpUntaken } from '../../functions/delivery/pull/pull.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { deliveryOf } from '../../functions/operations/deliveries.ts';
import { type OpenContext, openContext, STORES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { askIn } from '../kit/operations/setting.ts';
import { DAY, MINUTE } from '../kit/time.ts';

describe.each(STORES)('over %s, a pull endpoint', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());
  const ask = () => askIn(context);
  async function opened(): Promise<ChangeEvent[]> {
    context = openContext(open, [{ name: 'hook', kind: 'webhook' }]);
    await ask()('add-endpoint', { endpoint: 'crm', kind: 'pull' });
    const { now } = context.state;
    const events = [1, 2].flatMap(index => eventsOf(now + index, 1, { projectId: `p${index}` }));
    await context.deliveries.add(events.map(event => deliveryOf('crm', event, now)));
    return events;
  }
  const take = (more: object = {}) => ask()('take', { endpoint: 'crm', ...more });
  type Taken = Awaited<ReturnType<typeof take>>;
  const receiptsOf = ({ events }: Taken) => events.map(({ receipt }) => receipt) as [string, ...string[]];
  const ack = (taken: Taken) => ask()('ack', { endpoint: 'crm', receipts: receiptsOf(taken) });

  it('has its events taken, acknowledged and returned, each time as it was emitted', async () => {
    const events = await opened();
    const taken = await take({ limit: 1, lease: 30 });
    const until = new Date(context.state.now + 30_000).toISOString();
    expect(taken).toMatchObject({ isPaused: false, until });
    expect(taken.events).toMatchObject([{ event: events[0], attempts: 0 }]);
    const others = await take();
    expect(others.events.map(({ event }) => event)).toEqual([events[1]]);
    expect(await ack(taken)).toEqual({ ended: 1, late: 0 });
    expect(await ack(taken)).toEqual({ ended: 0, late: 1 });
    const receipts = receiptsOf(others);
    expect(await ask()('nack', { endpoint: 'crm', receipts, delay: 60 })).toEqual({ ended: 1, late: 0 });
    expect((await take()).events).toEqual([]);
    context.state.now += MINUTE;
    expect((await take()).events).toMatchObject([{ event: events[1], attempts: 1 }]);
  });

  it('gives nothing while it is paused, and leaves to its consumer what that has taken when it is resumed', async () => {
    await opened();
    const taken = await take({ limit: 1 });
    await ask()('pause-endpoint', { endpoint: 'crm' });
    expect(await take()).toMatchObject({ events: [], isPaused: true });
    await ask()('resume-endpoint', { endpoint: 'crm' });
    expect((await take()).events).toHaveLength(1);
    expect(await ack(taken)).toEqual({ ended: 1, late: 0 });
  });

  it.each([
    [15, 12, 0],
    [10, 14, 2],
    [15, 13, 2],
  ])('paused for %i days has, %i days after that, given up %i of 2 events', async (paused, later, dead) => {
    await opened();
    const ports = { ...context, rows: context.endpoints, count: () => undefined };
    const givenUp = async (days: number) => {
      context.state.now += days * DAY + MINUTE;
      await giveUpUntaken('crm', ports as never);
      return (await context.deliveries.counts('crm')).dead;
    };
    await ask()('pause-endpoint', { endpoint: 'crm' });
    expect(await givenUp(paused)).toBe(0);
    await ask()('resume-endpoint', { endpoint: 'crm' });
    expect(await givenUp(0)).toBe(0);
    expect(await givenUp(later)).toBe(dead);
  });

  it('has its events taken without records while the setting says so', async () => {
    const events = await opened();
    const records = events.map(({ data }) => 'task' in data && data.task.record);
    expect(records).toEqual([expect.anything(), expect.anything()]);
    await ask()('update-endpoint', { endpoint: 'crm', record: false });
    expect(await ask()('endpoint', { endpoint: 'crm' })).toHaveProperty('record', false);
    const [slim, ...none] = (await take({ limit: 1 })).events;
    expect(none).toEqual([]);
    expect(slim?.event).toMatchObject({ id: events[0]?.id, data: { truncated: ['record'] } });
    expect(JSON.stringify(slim)).not.toContain('"record":');
    await ask()('update-endpoint', { endpoint: 'crm', record: null });
    expect((await take()).events).toMatchObject([{ event: events[1] }]);
    expect(await ask()('endpoint', { endpoint: 'crm' })).not.toHaveProperty('record');
  });

  it('shows what was taken as an attempt, and what waits', async () => {
    const [event] = await opened();
    const taken = await take({ limit: 1 });
    await ack(taken);
    const { attempts } = await ask()('attempts', { endpoint: 'crm' });
    expect(attempts).toMatchObject([{ events: [{ id: event?.id, type: 'task.updated' }], took: 0 }]);
    expect(attempts[0]).not.toHaveProperty('failure');
    const shown = { kind: 'pull', state: 'healthy', waiting: { atLeast: 1 } };
    expect(await ask()('endpoint', { endpoint: 'crm' })).toMatchObject(shown);
  });

  it('shows what was taken before a failure, which its consumer gets', async () => {
    await opened();
    const taken = await take();
    const { endLease } = context.deliveries;
    context.deliveries.endLease = async (...ending) => {
      await endLease(...ending);
      throw new Error('table down');
    };
    await expect(ack(taken)).rejects.toThrow('table down');
    const { attempts } = await ask()('attempts', { endpoint: 'crm' });
    expect(attempts.flatMap(({ events }) => events)).toHaveLength(2);
  });

  it('is refused an address, headers and a test; other kinds are refused a consumer', async () => {
    await opened();
    const NO_ADDRESS = 'An endpoint of kind pull has no address and no headers: a consumer takes its events.';
    const url = 'https://example.com/';
    const add = ask()('add-endpoint', { endpoint: 'other', kind: 'pull', url });
    await expect(add).rejects.toMatchObject({ message: NO_ADDRESS, isUsage: true });
    await expect(ask()('update-endpoint', { endpoint: 'crm', url })).rejects.toThrow(NO_ADDRESS);
    const webhook = ask()('add-endpoint', { endpoint: 'other', kind: 'webhook' });
    const message = 'url: this kind of endpoint needs an address.';
    await expect(webhook).rejects.toMatchObject({ message, isUsage: true });
    await expect(ask()('test-endpoint', { endpoint: 'crm' })).rejects.toThrow('has no address to test');
    await expect(ask()('take', { endpoint: 'hook' })).rejects.toThrow('This endpoint is not of kind pull');
    await expect(ask()('ack', { endpoint: 'hook', receipts: ['a/b'] })).rejects.toThrow('not of kind pull');
    await expect(ask()('take', { endpoint: 'none' })).rejects.toThrow('There is no endpoint with this name');
  });

  it('writes no action for its consumers', async () => {
    await opened();
    await ack(await take());
    const { actions } = await ask()('actions', { endpoint: 'crm' });
    expect(actions.map(({ operation }) => operation)).toEqual(['add-endpoint']);
  });
});
