import { Dispatcher } from 'undici';
import { sqsQueues, sqsSend } from '../../../functions/delivery/queues.ts';
import { createRegistry } from '../../../functions/delivery/registry.ts';
import type { EndpointSettings } from '../../../functions/endpoints/endpoint.ts';
import { createDeliver, type Deliver } from '../../../functions/handlers/create-deliver.ts';
import { createRoute } from '../../../functions/handlers/create-route.ts';
import { createTick } from '../../../functions/handlers/create-tick.ts';
import { createDeliveries } from '../../../functions/snapshots/dynamo-deliveries.ts';
import { createEndpointRows } from '../../../functions/snapshots/dynamo-endpoint-rows.ts';
import { createSlots } from '../../../functions/snapshots/slots.ts';
import { DELIVER_TIMEOUT, WEBHOOKS } from '../../../infra/parts/serving.ts';
import { seededRandom } from '../../../local/simulated-service/data/random.ts';
import { Coverage } from '../../simulation/faults.ts';
import { Controller } from '../../simulation/http.ts';
import { Life } from '../../simulation/life.ts';
import { QueueSource } from '../../simulation/models/event-source.ts';
import { QueueModel } from '../../simulation/models/queue.ts';
import { modelClient } from '../../simulation/models/table.ts';
import { Scheduler, virtualTimers } from '../../simulation/scheduler.ts';
import { sqsClient } from '../../simulation/sqs.ts';
import { openModel } from '../table.ts';
import { AT, NOTHING_MALFORMED, SECRET, someEvents } from './given.ts';
import { recordOf } from './setting.ts';

/** What a receiver answers, 20 ms later; or it never does. */
export type Manner = 200 | 429 | 500 | 'hangs';

const ANSWER_MS = 20;
const REQUEST_MS = 5;
/** How often Lambda looks for messages while fewer runs than allowed are under way. */
const LOOK_MS = 20;
const MINUTE = 60_000;
const AFTERWARDS_MS = 5_000;

/** Sends so many events, so many a second, to receivers that behave like this, with one fair queue and as
 *  many runs at once as are deployed. @returns for each receiver that answers 200: the ms from routing to
 *  the first attempt of each event */
export async function waitsOf(
  manners: readonly Manner[],
  { seconds, perSecond }: { readonly seconds: number; readonly perSecond: number },
): Promise<number[][]> {
  const scheduler = new Scheduler(AT);
  const restore = virtualTimers(scheduler);
  try {
    const world = openWorld(scheduler, manners);
    for (const [index, event] of someEvents(seconds * perSecond).entries()) {
      scheduler.after((index * 1000) / perSecond, () => void world.publish(JSON.stringify(event)));
    }
    await scheduler.pass(seconds * 1000 + AFTERWARDS_MS);
    return world.waits();
  } finally {
    restore();
  }
}

function openWorld(scheduler: Scheduler, manners: readonly Manner[]) {
  const clock = () => scheduler.now;
  const random = seededRandom(1);
  const queue = new QueueModel({
    ...{ name: 'deliveries', arn: 'arn:aws:sqs:eu-west-1:1:deliveries', url: 'https://sqs/deliveries' },
    ...{ clock, random, visibilityTimeout: 1_080 },
  });
  const nature = { scheduler, random, coverage: new Coverage(), faulty: false, delays: {} };
  const urls = { deliveries: queue.url, chat: 'https://sqs/chat' };
  const sqs = sqsClient(new Life(nature), [queue], { sent: () => undefined });
  const { model, ...base } = openModel();
  const client = modelClient(async command => {
    await scheduler.sleep(REQUEST_MS);
    return model.run(command);
  });
  const table = { ...base, client };
  const configured = manners.map((_, index): EndpointSettings => ({ name: `e${index}`, kind: 'webhook' }));
  const rows = createEndpointRows(table);
  const registry = () => createRegistry(configured, rows, clock);
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const common = { rows, clock, random, log, count: () => undefined, queues: sqsQueues(sqs, urls) };
  const routed = new Map<string, number>();
  const tried = new Map<string, number>();
  const send: ReturnType<typeof sqsSend> = async messages => {
    for (const { to, body } of messages) routed.set(`${to.name} ${body}`, clock());
    return sqsSend(sqs, urls)(messages);
  };
  const openAgent = () =>
    new Receivers(scheduler, manners, (name, body) => {
      const key = `${name} ${body}`;
      tried.set(key, tried.get(key) ?? clock());
    });
  const starting = () =>
    createDeliver({
      ...{ ...common, openAgent, allowLoopback: false, registry: registry() },
      deliveries: createDeliveries(table),
      slots: createSlots(table),
      sleep: ms => scheduler.sleep(ms),
      secrets: {
        nameOf: name => name,
        putting: () => '',
        read: async name => JSON.stringify({ url: `https://${name}.example/`, secrets: [SECRET] }),
      },
    });
  const route = createRoute({ ...common, setAside: NOTHING_MALFORMED, registry: registry(), send });
  const tick = createTick({ ...common, registry: registry(), replays: async () => undefined });
  every(scheduler, MINUTE, () => void tick());
  serve(scheduler, queue, starting);
  return {
    publish: (body: string) =>
      route({ Records: [recordOf('event', body)] }, { getRemainingTimeInMillis: () => 60_000 }),
    waits: () =>
      manners.flatMap((manner, index) => {
        if (manner !== 200) return [];
        const mine = [...routed].filter(([key]) => key.startsWith(`e${index} `));
        return [mine.map(([key, at]) => (tried.get(key) ?? Number.POSITIVE_INFINITY) - at)];
      }),
  };
}

/** Lambda's runs, each in an environment that serves no other run at the time. */
function serve(scheduler: Scheduler, queue: QueueModel, starting: () => Deliver): void {
  const idle: Deliver[] = Array.from({ length: WEBHOOKS.concurrency }, starting);
  let runs = 0;
  const run = (deliver: Deliver) => {
    const end = scheduler.now + DELIVER_TIMEOUT.toMilliseconds();
    const context = {
      awsRequestId: String(++runs),
      getRemainingTimeInMillis: () => end - scheduler.now,
    };
    const handler = (event: Parameters<Deliver>[0]) => deliver(event, context);
    return new QueueSource({ queue, batchSize: WEBHOOKS.batch, handler }).run();
  };
  const use = async (deliver: Deliver): Promise<void> => {
    await run(deliver);
    idle.push(deliver);
  };
  every(scheduler, LOOK_MS, () => {
    while (idle.length > 0 && (queue.nextVisibleAt() ?? Number.POSITIVE_INFINITY) <= scheduler.now)
      void use(idle.pop() as Deliver);
  });
}

function every(scheduler: Scheduler, ms: number, work: () => void): void {
  scheduler.after(ms, () => {
    work();
    every(scheduler, ms, work);
  });
}

/** The receivers of all endpoints. */
class Receivers extends Dispatcher {
  readonly #scheduler: Scheduler;
  readonly #manners: readonly Manner[];
  readonly #got: (name: string, body: string) => void;

  constructor(scheduler: Scheduler, manners: readonly Manner[], got: (name: string, body: string) => void) {
    super();
    this.#scheduler = scheduler;
    this.#manners = manners;
    this.#got = got;
  }

  override dispatch({ origin, body }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    const [, name = '', number] = /^https:\/\/(e(\d+))\.example$/.exec(String(origin)) ?? [];
    this.#got(name, String(body));
    const controller = new Controller(handler);
    handler.onRequestStart?.(controller, {});
    const manner = this.#manners[Number(number)];
    if (manner !== undefined && manner !== 'hangs')
      this.#scheduler.after(ANSWER_MS, () =>
        controller.answer({ status: manner, headers: {}, text: Buffer.from('') }),
      );
    return true;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override destroy(): Promise<void> {
    return Promise.resolve();
  }
}
