import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { type SqliteDeliveries, sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';

const DAY = 86_400_000;
const create = () => sqliteDeliveries(openDatabase(':memory:', [DELIVERIES_SCHEMA]));

describe('deliveries in a SQLite file', () => {
  let deliveries: SqliteDeliveries;
  beforeEach(() => {
    deliveries = create();
  });

  it('of one time are in the order of being added, also when they come back from the dead', async () => {
    const ids = ['e9', 'e10', 'e1'];
    await deliveries.add(ids.map(id => delivery(id)));
    const due = await deliveries.due('crm', AT, 9);
    expect(due.map(({ eventId }) => eventId)).toEqual(ids);
    for (const { place } of due.toReversed())
      await deliveries.deadLetter('crm', place, { at: AT, reason: 'no' });
    expect((await deliveries.dead('crm', 9)).map(({ eventId }) => eventId)).toEqual(ids);
    await deliveries.requeue('crm', AT);
    expect((await deliveries.due('crm', AT, 9)).map(({ eventId }) => eventId)).toEqual(ids);
  });

  it('have the age of their next attempt where the first one lies ahead: the clock was set back', async () => {
    await deliveries.add([delivery('e1', { triedAt: AT + DAY })]);
    await deliveries.reschedule('crm', '1', { at: AT, due: AT });
    expect(await deliveries.due('crm', AT, 9)).toMatchObject([{ triedAt: AT }]);
  });

  it('name the endpoints that something waits for, was given up for, or was sent to', async () => {
    expect(await deliveries.endpoints()).toEqual([]);
    await deliveries.add([delivery('e1'), delivery('e2'), delivery('e1', { endpoint: 'chat' })]);
    await deliveries.addDead(delivery('e1', { endpoint: 'bot' }), { at: AT, reason: 'no' });
    await deliveries.note(
      ['crm', 'sent', 'was'].map(endpoint => ({ endpoint, at: AT, took: 1, events: [] })),
    );
    expect(await deliveries.endpoints()).toEqual(['bot', 'chat', 'crm', 'sent', 'was']);
  });

  it('expire 30 days after they were due, or died, and attempts after 7 days', async () => {
    await deliveries.add([delivery('e1'), delivery('e2', { due: AT + DAY })]);
    await deliveries.addDead(delivery('d1'), { at: AT, reason: 'no' });
    await deliveries.addDead(delivery('d2'), { at: AT + DAY, reason: 'no' });
    const attempt = { endpoint: 'crm', events: [{ id: 'e1', type: 'task.updated' }], took: 1 };
    await deliveries.note([AT, AT + DAY].map(at => ({ ...attempt, at })));
    expect(await deliveries.expire(AT + 7 * DAY)).toBe(0);
    expect(await deliveries.expire(AT + 7 * DAY + 1)).toBe(1);
    expect(await deliveries.attempts('crm', 9)).toEqual([{ ...attempt, at: AT + DAY }]);
    expect(await deliveries.expire(AT + 30 * DAY)).toBe(1);
    expect(await deliveries.expire(AT + 30 * DAY + 1)).toBe(2);
    expect(await deliveries.due('crm', AT + DAY, 9)).toMatchObject([{ eventId: 'e2' }]);
    expect(await deliveries.dead('crm', 9)).toMatchObject([{ eventId: 'd2' }]);
  });
});
