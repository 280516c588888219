import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { LAYOUT, openDatabase } from '../../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { type SqliteDeliveries, sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

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
    for (const { place } of due.toReversed()) await deliveries.bury('crm', place, { at: AT, reason: 'no' });
    expect((await deliveries.dead('crm', 9)).map(({ eventId }) => eventId)).toEqual(ids);
    await deliveries.revive('crm', AT);
    expect((await deliveries.due('crm', AT, 9)).map(({ eventId }) => eventId)).toEqual(ids);
  });

  it('name the endpoints that something waits for, or was given up for', async () => {
    expect(await deliveries.endpoints()).toEqual([]);
    await deliveries.add([delivery('e1'), delivery('e2'), delivery('e1', { endpoint: 'chat' })]);
    await deliveries.addDead(delivery('e1', { endpoint: 'bot' }), { at: AT, reason: 'no' });
    expect(await deliveries.endpoints()).toEqual(['bot', 'chat', 'crm']);
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

  it('find the attempts of a file that an earlier version of this layout made', async () => {
    const path = join(temporaryDirectory(), 'changewire.sqlite');
    const file = new DatabaseSync(path);
    file.exec(`${DELIVERIES_SCHEMA.replaceAll(/^CREATE \w+ IF NOT EXISTS[^;]*;/gm, '')}
      PRAGMA application_id = 0x43485752; PRAGMA user_version = ${LAYOUT}`);
    const attempt = { endpoint: 'crm', at: AT, events: [{ id: 'e1', type: 'task.updated' }], took: 1 };
    file
      .prepare('INSERT INTO attempt (endpoint, at, event_id, attempt) VALUES (?, ?, ?, ?)')
      .run('crm', AT, 'e1', JSON.stringify(attempt));
    file.close();
    for (const _ of ['the first start', 'the next']) {
      const database = openDatabase(path, [DELIVERIES_SCHEMA]);
      const found = await sqliteDeliveries(database).attemptsOf('crm', { eventId: 'e1', at: AT }, 9);
      expect(found).toEqual([attempt]);
      const plan = database.file.prepare(
        "EXPLAIN QUERY PLAN SELECT * FROM attempt WHERE endpoint = 'crm' AND event_id = 'e1'",
      );
      expect(JSON.stringify(plan.all())).toContain('attempt_by_event');
      database.file.close();
    }
  });
});
