import { joined } from '../../../functions/delivery/health.ts';
import { type Send, sendBy, wakeBy } from '../../../functions/delivery/queues.ts';
import { createRegistry } from '../../../functions/delivery/registry.ts';
import { createDeliver } from '../../../functions/handlers/create-deliver.ts';
import { createRoute } from '../../../functions/handlers/create-route.ts';
import { createTick } from '../../../functions/handlers/create-tick.ts';
import type { PendingDelivery } from '../../../functions/model/delivery.ts';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import { servedByLambda, sqsQueue, sqsQueueBeside } from '../../../functions/queue/sqs.ts';
import { createEndpointRows, createSlots } from '../../../functions/store/dynamo/endpoints.ts';
import { createDeliveries } from '../../../functions/store/dynamo/store.ts';
import type { Deliveries } from '../../../functions/store/store.ts';
import { CHAT, DRAINS, type Serving, WEBHOOKS } from '../../../infra/parts/serving.ts';
import { seededRandom } from '../../../simulator/data/random.ts';
import { Coverage } from '../../simulation/faults.ts';
import { Life } from '../../simulation/life.ts';
import { QueueSource } from '../../simulation/models/event-source.ts';
import { QueueModel } from '../../simulation/models/queue.ts';
import { modelClient } from '../../simulation/models/table.ts';
import { Scheduler, virtualTimers } from '../../simulation/scheduler.ts';
import { sqsClient } from '../../simulation/sqs.ts';
import { agentOf } from '../agent.ts';
import { openModel } from '../table.ts';
import { AT, batchOf, messageOf, NOTHING_MALFORMED, SECRET, someEvents } from './setting.ts';

/** What a receiver answers, 20 ms later; or it never does. */
export type Manner = 200 | 429 | 500 | 'hangs';

/** An endpoint of the simulation, and the behaviour of its receiver. */
export interface Member {
  readonly settings: Omit<EndpointSettings, 'name'>;
  readonly manner: Manner;
}

const ANSWER_MS = 20;
const REQUEST_MS = 5;
/** How often Lambda looks for messages while fewer runs than allowed are under way. */
const LOOK_MS = 20;
const MINUTE = 60_000;
const AFTERWARDS_MS = 5_000;

/** Sends this number of events, each second the same number, to webhooks that behave like this. @returns for
 *  each receiver that answers 200: the ms from routing to the first attempt of each event */
export function waitsOf(
  manners: readonly Manner[],
  { seconds, perSecond }: { readonly seconds: number; readonly perSecond: number },
): Promise<number[][]> {
  const members = manners.map(manner => ({ manner, settings: { kind: 'webhook' } }) as const);
  return simulate(members, seconds * 1000 + AFTERWARDS_MS, (world, after) => {
    for (let number = 0; number < seconds * perSecond; number++)
      after((number * 1000) / perSecond, () => void world.publish(world.eventOf(number)));
  });
}

type World = ReturnType<typeof openWorld>;

/** Lets `ms` of virtual time pass over the endpoints `e0`, `e1` and so on, with the queues and as many runs at
 *  once as are deployed. `begin` sets up what happens, by `after` (in ms). @returns as `waitsOf` */
export async function simulate(
  members: readonly Member[],
  ms: number,
  begin: (world: World, after: (ms: number, action: () => void) => void) => Promise<void> | void,
): Promise<number[][]> {
  const scheduler = new Scheduler(AT);
  const restore = virtualTimers(scheduler);
  try {
    const world = openWorld(scheduler, members);
    await begin(world, (ms, action) => void scheduler.after(ms, action));
    await scheduler.pass(ms);
    return world.waits();
  } finally {
    restore();
  }
}

function openWorld(scheduler: Scheduler, members: readonly Member[]) {
  const clock = () => scheduler.now;
  const random = seededRandom(1);
  const queueOf = (name: string) =>
    new QueueModel({
      ...{ name, arn: `arn:aws:sqs:eu-west-1:1:${name}`, url: `https://sqs/${name}` },
      ...{ clock, random, visibilityTimeout: 1_080 },
    });
  const [deliveries, chat, drains] = [queueOf('deliveries'), queueOf('chat'), queueOf('drains')];
  const nature = { scheduler, random, coverage: new Coverage(), faulty: false, delays: {} };
  const urls = { deliveries: deliveries.url, chat: chat.url, drains: drains.url };
  const looks: (() => void)[] = [];
  const sent = () => {
    for (const look of looks) look();
  };
  const sqs = sqsClient(new Life(nature), [deliveries, chat, drains], { sent });
  const { model, ...base } = openModel();
  const client = modelClient(async command => {
    await scheduler.sleep(REQUEST_MS);
    return model.run(command);
  });
  const table = { ...base, client };
  const configured = members.map(
    ({ settings }, index): EndpointSettings => ({ ...settings, name: `e${index}` }),
  );
  const rows = createEndpointRows(table);
  const registry = () => createRegistry(configured, rows, clock);
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const common = {
    rows,
    clock,
    random,
    log,
    count: () => undefined,
    queues: wakeBy(sqsQueue(sqs, urls.drains)),
  };
  const sendAll = sendBy({ deliveries: sqsQueue(sqs, urls.deliveries), chat: sqsQueue(sqs, urls.chat) });
  const routed = new Map<string, number>();
  const tried = new Map<string, number>();
  const send: Send = async messages => {
    for (const { to, body } of messages)
      for (const mark of marksIn(body)) routed.set(`${to.name} ${mark}`, clock());
    return sendAll(messages);
  };
  const posts: { readonly name: string; readonly body: string; readonly at: number }[] = [];
  const openAgent = () =>
    agentOf(({ origin, body }, controller) => {
      const [, name = '', number] = /^https:\/\/(e(\d+))\.example$/.exec(origin) ?? [];
      posts.push({ name, body, at: scheduler.now - AT });
      for (const mark of marksIn(body)) {
        const key = `${name} ${mark}`;
        tried.set(key, tried.get(key) ?? clock());
      }
      const manner = members[Number(number)]?.manner;
      if (manner !== undefined && manner !== 'hangs')
        scheduler.after(ANSWER_MS, () =>
          controller.answer({ status: manner, headers: {}, text: Buffer.from('') }),
        );
    });
  // Backlogs of hundreds of thousands of rows are kept beside the table, which would compress each of them.
  const backlogs = new Map<string, number[]>();
  const withBacklogs = (deliveries: Deliveries): Deliveries => ({
    ...deliveries,
    due: async (name, ...given) => {
      const backlog = backlogs.get(name);
      if (!backlog) return deliveries.due(name, ...given);
      await scheduler.sleep(REQUEST_MS);
      return backlog.slice(0, given[1]).map(number => rowOf(name, number));
    },
    remove: async (name, places) => {
      if (!backlogs.has(name)) return deliveries.remove(name, places);
      await scheduler.sleep(REQUEST_MS);
      const removed = new Set(places);
      const left = (backlogs.get(name) ?? []).filter(number => !removed.has(String(number)));
      backlogs.set(name, left);
    },
    note: async attempts =>
      backlogs.has(attempts[0]?.endpoint ?? '') ? undefined : deliveries.note(attempts),
  });
  const starting = () => {
    const deliver = createDeliver({
      ...{ ...common, openAgent, allowLoopback: false, registry: registry() },
      deliveries: withBacklogs(createDeliveries(table)),
      slots: createSlots(table),
      sleep: ms => scheduler.sleep(ms),
      secrets: {
        nameOf: name => name,
        putting: () => '',
        read: async name => JSON.stringify({ url: `https://${name}.example/`, secrets: [SECRET] }),
      },
    });
    return servedByLambda(deliver, sqsQueueBeside(sqs, urls.deliveries));
  };
  const route = createRoute({ ...common, moveToFailed: NOTHING_MALFORMED, registry: registry(), send });
  const tick = createTick({ ...common, registry: registry(), jobs: async () => undefined });
  every(scheduler, MINUTE, () => void tick());
  looks.push(
    serve(scheduler, deliveries, WEBHOOKS, starting),
    serve(scheduler, chat, CHAT, starting),
    serve(scheduler, drains, DRAINS, starting),
  );
  return {
    /** Wakes a run for the backlog of one endpoint. */
    wake: (index: number) => common.queues.wake(configured[index] as EndpointSettings, 0),
    /** The requests that all receivers got, `at` ms after the beginning. */
    posts,
    deliveries: createDeliveries(base),
    /** The event with this number: that of a project of its own. */
    eventOf,
    publish: (body: string) =>
      route(batchOf([messageOf('event', body)], 'events'), {
        awsRequestId: 'r',
        getRemainingTimeInMillis: () => 60_000,
      }),
    /** Routes an event to one endpoint. */
    send: (index: number, body: string) => {
      const { name, kind } = configured[index] as EndpointSettings;
      return send([{ to: { name, kind }, body }]);
    },
    /** Makes a backlog of this number of rows. */
    async backlog(index: number, count: number): Promise<void> {
      const name = `e${index}`;
      const health = joined({}, AT, true);
      backlogs.set(name, [...Array(count).keys()]);
      await createEndpointRows(base).change(name, () => ({ name, health }));
    },
    waits: () =>
      members.flatMap(({ manner }, index) => {
        if (manner !== 200) return [];
        const mine = [...routed].filter(([key]) => key.startsWith(`e${index} `));
        return [mine.map(([key, at]) => (tried.get(key) ?? Number.POSITIVE_INFINITY) - at)];
      }),
  };
}

const [template] = someEvents(1);

function eventOf(number: number): string {
  const { data, ...event } = template as { data: { project: object } };
  const project = { ...data.project, id: String(number), name: `mark-${number}-` };
  return JSON.stringify({ ...event, id: `p1.${number}.1.0`, data: { ...data, project } });
}

const rowOf = (endpoint: string, number: number): PendingDelivery => ({
  ...{ endpoint, eventId: `p1.${number}.1.0`, at: AT, due: AT, body: eventOf(number), attributes: {} },
  ...{ place: String(number), attempts: 0, triedAt: undefined },
});

/** The numbers of the events in a body, which may be a chat message. */
function marksIn(body: string): Set<string> {
  return new Set(Array.from(body.matchAll(/mark-(\d+)-/g), ([, mark]) => mark as string));
}

type Invoked = ReturnType<typeof servedByLambda>;

/** Lambda's runs, each in an environment that serves no other run at the time.
 *  @returns begins to look for messages, until there are none */
function serve(
  scheduler: Scheduler,
  queue: QueueModel,
  { concurrency, batch, timeout, window }: Serving,
  starting: () => Invoked,
): () => void {
  const idle: Invoked[] = Array.from({ length: concurrency }, starting);
  let runs = 0;
  const run = (deliver: Invoked) => {
    const end = scheduler.now + timeout.toMilliseconds();
    const context = {
      awsRequestId: `${queue.name}-${++runs}`,
      getRemainingTimeInMillis: () => end - scheduler.now,
    };
    const handler = (event: Parameters<Invoked>[0]) => deliver(event, context);
    return new QueueSource({ queue, batchSize: batch, handler }).run();
  };
  const use = async (deliver: Invoked): Promise<void> => {
    await run(deliver);
    idle.push(deliver);
  };
  let isLooking = false;
  const look = () => {
    while (idle.length > 0 && (queue.nextVisibleAt() ?? Number.POSITIVE_INFINITY) <= scheduler.now)
      void use(idle.pop() as Invoked);
    isLooking = queue.size > 0;
    if (isLooking) lookSoon();
  };
  const lookSoon = () => void scheduler.after(Math.max(LOOK_MS, window.toMilliseconds()), look);
  return () => {
    if (!isLooking) lookSoon();
    isLooking = true;
  };
}

function every(scheduler: Scheduler, ms: number, work: () => void): void {
  scheduler.after(ms, () => {
    work();
    every(scheduler, ms, work);
  });
}
