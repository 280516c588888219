import { afterEach, describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { deliveryOf } from '../../functions/operations/deliveries.ts';
import { createOperations } from '../../functions/operations/operations.ts';
import { type OpenContext, openContext, STORES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { askOf } from '../kit/operations/setting.ts';

const MINUTE = 60_000;

describe.each(STORES)('over %s, a pull endpoint', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());
  const ask = () => askOf({ operations: createOperations(context), caller: { who: 'ann', isProven: true } });
  async function opened(): Promise<ChangeEvent[]> {
    context = openContext(open, [{ name: 'hook', kind: 'webhook' }]);
    await ask()('add-endpoint', { endpoint: 'crm', kind: 'pull' });
    const events = [1, 2].flatMap(index =>
      eventsOf(context.state.now + index, 1, { projectId: `p${index}` }),
    );
    await context.deliveries.add(events.map(event => deliveryOf('crm', event, context.state.now)));
    return events;
  }
  const receiptsOf = ({ events }: { events: readonly { receipt: string }[] }) =>
    events.map(({ receipt }) => receipt) as [string, ...string[]];

  it('has its events taken, acknowledged and returned, each time as it was emitted', async () => {
    const events = await opened();
    const taken = await ask()('take', { endpoint: 'crm', limit: 1, lease: 30 });
    expect(taken).toMatchObject({
      isPaused: false,
      until: new Date(context.state.now + 30_000).toISOString(),
    });
    expect(taken.events).toMatchObject([{ event: events[0], attempts: 0 }]);
    const others = await ask()('take', { endpoint: 'crm' });
    expect(others.events.map(({ event }) => event)).toEqual([events[1]]);
    expect(await ask()('ack', { endpoint: 'crm', receipts: receiptsOf(taken) })).toEqual({
      ended: 1,
      late: 0,
    });
    expect(await ask()('ack', { endpoint: 'crm', receipts: receiptsOf(taken) })).toEqual({
      ended: 0,
      late: 1,
    });
    const receipts = receiptsOf(others);
    expect(await ask()('nack', { endpoint: 'crm', receipts, delay: 60 })).toEqual({ ended: 1, late: 0 });
    expect((await ask()('take', { endpoint: 'crm' })).events).toEqual([]);
    context.state.now += MINUTE;
    expect((await ask()('take', { endpoint: 'crm' })).events).toMatchObject([
      { event: events[1], attempts: 1 },
    ]);
  });

  it('leaves to its consumer what that has taken when it is resumed', async () => {
    await opened();
    const taken = await ask()('take', { endpoint: 'crm' });
    await ask()('pause-endpoint', { endpoint: 'crm' });
    await ask()('resume-endpoint', { endpoint: 'crm' });
    expect((await ask()('take', { endpoint: 'crm' })).events).toEqual([]);
    expect(await ask()('ack', { endpoint: 'crm', receipts: receiptsOf(taken) })).toEqual({
      ended: 2,
      late: 0,
    });
  });

  it('has its events taken without records while the setting says so', async () => {
    const events = await opened();
    const records = events.map(({ data }) => 'task' in data && data.task.record);
    expect(records).toEqual([expect.anything(), expect.anything()]);
    await ask()('update-endpoint', { endpoint: 'crm', record: false });
    expect(await ask()('endpoint', { endpoint: 'crm' })).toHaveProperty('record', false);
    const [slim, ...none] = (await ask()('take', { endpoint: 'crm', limit: 1 })).events;
    expect(none).toEqual([]);
    expect(slim?.event).toMatchObject({ id: events[0]?.id, data: { truncated: ['record'] } });
    expect(JSON.stringify(slim)).not.toContain('"record":');
    await ask()('update-endpoint', { endpoint: 'crm', record: null });
    expect((await ask()('take', { endpoint: 'crm' })).events).toMatchObject([{ event: events[1] }]);
    expect(await ask()('endpoint', { endpoint: 'crm' })).not.toHaveProperty('record');
  });

  it('shows what was taken as an attempt, and what waits', async () => {
    const [event] = await opened();
    const taken = await ask()('take', { endpoint: 'crm', limit: 1 });
    await ask()('ack', { endpoint: 'crm', receipts: receiptsOf(taken) });
    const { attempts } = await ask()('attempts', { endpoint: 'crm' });
    expect(attempts).toMatchObject([{ events: [{ id: event?.id, type: 'task.updated' }], took: 0 }]);
    expect(attempts[0]).not.toHaveProperty('failure');
    expect(await ask()('endpoint', { endpoint: 'crm' })).toMatchObject({
      ...{ kind: 'pull', state: 'healthy', waiting: { atLeast: 1 } },
    });
  });

  it('gives nothing while it is paused', async () => {
    await opened();
    await ask()('pause-endpoint', { endpoint: 'crm' });
    expect(await ask()('take', { endpoint: 'crm' })).toMatchObject({ events: [], isPaused: true });
    await ask()('resume-endpoint', { endpoint: 'crm' });
    expect((await ask()('take', { endpoint: 'crm' })).events).toHaveLength(2);
  });

  it('is refused an address, headers and a test; other kinds are refused a consumer', async () => {
    await opened();
    const NO_ADDRESS = 'An endpoint of kind pull has no address and no headers: a consumer takes its events.';
    const url = 'https://example.com/';
    const add = ask()('add-endpoint', { endpoint: 'other', kind: 'pull', url });
    await expect(add).rejects.toThrow(NO_ADDRESS);
    await expect(ask()('update-endpoint', { endpoint: 'crm', url })).rejects.toThrow(NO_ADDRESS);
    await expect(ask()('add-endpoint', { endpoint: 'other', kind: 'webhook' })).rejects.toThrow(
      'url: this kind of endpoint needs an address.',
    );
    await expect(ask()('test-endpoint', { endpoint: 'crm' })).rejects.toThrow('has no address to test');
    await expect(ask()('take', { endpoint: 'hook' })).rejects.toThrow('This endpoint is not of kind pull');
    await expect(ask()('ack', { endpoint: 'hook', receipts: ['a/b'] })).rejects.toThrow('not of kind pull');
    await expect(ask()('take', { endpoint: 'none' })).rejects.toThrow('There is no endpoint with this name');
  });

  it('writes no action for its consumers', async () => {
    await opened();
    await ask()('ack', { endpoint: 'crm', receipts: receiptsOf(await ask()('take', { endpoint: 'crm' })) });
    const { actions } = await ask()('actions', { endpoint: 'crm' });
    expect(actions.map(({ operation }) => operation)).toEqual(['add-endpoint']);
  });
});
