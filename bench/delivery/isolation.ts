import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { sleep } from '../../functions/basics/system.ts';
import { sendBy, wakeBy } from '../../functions/delivery/queues.ts';
import { createRegistry } from '../../functions/delivery/registry.ts';
import { createDeliver } from '../../functions/handlers/create-deliver.ts';
import { createRoute } from '../../functions/handlers/create-route.ts';
import { createTick } from '../../functions/handlers/create-tick.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import { sqsQueue } from '../../functions/queue/sqs.ts';
import { createEndpointRows, createSlots } from '../../functions/store/dynamo/endpoints.ts';
import { createDeliveries } from '../../functions/store/dynamo/store.ts';
import { DELIVER_TIMEOUT, DRAINS, WEBHOOKS } from '../../infra/parts/serving.ts';
import { batchOf, messageOf, NOTHING_MALFORMED } from '../../test/kit/delivery/setting.ts';
import { openModel } from '../../test/kit/table.ts';
import { eventOf, SECRET } from './given.ts';
import { startPoller } from './sqs-poller.ts';

/** How a receiver behaves: it answers with this status, or never. */
export type Manner = '204' | '429' | '500' | 'hangs';

const TICK_MS = 60_000;
/** How long it waits, in ms, for the deliveries that were sent last. */
const TIMEOUT_MS = 20_000;
const LOG = { info: () => {}, warn: () => {}, error: () => {} };

/** Sends events that all endpoints want, over real HTTP and an embedded SQS. It does not support
 *  message groups, so that only the deliverer isolates endpoints. @returns for each delivery
 *  to an endpoint that answers 204: the ms from routing to the first attempt, sorted */
export async function measureIsolation(
  manners: readonly Manner[],
  { seconds, perSecond }: { readonly seconds: number; readonly perSecond: number },
): Promise<{ readonly waits: readonly number[]; readonly wanted: number }> {
  const receiver = fork(new URL('receiver.ts', import.meta.url), { serialization: 'advanced' });
  const [port] = (await once(receiver, 'message')) as [number];
  const arrivals = new Map<string, number>();
  receiver.on('message', ([path, id, at]: [string, string, number]) => {
    const [, name, manner] = path.split('/');
    const key = `${name} ${id}`;
    if (manner === '204' && !arrivals.has(key)) arrivals.set(key, at);
  });
  const run = await openRun(manners, port);
  try {
    const routed = new Map<string, number>();
    const began = performance.now();
    for (let number = 0; number < seconds * perSecond; number++) {
      await sleep(Math.max(0, began + (number * 1000) / perSecond - performance.now()));
      const event = eventOf(number);
      routed.set(event.id, performance.timeOrigin + performance.now());
      await run.publish(JSON.stringify(event));
    }
    const wanted = routed.size * manners.filter(manner => manner === '204').length;
    for (const end = performance.now() + TIMEOUT_MS; arrivals.size < wanted; await sleep(50))
      if (performance.now() > end) break;
    const waits = [...arrivals].map(([key, at]) => at - (routed.get(key.split(' ')[1] ?? '') ?? Number.NaN));
    return { wanted, waits: waits.toSorted((one, other) => one - other) };
  } finally {
    // Ends the receiver's process, and with it the requests that hang.
    receiver.disconnect();
    await run.stop();
  }
}

async function openRun(manners: readonly Manner[], port: number) {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const credentials = { accessKeyId: 'l', secretAccessKey: 'l' };
  const client = () =>
    new SQSClient({ endpoint, region: 'us-east-1', credentials, useQueueUrlAsEndpoint: false });
  // Two clients, because one has 50 sockets, and each worker of the poller occupies one.
  const [sqs, polling] = [client(), client()];
  const url = async (QueueName: string) => {
    const Attributes = { VisibilityTimeout: String(6 * DELIVER_TIMEOUT.toSeconds()) };
    return (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';
  };
  const urls = {
    deliveries: await url('deliveries'),
    chat: await url('chat'),
    drains: await url('drains'),
  };
  const table = openModel();
  const configured = manners.map((_, index): EndpointSettings => ({ name: `e${index}`, kind: 'webhook' }));
  const [rows, clock] = [createEndpointRows(table), Date.now];
  const registry = () => createRegistry(configured, rows, clock);
  const queues = wakeBy(sqsQueue(sqs, urls.drains));
  const common = { rows, clock, queues, log: LOG, count: () => {}, random: Math.random };
  const route = createRoute({
    ...common,
    moveToFailed: NOTHING_MALFORMED,
    registry: registry(),
    send: sendBy({ deliveries: sqsQueue(sqs, urls.deliveries), chat: sqsQueue(sqs, urls.chat) }),
  });
  const tick = createTick({ ...common, registry: registry(), jobs: async () => undefined });
  const ticking = setInterval(() => void tick(), TICK_MS);
  const poll = (queueUrl: string, concurrency: number) =>
    startPoller({
      ...{ queue: sqsQueue(polling, queueUrl), sleep, deliver },
      ...{ concurrency, timeLimit: DELIVER_TIMEOUT.toMilliseconds() },
      onTrouble: error => {
        throw error;
      },
    });
  const deliver = createDeliver({
    ...{ ...common, registry: registry(), sleep, allowLoopback: true },
    deliveries: createDeliveries(table),
    slots: createSlots(table),
    secrets: {
      nameOf: name => name,
      putting: () => '',
      read: async name =>
        JSON.stringify({
          url: `http://127.0.0.1:${port}/${name}/${manners[Number(name.slice(1))]}`,
          secrets: [SECRET],
        }),
    },
  });
  const pollers = [poll(urls.deliveries, WEBHOOKS.concurrency), poll(urls.drains, DRAINS.concurrency)];
  return {
    publish: (body: string) =>
      route(batchOf([messageOf(randomUUID(), body)], 'events'), {
        awsRequestId: 'r',
        getRemainingTimeInMillis: () => 60_000,
      }),
    async stop() {
      clearInterval(ticking);
      await Promise.all(pollers.map(poller => poller.stop()));
      for (const each of [sqs, polling]) each.destroy();
      await app.close();
    },
  };
}
