import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sleep } from '../../../functions/basics/system.ts';
import { sqliteSlots } from '../../../functions/store/sqlite/endpoints.ts';
import { answer, receiver } from '../../kit/delivery/receiver.ts';
import { someEvents } from '../../kit/delivery/setting.ts';
import { openDelivering } from '../../kit/local/delivering.ts';
import { eventually } from '../../kit/local/sns.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const HOUR = 3_600_000;

/** One life of a topic and an endpoint, whose clock is `ahead` ms ahead. `end` waits for nothing that is under way. */
async function live(url: string, directory: string, ahead = 0) {
  let offset = ahead;
  const { delivering, database, ...run } = openDelivering({
    path: join(directory, 'deliveries.sqlite'),
    clock: () => Date.now() + offset,
    url,
    sleep,
  });
  await delivering.recover(true);
  delivering.start();
  const end = async (): Promise<void> => {
    if (!database.file.isOpen) return;
    await delivering.stop();
    database.file.close();
  };
  onTestFinished(end);
  /** Sets the clock, and has what waits looked at, as the ticker does. */
  const setAhead = async (ms: number): Promise<void> => {
    offset = ms;
    await delivering.recover(false);
    delivering.wake();
  };
  return { ...run, endpoint: delivering, end, setAhead, counts: () => run.deliveries.counts('crm') };
}

describe('a run of one endpoint', () => {
  it('begins no further attempt once it is stopped, and sends nothing again that has arrived', async () => {
    const open = Promise.withResolvers<void>();
    let count = 0;
    const { url, received, requests } = await receiver(async response => {
      if (++count > 1) await open.promise;
      response.writeHead(204).end();
    });
    const directory = temporaryDirectory();
    const life = await live(url, directory);
    const events = someEvents(40);
    await life.publish(events);
    await requests(11);
    const stopped = life.endpoint.stop();
    open.resolve();
    await stopped;
    expect(received).toHaveLength(11);
    await life.end();
    const next = await live(url, directory);
    await eventually(async () => expect(await next.counts()).toMatchObject({ pending: 0, dead: 0 }));
    const arrived = received.map(({ headers }) => headers['webhook-id']);
    expect(arrived.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  });

  it.each([
    ['asked for a pause', () => answer(503, { 'retry-after': '3600' })],
    ['failed', () => answer(500)],
  ])('goes on soon after the clock was set back by hours, though its endpoint %s', async (_, fault) => {
    const { url, requests } = await receiver(fault(), answer(204));
    const life = await live(url, temporaryDirectory(), 3 * HOUR);
    await life.publish(someEvents(1));
    await requests(1);
    await life.endpoint.tried();
    await life.setAhead(0);
    await eventually(async () => expect(await life.counts()).toMatchObject({ pending: 0, dead: 0 }));
  });

  it('sends to a chat at once after the clock was set back, whatever moments were booked', async () => {
    const configured = [{ name: 'crm', kind: 'slack' as const }];
    const { database, delivering } = openDelivering({ configured, clock: () => AT, sleep });
    const book = (at: number) =>
      Promise.all(['crm', 'crm#burst'].map(name => sqliteSlots(database).reserveSlot(name, 1000, at, HOUR)));
    await book(AT + HOUR / 6);
    await delivering.recover(false);
    expect(await book(AT)).toEqual([0, 0]);
  });

  it('leaves a consumer what it has leased when the clock is set back, and gives the rest to others', async () => {
    let now = AT;
    const configured = [{ name: 'crm', kind: 'pull' as const }];
    const { deliveries, delivering } = openDelivering({ configured, clock: () => now, sleep });
    await deliveries.add([delivery('p.1.1.0'), delivery('p.2.1.0', { due: AT + 1 })]);
    const take = (token: string) =>
      deliveries.lease('crm', { token, now, until: now + HOUR, limit: 9, bytes: 999 });
    const [leased] = await take('one');
    now -= HOUR / 2;
    await delivering.recover(false);
    expect((await take('other')).map(({ eventId }) => eventId)).toEqual(['p.2.1.0']);
    const places = [leased?.place ?? ''];
    expect(await deliveries.endLease('crm', { token: 'one', places, now })).toHaveLength(1);
    // No lease is longer than twelve hours.
    now -= 12 * HOUR;
    await delivering.recover(false);
    expect(await take('third')).toHaveLength(1);
  });

  it('keeps a pause that is written while it recovers', async () => {
    const { rows, queues, deliveries, delivering } = openDelivering({ clock: Date.now, sleep });
    await deliveries.add([delivery('e1')]);
    await rows.change('crm', () => ({ name: 'crm', health: {} }));
    const { list } = rows;
    vi.spyOn(rows, 'list').mockImplementation(async () => {
      const listed = await list();
      await rows.change('crm', row => row && { ...row, health: { paused: { at: Date.now() } } });
      return listed;
    });
    await delivering.recover(true);
    expect(await rows.read('crm')).toMatchObject({ health: { paused: {} } });
    expect(queues.drains.messagesOf('crm')).toEqual([]);
  });
});
