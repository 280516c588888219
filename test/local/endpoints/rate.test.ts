import { PublishBatchCommand } from '@aws-sdk/client-sns';
import { afterEach, expect, it } from 'vitest';
import { webhookJobs } from '../../../functions/delivery/jobs.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { sqliteEndpointRows, sqliteSlots } from '../../../functions/store/sqlite/endpoints.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import { LocalTopic } from '../../../local/deliveries/topic.ts';
import { startEndpoint } from '../../../local/endpoints/endpoint.ts';
import { AT, SECRET, someEvents } from '../../kit/delivery/given.ts';
import { jobsWith } from '../../kit/delivery/setting.ts';
import { Scheduler, virtualTimers } from '../../simulation/scheduler.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

it.each([
  [5, 25, 5],
  [10, 100, 10],
  [100, 400, 4],
  // 150 in the first 15 s, and twice as many a second behind these.
  [undefined, 250, 21],
])(
  'what waited goes out at the endpoint’s rate, %s a second, whatever a lane reads at once',
  async (perSecond, count, within) => {
    const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
    const scheduler = new Scheduler(AT);
    closers.push(() => database.file.close(), virtualTimers(scheduler));
    const [deliveries, rows] = [sqliteDeliveries(database), sqliteEndpointRows(database)];
    const clock = () => scheduler.now;
    await deliveries.add(
      someEvents(count).map(event => {
        return { endpoint: 'crm', eventId: event.id, at: AT, body: JSON.stringify(event), attributes: {} };
      }),
    );
    const endpoint = { name: 'crm', kind: 'webhook', perSecond } as const;
    await rows.change('crm', () => ({
      name: 'crm',
      health: { waiting: { added: 1, due: AT, first: true } },
    }));
    const posts: number[] = [];
    const served = await startEndpoint({
      ...{ endpoint, deliveries, rows, clock, topic: new LocalTopic(deliveries, clock) },
      slots: sqliteSlots(database),
      sender: {
        readSecret: async () => ({ url: 'https://crm.example/', secrets: [SECRET] }),
        openPoster: () => ({
          async post() {
            posts.push(clock());
            return { status: 204, retryAfter: undefined, date: undefined, at: clock() };
          },
          close: async () => undefined,
        }),
        jobsOf: webhookJobs,
      },
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          scheduler.after(ms, resolve);
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
      say: () => undefined,
    });
    await scheduler.until(() => posts.length === count, 'all are sent');
    const seconds = ((posts.at(-1) ?? 0) - AT) / 1000;
    expect(seconds).toBeLessThanOrEqual(within);
    expect(seconds).toBeGreaterThanOrEqual(within - 1);
    const stopping = served.stop();
    await scheduler.pass(1_000);
    await stopping;
  },
);

it.each(['webhook', 'slack'] as const)(
  'a live event goes to a %s within 3 s while 300 others are replayed to it',
  async kind => {
    const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
    const scheduler = new Scheduler(AT);
    closers.push(() => database.file.close(), virtualTimers(scheduler));
    const [deliveries, rows] = [sqliteDeliveries(database), sqliteEndpointRows(database)];
    const clock = () => scheduler.now;
    const [live, ...old] = someEvents(301);
    await deliveries.add(
      old.map(event => {
        const body = JSON.stringify(event);
        return {
          endpoint: 'crm',
          eventId: event.id,
          at: AT - 9,
          due: AT,
          body,
          attributes: {},
          replay: true,
        };
      }),
    );
    const health = { waiting: { added: 1, due: AT, first: false } };
    await rows.change('crm', () => ({ name: 'crm', health }));
    const posts = new Map<string, number>();
    const jobsOf = jobsWith(events => events.map(({ id }) => ({ body: id, eventIds: [id] })));
    const topic = new LocalTopic(deliveries, clock);
    const served = await startEndpoint({
      ...{ endpoint: { name: 'crm', kind }, deliveries, rows, clock, topic },
      slots: sqliteSlots(database),
      sender: {
        readSecret: async () => ({ url: 'https://crm.example/', secrets: [SECRET] }),
        openPoster: () => ({
          async post(_url, { body }) {
            posts.set(body, clock());
            return { status: 204, retryAfter: undefined, date: undefined, at: clock() };
          },
          close: async () => undefined,
        }),
        jobsOf,
      },
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          scheduler.after(ms, resolve);
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
      say: () => undefined,
    });
    await scheduler.pass(5_000);
    const body = JSON.stringify(live);
    const entry = { Id: '0', Message: body, MessageAttributes: {} };
    const published = clock();
    await topic.send(new PublishBatchCommand({ TopicArn: topic.arn, PublishBatchRequestEntries: [entry] }));
    const sent = kind === 'webhook' ? body : (live?.id ?? '');
    await scheduler.until(() => posts.has(sent), 'it is sent');
    expect((posts.get(sent) ?? 0) - published).toBeLessThanOrEqual(3_000);
    expect(posts.size).toBeLessThan(200);
    const stopping = served.stop();
    await scheduler.pass(3_000);
    await stopping;
  },
);
