import { paused, resumed } from '../../functions/delivery/health.ts';
import { addressOf, type Queues } from '../../functions/delivery/queues.ts';
import type { Registry } from '../../functions/delivery/registry.ts';
import type { createTick } from '../../functions/handlers/create-tick.ts';
import type { PendingDelivery } from '../../functions/model/delivery.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { depthOf } from '../../functions/model/event-id.ts';
import { HEALTH_TYPES, wants } from '../../functions/model/filter.ts';
import type { EndpointKind } from '../../functions/model/kinds.ts';
import { findEndpoint } from '../../functions/operations/endpoints.ts';
import type { workOffJobs } from '../../functions/operations/jobs.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { startReplay } from '../../functions/operations/replay.ts';
import { startSnapshot } from '../../functions/operations/snapshot.ts';
import type { Batch, Message, Serve } from '../../functions/queue/queue.ts';
import { decodeEvents } from '../../functions/store/codec.ts';
import { KEEP } from '../../functions/store/limits.ts';
import type { Deliveries, EndpointRows, Slots } from '../../functions/store/store.ts';
import { NOTHING_MALFORMED } from '../kit/delivery/setting.ts';
import { type Reply, SocketError, VirtualAgent } from './http.ts';
import { Life, type Nature } from './life.ts';
import type { InHand, SettlingOracle } from './oracle/batches.ts';
import type { DeliveriesOracle } from './oracle/deliveries.ts';
import { idOf, type RowsOracle } from './oracle/rows.ts';
import { SlotsOracle } from './oracle/slots.ts';
import { isAmong, isDuring, type PartlyDelivered } from './plan/faults.ts';
import type { OperateStep } from './plan.ts';
import { bodiesOf, CHANNEL, LINK_TEMPLATES, Receiver } from './receiver.ts';
import { LambdaServing } from './serving/lambda.ts';
import { LocalServing } from './serving/local.ts';
import type { Handlers, Serving } from './serving/serving.ts';
import { type Shared, WORKSPACE } from './shared.ts';
import type { Ports, Storage } from './storage/storage.ts';

export const SIGNING_SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`;
const REPLAYED_MS = 4 * 3_600_000;
/** A run that ends with more than this left had enough time. */
const ENOUGH_MS = 30_000;

/** The endpoint that an operator adds while everything runs. */
const ADDED: EndpointSettings = {
  name: 'added',
  kind: 'webhook',
  filter: { events: ['task.created', 'task.updated', 'task.deleted', 'source.held'] },
};

/** It also watches the others' health; the last release has no such events. */
const WATCHING: EndpointSettings = {
  ...ADDED,
  filter: { events: [...(ADDED.filter?.events ?? []), ...HEALTH_TYPES] },
};

/** The oracles of one run, by endpoint. */
type Watches = ReadonlyMap<string, SettlingOracle>;

/** The way from the topic to the receivers: the router, the queues, the deliverers and the endpoints. */
export class Delivery {
  readonly receivers: ReadonlyMap<string, Receiver>;
  /** The kinds of the endpoints in the configuration. */
  readonly configured: readonly EndpointKind[];
  /** Names of receivers that answer every request with 500. */
  readonly down = new Set<string>();
  /** The endpoint that was added; undefined before that, and once it was removed. */
  added: EndpointSettings | undefined;
  readonly #shared: Shared;
  readonly #rows: RowsOracle;
  readonly #deliveries: DeliveriesOracle;
  readonly slots = new SlotsOracle();
  readonly #serving: Serving;
  /** By run. */
  readonly #troubles = new WeakMap<Life, Troubles>();
  /** The rows that a run has read of a flood. */
  readonly #gathered = new WeakMap<Life, { readonly began: number; readonly rows: readonly InHand[] }>();
  #restores = 0;
  /** By message: the process that has it, or had it when it died. */
  readonly #inHand = new Map<string, Life>();
  /** The endpoint and event of messages that two living processes had at once. */
  readonly #shownToTwo = new Set<string>();

  constructor(
    shared: Shared,
    kinds: readonly EndpointKind[],
    oracles: { deliveries: DeliveriesOracle; rows: RowsOracle },
  ) {
    this.#shared = shared;
    this.#rows = oracles.rows;
    this.#deliveries = oracles.deliveries;
    this.configured = kinds;
    const added = shared.plan.rollout ? ADDED : WATCHING;
    this.added = added;
    const settings = [...this.#settings, added];
    this.receivers = new Map(settings.map(each => [each.name, new Receiver(shared, each, oracles)]));
    this.#serving = shared.storage.isLocal
      ? new LocalServing(shared, this.#handlers)
      : new LambdaServing(shared, this.#handlers);
    void this.ports.rows.change(ADDED.name, () => ({
      name: ADDED.name,
      settings: added,
      health: {},
      addedAt: shared.scheduler.now,
    }));
  }

  /** Whether the added endpoint lacks a report of another's health, which left that one's row. */
  lacksReport(endpoint: string, eventId: string): boolean {
    const { name, filter } = this.added ?? {};
    if (name === undefined || name === endpoint || !filter?.events?.includes('endpoint.failing'))
      return false;
    this.#shared.coverage.add('operator', 'report of health');
    return !this.#deliveries.has(name, eventId) && !this.#rows.holds(name, eventId);
  }

  /** Whether no message is under way and no delivery waits. */
  get isIdle(): boolean {
    return !this.#names.some(name => this.#isWaiting(name)) && this.#serving.isIdle;
  }

  /** A message that two runs have at once may leave a row: one of them writes it and dies, and the other delivers the event, not knowing
   *  of the row (docs/decisions/0064). */
  #isWaiting(name: string): boolean {
    return this.#rows.isWaiting(
      name,
      id => this.#shownToTwo.has(`${name} ${id}`) || this.#isLeftReport(name, id),
    );
  }

  /** A run that dies between writing a report's row and mentioning it leaves the row, if the endpoint wants no reports by the time that
   *  another run repeats it (docs/decisions/0064). The next drain removes it. */
  #isLeftReport(name: string, id: string): boolean {
    const isUnwanted = () => this.receivers.get(name)?.isUnwanted('{"type":"endpoint.failing"}') === true;
    return depthOf(id) > 0 && !this.#rows.isMentioned(name) && isUnwanted();
  }

  /** Takes a message that the topic delivers. */
  take(body: string): void {
    this.#serving.take(body);
  }

  /** The storage, reached without faults. */
  get ports(): Ports {
    return this.#portsOf(new Life(this.#calm));
  }

  /** The names of all present endpoints. */
  get #names(): readonly string[] {
    return [...this.configured, ...(this.added ? [this.added.name] : [])];
  }

  get #calm(): Nature {
    return { ...this.#shared.nature, faulty: false };
  }

  get #settings(): EndpointSettings[] {
    const { batch, windows } = this.#shared.plan;
    return this.configured.map(kind => ({
      ...{ name: kind, kind },
      ...(kind === 'webhook' ? batch && { batch } : windows),
      ...(kind === 'slack-app' && { channel: CHANNEL }),
    }));
  }

  /** An operator resumes the endpoints that are stopped or paused; with `all`, every endpoint. */
  async resume({ all }: { readonly all: boolean }): Promise<void> {
    const { rows } = this.ports;
    for (const name of this.#names) {
      await rows.change(name, row => {
        const health = row?.health ?? {};
        if (!all && !health.stopped && !health.paused) return undefined;
        return { name, ...row, health: resumed(health, this.#shared.scheduler.now) };
      });
    }
  }

  /** What an operator does to an endpoint. */
  async operate({ act, which }: OperateStep): Promise<void> {
    const { rows } = this.ports;
    const name = this.#names[which % this.#names.length] as string;
    const isAdded = name === this.added?.name;
    if (!isAdded && (act === 'remove' || act === 'change')) return;
    if (act === 'remove') {
      this.added = undefined;
      (this.receivers.get(name) as Receiver).isRemoved = true;
    }
    this.#shared.coverage.add('operator', act);
    const { now } = this.#shared.scheduler;
    if (act === 'change') return this.#change(name);
    if (act === 'replay') return this.#replay(name, now);
    if (act === 'snapshot') return this.#snapshot(name, now);
    await rows.change(name, row => {
      if (act === 'remove') return 'removed';
      const health = row?.health ?? {};
      return { name, ...row, health: act === 'pause' ? paused(health, now) : resumed(health, now) };
    });
  }

  /** Changes an endpoint: it wants fewer events, and more slowly. */
  async #change(name: string): Promise<void> {
    const receiver = this.receivers.get(name) as Receiver;
    receiver.settings = { ...ADDED, perSecond: 3, filter: { events: ['task.created', 'task.updated'] } };
    this.added = receiver.settings;
    this.#deliveries.forgetPromises(name);
    await this.ports.rows.change(name, row => row && { ...row, settings: receiver.settings });
  }

  /** Replays the events of the last hours to an endpoint. */
  async #replay(endpoint: string, now: number): Promise<void> {
    const { random } = this.#shared;
    const since = now - random() * REPLAYED_MS;
    try {
      const ports = this.#jobPorts(new Life(this.#calm));
      const asked = { to: endpoint, since: new Date(since).toISOString() };
      const { replay } = await startReplay({ ...ports, newId: () => String(random()), keep: KEEP }, asked);
      const { filter = {} } = (this.receivers.get(endpoint) as Receiver).settings;
      const events = committedIn(this.#shared.storage, replay).filter(event => wants(filter, event));
      this.#deliveries.promise(
        endpoint,
        events.map(({ id }) => id),
      );
    } catch (error) {
      // Refused because a replay is under way.
      if (!(error instanceof Refused)) throw error;
    }
  }

  /** Sends the current state of all processes with a baseline to a webhook. */
  async #snapshot(endpoint: string, now: number): Promise<void> {
    const { kind, settings } = this.receivers.get(endpoint) as Receiver;
    const { snapshots } = this.#deliveries;
    const ids = snapshots.baselined;
    // The last release has no snapshots.
    if (kind !== 'webhook' || ids.length === 0 || this.#shared.plan.rollout) return;
    const processes = ids.map(processId => ({ workspace: WORKSPACE, processId }));
    const ports = this.#jobPorts(new Life(this.#calm));
    const id = String(this.#shared.random());
    const found = await findEndpoint(ports, endpoint);
    try {
      await startSnapshot(ports, { found, job: { id, processes, added: 0, startedAt: Math.floor(now) } });
      snapshots.promise(settings, id, ids);
    } catch (error) {
      // Refused because another one is in progress.
      if (!(error instanceof Refused)) throw error;
    }
  }

  #jobPorts(life: Life): Parameters<typeof workOffJobs>[0] {
    const { scheduler, log } = this.#shared;
    const { rows, deliveries, journal, snapshots } = this.#portsOf(life);
    return {
      ...{ configured: this.#settings, endpoints: rows, deliveries, journal, snapshots },
      queues: this.#wakes(life),
      clock: () => scheduler.now,
      log,
    };
  }

  get #handlers(): Handlers {
    return {
      route: life =>
        life.release.createRoute({
          registry: this.#registry(life),
          send: life.release.sendBy(this.#serving.reachedBy(life)),
          moveToFailed: NOTHING_MALFORMED,
          log: this.#shared.log,
        }),
      deliver: (life, runOf) => this.#startDeliver(life, runOf),
      refuses: (run, messageId) => {
        const isRefused = this.#partly(({ visibility }) => visibility, messageId) !== undefined;
        if (isRefused) this.#troublesOf(run).met('visibility', messageId);
        return isRefused;
      },
    };
  }

  #troublesOf(run: Life): Troubles {
    return this.#troubles.get(run) ?? new Troubles(this.#shared);
  }

  /** @param runOf finds the run that calls: several of one process may be under way */
  #startDeliver(life: Life, runOf: () => Life): Serve {
    const { scheduler, random, log } = this.#shared;
    const { rows, deliveries, slots } = this.#portsOf(life, runOf);
    const watchesOf = new WeakMap<Life, Watches>();
    const deliver = life.release.createDeliver({
      registry: this.#registry(life),
      rows: this.#watchedRows(rows, runOf),
      deliveries: this.#watched(deliveries, runOf),
      slots: this.#watchedSlots(slots, runOf),
      secrets: {
        nameOf: name => name,
        putting: () => '',
        read: async name => {
          const url = `https://${name}.example/hook`;
          const { kind } = this.receivers.get(name) ?? {};
          return JSON.stringify({
            url,
            ...(kind === 'webhook' && { secrets: [SIGNING_SECRET] }),
            ...(kind === 'slack-app' && { headers: { authorization: 'Bearer xoxb-token' } }),
          });
        },
      },
      queues: this.#wakes(life),
      linkTemplates: LINK_TEMPLATES,
      clock: () => scheduler.now,
      random,
      sleep: (ms, signal) => life.sleep(ms, signal),
      allowLoopback: false,
      openAgent: () => {
        const run = runOf();
        return new VirtualAgent(
          run,
          () => 'endpoint.post',
          ({ origin, body, headers }) => {
            if (headers['changewire-replay']) this.#shared.coverage.add('operator', 'replayed delivery');
            const receiver = this.#receiverAt(origin);
            if (receiver.kind !== 'webhook')
              this.#shared.judge(() => this.slots.sends(run, receiver.name, scheduler.now));
            return this.#receive(receiver, body, run);
          },
          ({ origin, body }, { status }) => {
            const receiver = this.#receiverAt(origin);
            receiver.heard(run, body, status, scheduler.now);
            const watch = watchesOf.get(run)?.get(receiver.name);
            if (status === 200 && watch) for (const one of bodiesOf(body)) watch.took(one);
          },
          ({ origin }) => this.#begins(this.#receiverAt(origin), run),
        );
      },
      log,
      count: () => {},
    });
    let troubles = new Troubles(this.#shared);
    return async (batch, context) => {
      const run = runOf();
      troubles = troubles.next();
      this.#troubles.set(run, troubles);
      const own = troubles;
      const restores = this.#restores;
      const watches = this.#begin(batch, run);
      watchesOf.set(run, watches);
      this.#take(batch, run);
      const again = await deliver(batch, context);
      for (const { id } of batch.messages) if (this.#inHand.get(id) === run) this.#inHand.delete(id);
      this.#shared.judge(() => {
        const hadTime = context.getRemainingTimeInMillis() > ENOUGH_MS;
        const isFree = hadTime && run.struck === 0 && !own.areMet && restores === this.#restores;
        this.#end(watches, run, new Set(again), isFree);
      });
      return again;
    };
  }

  /** The table was restored: what runs that are under way have written may be gone. */
  restored(): void {
    this.#restores += 1;
    this.slots.restored();
    for (const receiver of this.receivers.values()) receiver.forgetWindow();
  }

  /** The parts with which a tick looks after endpoints. */
  lookedAfterBy(life: Life): Pick<Parameters<typeof createTick>[0], 'registry' | 'queues' | 'jobs'> {
    return {
      registry: this.#registry(life),
      queues: this.#wakes(life),
      jobs: (registered, hasTime) => life.release.workOffReplays(this.#jobPorts(life), registered, hasTime),
    };
  }

  #registry(life: Life): Registry {
    return life.release.createRegistry(
      this.#settings,
      this.#portsOf(life).rows,
      () => this.#shared.scheduler.now,
    );
  }

  /** Judges what a run does with rows as what it does with messages of a queue. */
  #watched(deliveries: Deliveries, runOf: () => Life): Deliveries {
    return {
      ...deliveries,
      due: async (endpoint, ...asked) => {
        const { kind, settings } = this.receivers.get(endpoint) as Receiver;
        if (kind === 'webhook') this.#shared.judge(() => this.slots.takes(runOf(), settings, asked[1]));
        const rows = await deliveries.due(endpoint, ...asked);
        this.receivers.get(endpoint)?.beginRows(
          runOf(),
          rows.map(row => inHandOf(row)),
          this.#shared.scheduler.now,
        );
        return rows;
      },
      // The rows of a flood are read page by page.
      pending: async (endpoint, limit, after) => {
        const run = runOf();
        const began = after ? (this.#gathered.get(run)?.began ?? 0) : this.#shared.scheduler.now;
        const page = await deliveries.pending(endpoint, limit, after);
        const rows = page.map(row => inHandOf(row, row.due > began));
        const all = [...(after ? (this.#gathered.get(run)?.rows ?? []) : []), ...rows];
        this.#gathered.set(run, { began, rows: all });
        this.receivers.get(endpoint)?.beginRows(run, all, this.#shared.scheduler.now, true);
        return page;
      },
    };
  }

  /** A request begins. */
  #begins(receiver: Receiver, run: Life): () => void {
    let ends = () => {};
    if (receiver.kind === 'webhook' && receiver.sendsRows(run))
      this.#shared.judge(() => {
        ends = this.slots.begins(run, receiver.name);
      });
    return () => ends();
  }

  #watchedSlots(slots: Slots, runOf: () => Life): Slots {
    return {
      reserveSlot: async (name, interval, now, within) => {
        const booked = this.slots.books(runOf(), name, interval, now);
        const wait = await slots.reserveSlot(name, interval, now, within);
        this.#shared.judge(() => booked(wait));
        return wait;
      },
    };
  }

  #watchedRows(rows: EndpointRows, runOf: () => Life): EndpointRows {
    return {
      ...rows,
      read: async name => {
        const row = await rows.read(name);
        this.slots.reads(runOf(), name, row?.health);
        return row;
      },
    };
  }

  #take(batch: Batch, run: Life): void {
    for (const [name, messages] of groupsOf(batch)) {
      for (const { id, body } of messages) {
        const other = this.#inHand.get(id);
        if (other && other !== run && !other.isDead) this.#shownToTwo.add(`${name} ${idOf(body)}`);
        this.#inHand.set(id, run);
      }
    }
  }

  #begin(batch: Batch, run: Life): Watches {
    const groups = [...groupsOf(batch)].map(([name, messages]) => {
      const inHand = messages.map(({ id, body, receives }) => ({ messageId: id, body, receives }));
      return [name, (this.receivers.get(name) as Receiver).begin(run, inHand)] as const;
    });
    return new Map(groups);
  }

  #end(watches: Watches, run: Life, again: ReadonlySet<string>, isFree: boolean): void {
    for (const [name, watch] of watches) {
      const receiver = this.receivers.get(name) as Receiver;
      if (receiver.kind === 'webhook') watch.ends(again, isFree);
      receiver.ends(run, again, isFree);
    }
    for (const receiver of this.receivers.values()) receiver.endsWindow(run, isFree);
  }

  #receiverAt(origin: string): Receiver {
    const [, name = ''] = /^https:\/\/(.*)\.example$/.exec(origin) ?? [];
    return this.receivers.get(name) as Receiver;
  }

  #receive(receiver: Receiver, body: string, run: Life): Reply {
    if (this.down.has(receiver.name)) return { status: 500, headers: {}, text: Buffer.from('down') };
    if (receiver.kind === 'webhook' && this.#isUnwelcome(body))
      return { status: 400, headers: {}, text: Buffer.from('not this one') };
    const trouble = this.#partly(({ how }) => how !== 'row', body);
    if (trouble) {
      this.#troublesOf(run).met(trouble.how, body);
      if (trouble.how === 'reset') throw new SocketError('reset');
      return { status: Number(trouble.how), headers: {}, text: Buffer.from('no') };
    }
    this.#shared.judge(() => receiver.took(run, body, this.#shared.scheduler.now));
    return { status: 200, headers: {}, text: Buffer.from(receiver.answer) };
  }

  /** Whether receivers always refuse this body, so that it becomes a dead letter. */
  #isUnwelcome(body: string): boolean {
    const { unwelcome } = this.#shared.plan;
    // A report that is refused for ever stops its endpoint after the operator has resumed all: nothing would end.
    const isReport = (one: string) => one.includes('"id":"changewire.health.');
    return unwelcome !== undefined && bodiesOf(body).some(one => isAmong(unwelcome, one) && !isReport(one));
  }

  #portsOf(life: Life, runOf?: () => Life): Ports {
    const { scheduler, storage, wrote } = this.#shared;
    return storage.reachedBy({
      life,
      clock: () => scheduler.now,
      sleep: ms => life.sleep(ms),
      ran: () => wrote(),
      ...(runOf && { refusesRow: eventId => this.#refusesRow(eventId, this.#troublesOf(runOf())) }),
    });
  }

  /** Lets the writing of some of several rows fail. */
  #refusesRow(eventId: string, troubles: Troubles): boolean {
    if (!this.#partly(({ how }) => how === 'row', eventId)) return false;
    troubles.met('row', eventId);
    return true;
  }

  #wakes(life: Life): Queues {
    return life.release.wakeBy(this.#serving.reachedBy(life).drains);
  }

  /** The partial failure of the plan that concerns this message now, if any. */
  #partly(concerns: (partly: PartlyDelivered) => boolean, name: string): PartlyDelivered | undefined {
    const { plan, nature } = this.#shared;
    if (!nature.faulty) return undefined;
    return plan.partly.deliver.find(
      partly => isDuring(partly, this.#serving.runs - 1) && concerns(partly) && isAmong(partly, name),
    );
  }
}

/** Which messages failed while others did not, in one process: in this run and in the one before. */
class Troubles {
  readonly #shared: Shared;
  readonly #failed = new Set<string>();
  readonly #failedBefore: ReadonlySet<string>;

  constructor(shared: Shared, failedBefore: ReadonlySet<string> = new Set()) {
    this.#shared = shared;
    this.#failedBefore = failedBefore;
  }

  get areMet(): boolean {
    return this.#failed.size > 0;
  }

  /** Those of the run after this one. */
  next(): Troubles {
    return new Troubles(this.#shared, this.#failed);
  }

  met(what: PartlyDelivered['how'] | 'visibility', name: string): void {
    const { coverage } = this.#shared;
    coverage.add('delivery.messages', what);
    if (this.#failed.size === 1 && !this.#failed.has(name))
      coverage.add('delivery.messages', 'several of a batch');
    if (this.#failedBefore.has(name) && !this.#failed.has(name))
      coverage.add('delivery.messages', 'in the next run, too');
    this.#failed.add(name);
  }
}

/** The events of the journal that were committed then, by the commits' own clocks. */
function committedIn(storage: Storage, { since, until }: { since: number; until: number }): ChangeEvent[] {
  return [...storage.items()].flatMap(({ sk, events }) => {
    const [, time = ''] = /^CHANGE#(\d+)#/.exec(sk?.S ?? '') ?? [];
    const isThen = time !== '' && Number(time) >= since && Number(time) < until;
    return isThen && events?.B ? decodeEvents(events.B) : [];
  });
}

/** The messages that bring events, by endpoint. */
function groupsOf({ messages }: Batch): Map<string, Message[]> {
  const events = messages.filter(message => !addressOf(message).isWake);
  return Map.groupBy(events, message => addressOf(message).name);
}

/** `isLater`: it is not due, and may be a probe alone. */
function inHandOf({ place, body, replay, triedAt, due }: PendingDelivery, isLater = false): InHand {
  return {
    ...{ messageId: place, body },
    ...{ isReplay: replay === true, isTried: triedAt !== undefined, isLater, due },
  };
}
