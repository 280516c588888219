import { describe, expect, it } from 'vitest';
import { giveUpUntaken } from '../../functions/delivery/pull/pull.ts';
import { createDeliver } from '../../functions/handlers/create-deliver.ts';
import { batchOf, messageOf, openSetting, someEvents, waitingOnes } from '../kit/delivery/setting.ts';
import { DAY, HOUR } from '../kit/time.ts';

const CRM = { name: 'crm', kind: 'pull' } as const;

describe('a pull endpoint', () => {
  it('keeps each new event in a row, sends nothing and wakes no run', async () => {
    const setting = openSetting();
    const { dependencies, posts, wakes } = setting;
    const read = async () => ({ endpoint: CRM, row: await dependencies.rows.read('crm') });
    const deliver = createDeliver({ ...dependencies, registry: { read } } as never);
    const messages = someEvents(3).map((event, index) => messageOf(`m${index}`, JSON.stringify(event)));
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 180_000 };
    expect(await deliver(batchOf(messages), context)).toEqual([]);
    const rows = await dependencies.deliveries.due('crm', setting.state.now, 9);
    expect(rows.map(({ eventId }) => eventId)).toEqual(someEvents(3).map(({ id }) => id));
    expect([posts, wakes]).toEqual([[], []]);
    expect((await dependencies.rows.read('crm'))?.health.waiting).toBeDefined();
  });

  it('gives up what was not taken within 14 days, and is looked at again when the next is that old', async () => {
    const { dependencies, state, said, counts } = openSetting();
    const [old, young] = waitingOnes(2);
    const added = [
      { ...old, at: state.now - 14 * DAY - 1 },
      { ...young, at: state.now - 10 * DAY },
    ] as never;
    await dependencies.deliveries.add(added);
    const health = { waiting: { added: 1, due: state.now, first: true } };
    await dependencies.rows.change('crm', () => ({ name: 'crm', health }));
    await giveUpUntaken('crm', dependencies);
    expect(await dependencies.deliveries.dead('crm', 9)).toMatchObject([
      { eventId: old?.eventId, reason: 'not acknowledged within 14 days' },
    ]);
    expect((await dependencies.rows.read('crm'))?.health.waiting?.due).toBe(state.now + 4 * DAY);
    expect(said.map(({ details }) => details.code)).toEqual(['pull.given-up']);
    expect(counts).toEqual({ DeliveriesDead: 1 });
    state.now += 5 * DAY;
    await giveUpUntaken('crm', dependencies);
    expect((await dependencies.rows.read('crm'))?.health.waiting).toBeUndefined();
  });

  it('leaves an old event to the consumer that has it, and is looked at again an hour later', async () => {
    const { dependencies, state } = openSetting();
    const { deliveries, rows } = dependencies;
    const { now } = state;
    const at = now - 15 * DAY;
    await deliveries.add([{ ...waitingOnes(1)[0], at, due: at }] as never);
    await deliveries.lease('crm', { token: 'a', now, until: now + DAY, limit: 1, bytes: 9_999 });
    const health = { waiting: { added: 1, due: at, first: true } };
    await rows.change('crm', () => ({ name: 'crm', health }));
    await giveUpUntaken('crm', dependencies);
    expect(await deliveries.dead('crm', 9)).toEqual([]);
    expect((await rows.read('crm'))?.health.waiting?.due).toBe(now + HOUR);
  });

  it('keeps an old event that was requeued or replayed for a consumer, for 14 days from then', async () => {
    const { dependencies, state } = openSetting();
    const { deliveries } = dependencies;
    const [gaveUp, replayed] = waitingOnes(2);
    await deliveries.add([{ ...gaveUp, at: state.now - 15 * DAY }] as never);
    await giveUpUntaken('crm', dependencies);
    expect(await deliveries.requeue('crm', state.now)).toBe(1);
    await deliveries.add([{ ...replayed, at: state.now - 20 * DAY, due: state.now, replay: true }] as never);
    await giveUpUntaken('crm', dependencies);
    expect(await deliveries.dead('crm', 9)).toEqual([]);
    state.now += 14 * DAY + 1;
    await giveUpUntaken('crm', dependencies);
    expect(await deliveries.dead('crm', 9)).toHaveLength(2);
  });
});
