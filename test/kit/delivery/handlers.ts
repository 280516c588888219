import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type QueueAttributeName,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { sleep } from '../../../functions/basics/system.ts';
import { wakesAt } from '../../../functions/delivery/health.ts';
import { type Queues, sendBy, wakeBy } from '../../../functions/delivery/queues.ts';
import { createRegistry } from '../../../functions/delivery/registry.ts';
import { createDeliver, type DeliverDependencies } from '../../../functions/handlers/create-deliver.ts';
import { createRoute } from '../../../functions/handlers/create-route.ts';
import { createTick } from '../../../functions/handlers/create-tick.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { EndpointKind } from '../../../functions/model/kinds.ts';
import type { Queue } from '../../../functions/queue/queue.ts';
import { sqsQueue } from '../../../functions/queue/sqs.ts';
import { createEndpointRows, createSlots } from '../../../functions/store/dynamo/endpoints.ts';
import { createDeliveries } from '../../../functions/store/dynamo/store.ts';
import { addingUp } from '../adding-up.ts';
import { type Poller, startPoller } from '../sqs-poller.ts';
import { openModel } from '../table.ts';
import { NOTHING_MALFORMED, type Said, SECRET } from './given.ts';
import { batchOf, messageOf } from './setting.ts';

/** The router, the deliverer and the tick, over an embedded SQS and the model of the table. Delays take
 *  no time: what is due later happens at once, and the clock is moved ahead by that much. */
export async function openHandlers() {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const credentials = { accessKeyId: 'l', secretAccessKey: 'l' };
  const sqs = new SQSClient({ endpoint, region: 'us-east-1', credentials, useQueueUrlAsEndpoint: false });
  const urls = {
    deliveries: await queueOf(sqs, 'deliveries'),
    chat: await queueOf(sqs, 'chat'),
    drains: await queueOf(sqs, 'drains'),
  };
  const asQueue = (url: string): Queue => {
    const queue = sqsQueue(sqs, url);
    return {
      ...queue,
      extend: async (message, seconds) => {
        const until = clock() + seconds * 1000;
        await queue.extend(message, 0);
        pass(until);
      },
    };
  };
  const all = {
    deliveries: asQueue(urls.deliveries),
    chat: asQueue(urls.chat),
    drains: asQueue(urls.drains),
  };
  const table = openModel();
  const [rows, deliveries] = [createEndpointRows(table), createDeliveries(table)];
  const secrets = new Map<string, string>();
  const pollers: Poller[] = [];
  const said: Said[] = [];
  const counts: Record<string, number> = {};
  let ahead = 0;
  const clock = () => Date.now() + ahead;
  const pass = (until: number) => {
    ahead = Math.max(ahead, until - Date.now());
  };
  const real = wakeBy(all.drains);
  const queues: Queues = {
    wake: async (to, seconds) => {
      const until = clock() + seconds * 1000;
      await real.wake(to, 0);
      pass(until);
    },
  };
  const say =
    (level: Said['level']) =>
    (message: string, details: object = {}) =>
      void said.push({ level, message, details: { ...details } });
  const common = {
    ...{ rows, deliveries, queues, clock },
    sleep: async (ms: number) => pass(clock() + ms),
    random: () => 0,
    slots: createSlots(table),
    log: { info: say('info'), warn: say('warn'), error: say('error') },
    count: addingUp(counts),
  };
  const registry = () => createRegistry([], rows, clock);
  /** How many messages the queues of deliveries and of drains hold: visible, in flight and delayed. */
  const size = async (): Promise<number> => {
    const parts = ['', 'NotVisible', 'Delayed'] as const;
    const both = await Promise.all([urls.deliveries, urls.drains].map(url => attributesOf(sqs, url)));
    const counts = both.flatMap(found => parts.map(part => found[`ApproximateNumberOfMessages${part}`]));
    return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
  };
  const tick = () => createTick({ ...common, registry: registry(), replays: async () => undefined })();
  return {
    ...{ sqs, urls, queues: all, rows, deliveries, said, counts, clock, size, tick },
    async endpoint(name: string, url: string, kind: EndpointKind = 'webhook'): Promise<void> {
      secrets.set(name, JSON.stringify({ url, secrets: [SECRET] }));
      await rows.change(name, () => ({ name, settings: { name, kind }, health: {} }));
    },
    deliverer: (options: Partial<DeliverDependencies> = {}) =>
      createDeliver({
        ...common,
        registry: registry(),
        secrets: {
          read: async name => secrets.get(name) ?? '',
          nameOf: name => name,
          putting: name => `put ${name}`,
        },
        allowLoopback: true,
        timeout: 2_000,
        ...options,
      }),
    poll(deliver: ReturnType<typeof createDeliver>, concurrency = 2): void {
      const onTrouble = (error: unknown) => {
        throw error;
      };
      for (const queue of ['deliveries', 'drains'] as const)
        pollers.push(
          startPoller({
            ...{ queue: all[queue], deliver, sleep, concurrency, onTrouble },
          }),
        );
    },
    /** Hands events to the router, as the queue of the topic does. */
    async publish(events: readonly ChangeEvent[]): Promise<void> {
      const route = createRoute({
        ...common,
        moveToFailed: NOTHING_MALFORMED,
        registry: registry(),
        send: sendBy(all),
      });
      const messages = events.map(event => messageOf(randomUUID(), JSON.stringify(event)));
      const again = await route(batchOf(messages, 'events'), { getRemainingTimeInMillis: () => 60_000 });
      if (again.length > 0) throw new Error('not routed');
    },
    async send(name: string, ...bodies: string[]): Promise<void> {
      await sendBy(all)(bodies.map(body => ({ to: { name, kind: 'webhook' }, body })));
    },
    pendingIds: async (name: string) =>
      (await deliveries.due(name, Number.MAX_SAFE_INTEGER, 10_000)).map(({ eventId }) => eventId),
    /** Makes tick after tick until nothing is due before `end`, in ms of its clock. */
    async settle(end = Number.POSITIVE_INFINITY): Promise<void> {
      for (;;) {
        await until(async () => (await size()) === 0);
        const next = (await rows.list()).flatMap(({ health }) => wakesAt(health, clock()) ?? []);
        const at = Math.min(...next);
        if (at >= end || next.length === 0) return;
        pass(at);
        await tick();
      }
    },
    async close(): Promise<void> {
      await Promise.all(pollers.map(poller => poller.stop()));
      sqs.destroy();
      await app.close();
    },
  };
}

export type Handlers = Awaited<ReturnType<typeof openHandlers>>;

async function queueOf(sqs: SQSClient, QueueName: string): Promise<string> {
  const Attributes = { VisibilityTimeout: '720' };
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  return QueueUrl;
}

async function attributesOf(
  sqs: SQSClient,
  QueueUrl: string,
): Promise<Partial<Record<QueueAttributeName, string>>> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  return Attributes;
}

/** Waits until `holds` returns true. */
export async function until(holds: () => Promise<boolean> | boolean, ms = 30_000): Promise<void> {
  for (const end = Date.now() + ms; !(await holds()); await sleep(5)) {
    if (Date.now() > end) throw new Error('It did not come true in time.');
  }
}
