import { describe, expect, it } from 'vitest';
import { QUEUE_SCHEMA } from '../../../functions/queue/sqlite.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { DELIVERIES_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { openSqliteStore, sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { reportAbandoned, resendOf, resumePending } from '../../../local/cli/undelivered.ts';
import type { DataDirectory } from '../../../local/data/data-directory.ts';
import { openQueues, withQueued } from '../../../local/data/store.ts';
import { someEvents } from '../../kit/delivery/setting.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';

const ENDPOINTS = ['planner', 'crm'].map(name => ({ label: name, kept: name }));
const SUBSCRIPTION = { label: 'http://127.0.0.1:9000', kept: 'sns:127-0-0-1-ab' };

describe('--resend', () => {
  it('means endpoints and subscriptions by the names that are said of them, all of a name', () => {
    const names = ['planner', 'http://127.0.0.1:9000'];
    const other = { ...SUBSCRIPTION, kept: 'sns:127-0-0-1-cd' };
    const kept = resendOf(names, [SUBSCRIPTION, ...ENDPOINTS, other]);
    expect([...kept]).toEqual(['planner', 'sns:127-0-0-1-ab', 'sns:127-0-0-1-cd']);
    expect(resendOf([], ENDPOINTS).size).toBe(0);
  });

  it.each([
    [
      'plannr',
      ENDPOINTS,
      '--resend: unknown endpoint "plannr"; known endpoints: planner, crm. Did you mean planner?',
    ],
    ['colour', [], '--resend: unknown endpoint "colour"; no endpoints are set.'],
    [
      'xoxb-1a2B3c4D5e6F7g8H9i0J',
      ENDPOINTS,
      '--resend: unknown endpoint text of 25 characters; known endpoints: planner, crm.',
    ],
  ])('refuses %j with the names that there are', (name, endpoints, message) => {
    expect(() => resendOf([name], endpoints)).toThrow(new UsageError(message));
  });
});

describe('what an endpoint has yet to get', () => {
  /** One that waits and two that are dead, taken up; what was said of it, and what waits then. */
  async function takenUp(resend: readonly string[], ids = ['e1', 'e2', 'e3']) {
    const deliveries = sqliteDeliveries(openDatabase(':memory:', [DELIVERIES_SCHEMA]));
    await deliveries.add(ids.map(id => delivery(id)));
    for (const { place, eventId } of await deliveries.due('crm', AT, 9))
      if (eventId !== 'e1') await deliveries.deadLetter('crm', place, { at: AT, reason: 'answered 500' });
    const lines: string[] = [];
    const write = (text: string) => void lines.push(text);
    const directory = { lasting: true } as DataDirectory;
    const parts = { deliveries, output: { info: write, warn: write }, resend: new Set(resend), directory };
    await resumePending(parts, [{ kept: 'crm', label: 'CRM' }], AT + 5);
    const waiting = (await deliveries.due('crm', AT + 5, 9)).map(({ eventId }) => eventId);
    return { lines, waiting };
  }

  it('is said with its number and since when, dead letters too, and how these are sent again', async () => {
    expect(await takenUp([])).toEqual({
      lines: [
        `CRM: resuming with 1 undelivered event, oldest ${new Date(AT).toISOString()}`,
        'CRM: 2 dead letters; start with --resend CRM to send them again',
      ],
      waiting: ['e1'],
    });
    expect((await takenUp([], [])).lines).toEqual([]);
  });

  it('holds its dead letters again when they are asked for', async () => {
    expect(await takenUp(['crm'])).toEqual({
      lines: [
        'CRM: resending 2 dead letters',
        `CRM: resuming with 3 undelivered events, oldest ${new Date(AT).toISOString()}`,
      ],
      waiting: ['e1', 'e2', 'e3'],
    });
    expect((await takenUp(['crm'], [])).lines).toEqual(['CRM: no dead letters to resend']);
  });
});

/** The deliveries in a file, and its queues. */
function open() {
  const { database, deliveries, endpoints } = openSqliteStore(':memory:', { schemas: [QUEUE_SCHEMA] });
  const queues = openQueues(database.file, () => AT);
  return { queues, endpoints, deliveries: withQueued(deliveries, queues) };
}

describe('what waits for endpoints that nobody asks for', () => {
  const WANTED = { label: 'Wanted', kept: 'wanted' };
  const DAY = 24 * 3_600_000;

  it('is told at each start for three days, and is dead letters then; of a subscription nothing is told', async () => {
    const { queues, deliveries, endpoints } = open();
    for (const endpoint of ['crm', 'wanted', 'sns:gone'])
      await deliveries.add([
        delivery('e1', { endpoint, at: AT }),
        delivery('e2', { endpoint, at: AT + DAY }),
      ]);
    const lines: string[] = [];
    const output = { warn: (text: string) => void lines.push(text) };
    const start = (days: number) =>
      reportAbandoned({ deliveries, endpoints, queues, output }, [WANTED], AT + days * DAY);
    for (const days of [3, 3.5, 5, 6]) await start(days);
    expect(lines).toEqual([
      'crm: 2 undelivered events. Start with its URL again to send them.',
      'crm: gave up on 1 event, kept as dead letters.',
      'crm: 1 undelivered event. Start with its URL again to send them.',
      'crm: gave up on 1 event, kept as dead letters.',
    ]);
    for (const endpoint of ['crm', 'sns:gone'])
      expect(await deliveries.counts(endpoint)).toMatchObject({ pending: 0, dead: 2 });
    expect(await deliveries.counts('wanted')).toMatchObject({ pending: 2, dead: 0 });
  });

  it('waits three days from the first start without the endpoint, however long it waited before', async () => {
    const { queues, deliveries, endpoints } = open();
    const tried = { endpoint: 'crm', triedAt: AT - 4 * DAY };
    await deliveries.add([delivery('e1', tried), delivery('e2', { ...tried, due: AT + 9 })]);
    const start = (now: number) =>
      reportAbandoned({ deliveries, endpoints, queues, output: { warn: () => {} } }, [WANTED], now);
    await endpoints.change('crm', () => ({ name: 'crm', health: {} }));
    await start(AT);
    await endpoints.change('crm', () => 'removed');
    await start(AT + 3 * DAY);
    expect(await deliveries.counts('crm')).toMatchObject({ pending: 2, dead: 0 });
  });

  it.each(['deliveries', 'chat'] as const)('waits in rows: the queue of %s would drop it', async name => {
    const { queues, deliveries, endpoints } = open();
    const events = someEvents(2).map(event => JSON.stringify(event));
    await queues[name].send(events.map(body => ({ body, group: 'gone' })));
    await queues[name].send([{ body: events[0] as string, group: 'wanted' }]);
    const lines: string[] = [];
    const output = { warn: (text: string) => void lines.push(text) };
    await reportAbandoned({ deliveries, endpoints, queues, output }, [WANTED], AT);
    expect(lines).toEqual(['gone: 2 undelivered events. Start with its URL again to send them.']);
    expect(queues[name].groups()).toEqual(['wanted']);
    const rows = await deliveries.due('gone', Number.MAX_SAFE_INTEGER, 9);
    expect(rows.map(({ body }) => body)).toEqual(events);
  });

  it('invariant 11: stays in its queue where rows can not be written', async () => {
    const { queues, deliveries, endpoints } = open();
    await queues.deliveries.send([{ body: JSON.stringify(someEvents(1)[0]), group: 'gone' }]);
    const add = () => Promise.reject(new Error('disk full'));
    const abandoned = { queues, endpoints, deliveries: { ...deliveries, add }, output: { warn: () => {} } };
    await expect(reportAbandoned(abandoned, [], AT)).rejects.toThrow('disk full');
    expect(queues.deliveries.groups()).toEqual(['gone']);
  });
});
