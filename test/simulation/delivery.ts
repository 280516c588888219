import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createDeliver } from '../../functions/create-deliver.ts';
import { createRoute } from '../../functions/create-route.ts';
import { createTick, type Tick } from '../../functions/create-tick.ts';
import type { Deliveries } from '../../functions/delivery/deliveries.ts';
import { resumed } from '../../functions/delivery/health.ts';
import { addressOf, type QueueUrls, sqsQueues, sqsSend } from '../../functions/delivery/queues.ts';
import { createRegistry, type Registry } from '../../functions/delivery/registry.ts';
import type { EndpointKind } from '../../functions/endpoints/endpoint.ts';
import type { ReplayHouse } from '../../functions/operations/replay.ts';
import { workOffReplays } from '../../functions/operations/work-off-replays.ts';
import { createDeliveries } from '../../functions/snapshots/dynamo-deliveries.ts';
import { createEndpointRows } from '../../functions/snapshots/dynamo-endpoint-rows.ts';
import { createJournalReader } from '../../functions/snapshots/dynamo-journal.ts';
import { createSlots } from '../../functions/snapshots/slots.ts';
import type { Table } from '../../functions/snapshots/table.ts';
import { Consumer, type Handler } from './consumer.ts';
import { type Reply, SocketError, VirtualAgent } from './http.ts';
import { Life } from './life.ts';
import { QueueModel } from './models/queue.ts';
import type { DeliveriesOracle } from './oracle/deliveries.ts';
import type { RowsOracle } from './oracle/rows.ts';
import type { SettlingOracle } from './oracle/settling.ts';
import { isAmong, isDuring, type PartlyDelivered } from './plan/partly.ts';
import { LINK_TEMPLATES, Receiver } from './receiver.ts';
import { PROCESS, type Shared, TABLE_NAME, WORKSPACE } from './shared.ts';
import { ForgetfulQueue, sqsClient } from './sqs.ts';
import { tableClient } from './table-client.ts';

export const SIGNING_SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`;
const ACCOUNT = 'arn:aws:sqs:eu-west-1:000000000000';
/** As deployed: infra/batching.ts. */
const RUN_MS = 180_000;
const VISIBILITY_S = 1_080;
const ROUTE_MS = 60_000;
const TICK_MS = 60_000;
const MAX_RECEIVES = 1_000;
/** With more than this left of its time, a run had enough of it. */
const ENOUGH_MS = 30_000;

/** Of one run, by endpoint. */
type Watches = ReadonlyMap<string, SettlingOracle>;

/** From the topic to the receivers: the router, the queues, the deliverers, the tick that looks after rows, and the endpoints. */
export class Delivery {
  readonly receivers: ReadonlyMap<string, Receiver>;
  readonly events: QueueModel;
  readonly #queues: { readonly deliveries: QueueModel; readonly chat: QueueModel };
  readonly #shared: Shared;
  readonly #rows: RowsOracle;
  readonly #router: Consumer;
  readonly #deliverers: readonly Consumer[];
  #ticks = 0;
  /** Messages that failed as some of several, in this run and the one before. */
  #failed = new Set<string>();
  #failedBefore = new Set<string>();

  constructor(
    shared: Shared,
    kinds: readonly EndpointKind[],
    oracles: { deliveries: DeliveriesOracle; rows: RowsOracle },
  ) {
    const { plan } = shared;
    this.#shared = shared;
    this.#rows = oracles.rows;
    this.receivers = new Map(kinds.map(kind => [kind, new Receiver(shared, { name: kind, kind }, oracles)]));
    this.events = new ForgetfulQueue(this.#queueOptions('events'), shared);
    this.#queues = {
      deliveries: new ForgetfulQueue(this.#queueOptions('deliveries'), shared),
      chat: new ForgetfulQueue(this.#queueOptions('chat'), shared),
    };
    this.#router = new Consumer(shared, {
      ...{ queue: this.events, name: 'route', size: 10, window: 0, limit: ROUTE_MS },
      strikes: plan.router,
      start: life => this.#startRoute(life),
    });
    const { deliveries, chat } = this.#queues;
    const start = (life: Life) => this.#startDeliver(life);
    const webhooks = { queue: deliveries, size: 10, window: 0, limit: RUN_MS, start };
    this.#deliverers = [
      new Consumer(shared, { ...webhooks, name: 'deliver', strikes: plan.deliverer }),
      new Consumer(shared, { ...webhooks, name: 'deliver too', strikes: plan.deliverer.slice(1) }),
      new Consumer(shared, {
        ...{ queue: chat, size: 100, window: 5_000, limit: RUN_MS, name: 'deliver to chats', start },
        strikes: plan.deliverer,
      }),
    ];
    shared.scheduler.after(TICK_MS, () => this.#tick());
  }

  /** Nothing is on its way, and nothing waits. */
  get isIdle(): boolean {
    if (this.#rows.areWaiting || this.#router.isRunning) return false;
    if (this.#deliverers.some(one => one.isRunning)) return false;
    const { deliveries, chat } = this.#queues;
    return [this.events, deliveries, chat].every(queue => queue.size === 0);
  }

  /** The topic delivers a message. */
  take(body: string): void {
    this.events.send(body);
    this.#router.wake();
  }

  /** The table as somebody reaches it who meets no faults. */
  get table(): Table {
    return this.#tableOf(new Life({ ...this.#shared.nature, faulty: false }));
  }

  /** An operator has those served again that are stopped or paused; `all`: whatever is known of them. */
  async resume({ all = false } = {}): Promise<void> {
    const rows = createEndpointRows(this.table);
    for (const name of this.receivers.keys()) {
      await rows.change(name, row => {
        const health = row?.health ?? {};
        if (!all && !health.stopped && !health.paused) return undefined;
        return { name, ...row, health: resumed(health, this.#shared.scheduler.now) };
      });
    }
  }

  #startRoute(life: Life): Handler {
    const { log } = this.#shared;
    const route = createRoute({
      registry: this.#registry(life),
      send: sqsSend(this.#sqs(life), this.#urls),
      log,
      count: () => {},
    });
    return route;
  }

  #startDeliver(life: Life): Handler {
    const { scheduler, random, log } = this.#shared;
    const table = this.#tableOf(life);
    const rows = createEndpointRows(table);
    let watches: Watches = new Map();
    const deliver = createDeliver({
      registry: this.#registry(life),
      rows,
      deliveries: this.#watched(createDeliveries(table)),
      slots: createSlots(table),
      secrets: {
        nameOf: name => name,
        putting: () => '',
        read: async name => {
          const url = `https://${name}.example/hook`;
          return JSON.stringify(name === 'webhook' ? { url, secrets: [SIGNING_SECRET] } : { url });
        },
      },
      queues: sqsQueues(this.#sqs(life), this.#urls),
      linkTemplates: LINK_TEMPLATES,
      clock: () => scheduler.now,
      random,
      sleep: (ms, signal) => life.sleep(ms, signal),
      allowLoopback: false,
      openAgent: () =>
        new VirtualAgent(
          life,
          () => 'endpoint.post',
          request => this.#receive(this.#receiverAt(request.origin), request.body),
          ({ origin, body }, { status }) => {
            const receiver = this.#receiverAt(origin);
            receiver.heard(body, status);
            if (status === 200) watches.get(receiver.name)?.took(body);
          },
        ),
      log,
      count: () => {},
    });
    return async (event, context) => {
      watches = this.#begin(event);
      const watching = watches;
      const answer = await deliver(event, context);
      this.#judge(() => this.#end(watching, answer, context.getRemainingTimeInMillis(), life));
      return answer;
    };
  }

  /** One run of one process: each life of it is short, and begins anew. */
  #tick(): void {
    const { scheduler, plan, nature, log, fail } = this.#shared;
    scheduler.after(TICK_MS, () => this.#tick());
    const life = new Life(nature);
    life.expect(plan.ticks[this.#ticks++] ?? []);
    const tick: Tick = createTick({
      registry: this.#registry(life),
      queues: sqsQueues(this.#sqs(life), this.#urls),
      clock: () => scheduler.now,
      log,
      count: () => {},
      replays: (all, hasTime) => workOffReplays(all, this.#replaying(life), hasTime),
    });
    // What fails is said in Lambda's metrics; the next one makes up for it.
    tick().catch(error => void (error instanceof TypeError && fail(error)));
  }

  #replaying(life: Life): ReplayHouse {
    const table = this.#tableOf(life);
    return {
      configured: [...this.receivers.values()].map(({ settings }) => settings),
      rows: createEndpointRows(table),
      deliveries: createDeliveries(table),
      queues: sqsQueues(this.#sqs(life), this.#urls),
      journal: createJournalReader(table, [{ workspace: WORKSPACE, processId: PROCESS }]),
      clock: () => this.#shared.scheduler.now,
      log: this.#shared.log,
    };
  }

  #registry(life: Life): Registry {
    const settings = [...this.receivers.values()].map(receiver => receiver.settings);
    return createRegistry(
      settings,
      createEndpointRows(this.#tableOf(life)),
      () => this.#shared.scheduler.now,
    );
  }

  /** The rows that a run has in hand are judged as messages of a queue are. */
  #watched(deliveries: Deliveries): Deliveries {
    return {
      ...deliveries,
      due: async (endpoint, ...asked) => {
        const rows = await deliveries.due(endpoint, ...asked);
        this.receivers.get(endpoint)?.beginRows(rows.map(({ place, body }) => ({ messageId: place, body })));
        return rows;
      },
    };
  }

  #begin({ Records }: SQSEvent): Watches {
    this.#failedBefore = this.#failed;
    this.#failed = new Set();
    const groups = [...groupsOf(Records)];
    return new Map(
      groups.map(([name, records]) => [name, (this.receivers.get(name) as Receiver).begin(records)]),
    );
  }

  #end(watches: Watches, { batchItemFailures }: SQSBatchResponse, left: number, life: Life): void {
    const isFree = left > ENOUGH_MS && life.struck === 0 && this.#failed.size === 0;
    const again = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const [name, watch] of watches) {
      const receiver = this.receivers.get(name) as Receiver;
      if (receiver.kind === 'webhook') watch.ends(again);
      receiver.ends(again, isFree);
    }
  }

  #receiverAt(origin: string): Receiver {
    const [, name = ''] = /^https:\/\/(.*)\.example$/.exec(origin) ?? [];
    return this.receivers.get(name) as Receiver;
  }

  #receive(receiver: Receiver, body: string): Reply {
    const trouble = this.#partly(({ how }) => how !== 'row', body);
    if (trouble) {
      this.#count(trouble.how, body);
      if (trouble.how === 'reset') throw new SocketError('reset');
      return { status: Number(trouble.how), headers: {}, text: Buffer.from('no') };
    }
    this.#judge(() => receiver.took(body));
    return { status: 200, headers: {}, text: Buffer.from('ok') };
  }

  /** A violation ends the world, not the request in which it is seen. */
  #judge(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#shared.fail(error);
    }
  }

  #tableOf(life: Life): Table {
    const { scheduler, random, table, wrote } = this.#shared;
    return {
      client: tableClient(life, table, () => wrote()),
      tableName: TABLE_NAME,
      patience: { clock: () => scheduler.now, random, sleep: ms => life.sleep(ms) },
    };
  }

  #sqs(life: Life) {
    return sqsClient(life, Object.values(this.#queues), {
      sent: () => {
        for (const deliverer of this.#deliverers) deliverer.wake();
      },
      refuses: (what, messageId) => {
        const isRefused = this.#partly(({ visibility }) => visibility, messageId) !== undefined;
        if (isRefused) this.#count(what, messageId);
        return isRefused;
      },
    });
  }

  get #urls(): QueueUrls {
    return { deliveries: this.#queues.deliveries.url, chat: this.#queues.chat.url };
  }

  #queueOptions(name: string) {
    const { scheduler, random } = this.#shared;
    const plain = (name: string) => ({
      name,
      arn: `${ACCOUNT}:${name}`,
      url: `https://sqs.eu-west-1.amazonaws.com/000000000000/${name}`,
      clock: () => scheduler.now,
      random,
      visibilityTimeout: VISIBILITY_S,
    });
    const deadLetters = { queue: new QueueModel(plain(`${name}-unsettled`)), maxReceiveCount: MAX_RECEIVES };
    return { ...plain(name), deadLetters };
  }

  /** What the plan lets fail of what concerns this message now. */
  #partly(concerns: (partly: PartlyDelivered) => boolean, name: string): PartlyDelivered | undefined {
    const { plan, nature } = this.#shared;
    if (!nature.faulty) return undefined;
    const [first] = this.#deliverers as [Consumer];
    return plan.partly.deliver.find(
      partly => isDuring(partly, first.runs - 1) && concerns(partly) && isAmong(partly, name),
    );
  }

  #count(what: PartlyDelivered['how'] | 'visibility', name: string): void {
    const { coverage } = this.#shared;
    coverage.add('delivery.messages', what);
    if (this.#failed.size === 1 && !this.#failed.has(name))
      coverage.add('delivery.messages', 'several of a batch');
    if (this.#failedBefore.has(name) && !this.#failed.has(name))
      coverage.add('delivery.messages', 'in the next run, too');
    this.#failed.add(name);
  }
}

/** The messages that bring events, by endpoint. */
function groupsOf(records: readonly SQSRecord[]): Map<string, SQSRecord[]> {
  return Map.groupBy(
    records.filter(record => !addressOf(record).isWake),
    record => addressOf(record).name,
  );
}
