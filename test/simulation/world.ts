import type { DynamoDBRecord } from 'aws-lambda';
import { depthOf } from '../../functions/model/event-id.ts';
import { CHANGE } from '../../functions/store/keys.ts';
import { seededRandom } from '../../simulator/data/random.ts';
import { Clocks } from './clocks.ts';
import { Delivery, SIGNING_SECRET } from './delivery.ts';
import type { Coverage } from './faults.ts';
import type { Nature } from './life.ts';
import { Meeting } from './meeting.ts';
import type { Item } from './models/table.ts';
import { placeOfItem } from './models/table-keys.ts';
import { streamRecord } from './models/table-stream.ts';
import type { CommitsOracle } from './oracle/commits.ts';
import { DeliveriesOracle } from './oracle/deliveries.ts';
import type { EntriesOracle } from './oracle/entries.ts';
import { LeasesOracle } from './oracle/leases.ts';
import { PassesOracle } from './oracle/passes.ts';
import { RowsOracle } from './oracle/rows.ts';
import { SharesOracle } from './oracle/shares.ts';
import { SecretsOracle, Violation } from './oracle/violation.ts';
import { WatchedProcess } from './oracle/watched-process.ts';
import { Passes } from './passes.ts';
import { areClose } from './plan/clocks.ts';
import type { MeetStep, OperateStep, Plan, RestoreStep } from './plan.ts';
import { Pollers } from './pollers.ts';
import { Publisher } from './publisher.ts';
import { Releases } from './releases/releases.ts';
import type { Backup } from './restores.ts';
import { Scheduler } from './scheduler.ts';
import { ServiceSide } from './service-side.ts';
import { processesIn, type Shared, TABLE_NAME } from './shared.ts';
import { dynamoStorage } from './storage/dynamo.ts';
import { sqliteStorage } from './storage/sqlite.ts';
import type { Storage } from './storage/storage.ts';
import { Ticker } from './ticker.ts';

const BEGIN = Date.UTC(2026, 10, 21, 12);
/** How late a message of SNS may come. */
const LATE_MS = 40_000;

const UNSCHEDULED = { changes: { fastest: 60_000, slowest: 60_000 }, sweep: 21_600_000 };

/** One world: the service, the pollers, the table and its stream, the publisher, the topic, the
 *  endpoints; and the oracles that judge them. */
export class World {
  /** The first version after the last restore in place. */
  replaced = 0;
  readonly scheduler = new Scheduler(BEGIN);
  readonly storage: Storage;
  readonly service: ServiceSide;
  readonly pollers: Pollers;
  readonly passes: Passes;
  readonly ticker: Ticker;
  readonly paces: PassesOracle;
  readonly shares: SharesOracle;
  readonly publisher: Publisher;
  readonly delivery: Delivery;
  /** The process that most of the plan is about comes first. */
  readonly processes: readonly WatchedProcess[];
  readonly deliveries: DeliveriesOracle;
  readonly secrets = new SecretsOracle([SIGNING_SECRET]);
  /** The messages that were logged. */
  readonly said: string[] = [];
  /** Events that were lost with the stream of a table. */
  readonly lost = new Set<string>();
  readonly #leases: LeasesOracle;
  readonly #rows: RowsOracle;
  readonly #shared: Shared;
  #streamed = 0;
  #failure: { error: unknown } | undefined;
  #onTheWay = 0;

  constructor(plan: Plan, coverage: Coverage) {
    const { scheduler } = this;
    const random = seededRandom(plan.seed);
    const say = (level: string) => (message: string, details?: object) => {
      const line = `${level} ${message} ${details ? JSON.stringify(details) : ''}`;
      this.said.push(line);
      const [failed] = /assertion\.failed: [\w.-]+/.exec(line) ?? [];
      if (failed) this.#fail(new Violation(2, failed));
    };
    coverage.add('storage', plan.storage);
    const nature: Nature = { scheduler, random, coverage, faulty: true, delays: {} };
    this.storage = plan.storage === 'sqlite' ? sqliteStorage() : dynamoStorage(plan, nature);
    this.#shared = {
      plan,
      scheduler,
      clocks: new Clocks(scheduler, coverage, plan.skew, plan.freedoms.dateHeader !== false),
      random,
      coverage,
      nature,
      releases: new Releases(plan.rollout, random, coverage),
      storage: this.storage,
      shard: [],
      wrote: by => this.#wrote(by),
      log: { info: say('info'), warn: say('warn'), error: say('error') },
      fail: error => this.#fail(error),
      judge: check => this.#judge(check),
    };
    this.service = new ServiceSide(plan, scheduler, this.secrets, coverage);
    this.processes = processesIn(plan).map(id => new WatchedProcess(id, plan, this.service, coverage));
    this.deliveries = new DeliveriesOracle(this.processes, coverage);
    this.paces = new PassesOracle(
      plan.schedule ?? UNSCHEDULED,
      coverage,
      () => this.clocks.apart,
      plan.rules !== undefined,
    );
    this.shares = new SharesOracle(coverage, {
      ceiling: plan.concurrency,
      isStrict: areClose(plan),
      wall: () => scheduler.wall,
    });
    const { paces, shares } = this;
    this.pollers = new Pollers(
      this.#shared,
      this.service,
      { paces, shares },
      {
        readLog: (run, processId) => this.processes.find(({ id }) => id === processId)?.readLog(run),
        tooLarge: (processId, projectId) =>
          this.processes.find(({ id }) => id === processId)?.tooLarge(projectId),
        knowsUsers: (processId, ids) => this.processes.find(({ id }) => id === processId)?.knowsUsers(ids),
      },
    );
    this.passes = new Passes(this.#shared, this.pollers, { paces, shares });
    const isWalking = (owner: string) => this.pollers.isWalking(owner);
    this.#leases = new LeasesOracle(coverage, isWalking);
    this.publisher = new Publisher(this.#shared);
    const { deliveries } = this;
    this.#rows = new RowsOracle(
      (endpoint, id) => {
        const has = deliveries.has(endpoint, id) || this.#isUnwanted(endpoint, id);
        // In SQLite, a replay adds no second row for a waiting event: what goes back then answers the replay, too.
        if (has && plan.storage === 'dynamodb') return true;
        return this.delivery.receivers.get(endpoint)?.tookBack(id) === true || has;
      },
      (endpoint, body) => {
        coverage.add('delivery.messages', 'dead');
        deliveries.got(endpoint, body);
      },
      (endpoint, id) => this.delivery.lacksReport(endpoint, id),
      endpoint => this.delivery.receivers.get(endpoint)?.settings ?? {},
    );
    const kinds = plan.chat ? (['webhook', plan.chat] as const) : (['webhook'] as const);
    this.delivery = new Delivery(this.#shared, kinds, { deliveries, rows: this.#rows });
    const { delivery, passes, pollers } = this;
    this.ticker = new Ticker(this.#shared, { delivery, passes, pollers, paces, rows: this.#rows });
    this.#subscribe(plan, coverage);
  }

  /** The plan's step with this number begins. */
  reach(step: number): void {
    this.service.reach(step);
    this.pollers.reach(step);
    const { plan, nature, releases } = this.#shared;
    releases.reach(step);
    const { sluggish, backlog } = plan;
    if (sluggish && step === sluggish.from) nature.delays[sluggish.list] = sluggish.ms;
    if (sluggish && step === sluggish.from + sluggish.steps) nature.delays[sluggish.list] = 0;
    if (step === backlog?.from) this.publisher.pause();
    if (backlog && step === backlog.from + backlog.steps) this.publisher.resume();
  }

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.#shared.nature.faulty = false;
    this.publisher.resume();
    const { nature, plan } = this.#shared;
    if (plan.sluggish) nature.delays[plan.sluggish.list] = 0;
    this.service.heal();
  }

  /** From now on each run is of today's release. */
  settleReleases(): void {
    this.#shared.releases.settle();
  }

  /** Lets things happen until `isDone` holds, or an invariant doesn't. */
  async until(isDone: () => boolean, what: string): Promise<void> {
    await this.scheduler.until(() => this.#failure !== undefined || isDone(), what);
    if (this.#failure) throw this.#failure.error;
  }

  async pass(ms: number): Promise<void> {
    const end = this.scheduler.now + ms;
    this.scheduler.after(ms, () => {});
    await this.until(() => this.scheduler.now >= end, 'time passes');
  }

  /** Has some passes meet. */
  async meet(step: MeetStep): Promise<void> {
    this.standStill();
    await this.until(() => this.pollers.areIdle, 'every run ends');
    const { pollers, service } = this;
    const isBaselined = () => this.commits.told !== undefined;
    const meeting = new Meeting(this.#shared, step, { pollers, service, isBaselined });
    meeting.begin();
    await this.until(() => meeting.isOver, 'a meeting ends');
    this.goOn();
  }

  /** Lets nobody start passes, until `goOn`. */
  standStill(): void {
    this.ticker.isPaused = true;
    this.passes.pause();
  }

  goOn(): void {
    this.ticker.isPaused = false;
    this.passes.resume();
  }

  /** What is known of the process that most of the plan is about. */
  get main(): WatchedProcess {
    return this.processes[0] as WatchedProcess;
  }

  get commits(): CommitsOracle {
    return this.main.commits;
  }

  get entries(): EntriesOracle {
    return this.main.entries;
  }

  /** How many events were committed so far. */
  get told(): number {
    return this.processes.reduce((sum, { commits }) => sum + commits.events.length, 0);
  }

  /** The text of an event that was committed. */
  textOf(eventId: string): string | undefined {
    return this.processes.map(({ commits }) => commits.texts.get(eventId)).find(text => text !== undefined);
  }

  /** Nothing that was committed is on its way any more. */
  get isQuiet(): boolean {
    return this.publisher.isIdle && this.#onTheWay === 0 && this.delivery.isIdle;
  }

  /** Replaces the table's content by an earlier one; its stream goes on, or begins anew. */
  restore({ storage, events }: Backup, how: RestoreStep['how']): void {
    const { coverage, shard } = this.#shared;
    coverage.add('table', `restored ${how}`);
    const lost = how === 'in place' ? [] : this.publisher.cut();
    if (lost.length > 0) coverage.add('table', 'events lost with the stream');
    for (const id of lost) this.lost.add(id);
    if (this.told > events.reduce((sum, one) => sum + one, 0)) coverage.add('table', 'told events forgotten');
    if (how === 'in place') this.replaced = lastVersion(this.storage.items()) + 1;
    storage.restore(how);
    shard.push(...this.storage.stream.slice(this.#streamed).filter(isChangeRecord));
    this.#streamed = this.storage.stream.length;
    const records = storage.items.map((item, index) => insertOf(item, index));
    for (const [index, process] of this.processes.entries())
      process.restored(records, events[index] ?? 0, how === 'in place');
    this.#leases.restored(records, this.clocks.latest);
    this.paces.restored(records, this.scheduler.wall);
    this.shares.restored(records);
    this.deliveries.forgetPromises();
    this.delivery.restored();
    for (const [endpoint, id] of this.#rows.restored(records)) this.deliveries.lostWithRows(endpoint, id);
  }

  /** An operator resumes endpoints: those that are stopped or paused, or all. */
  resumeEndpoints(which: { readonly all: boolean }): Promise<void> {
    return this.done(this.delivery.resume(which), 'endpoints are resumed');
  }

  operate(step: OperateStep): Promise<void> {
    return this.done(this.delivery.operate(step), 'an operator has done it');
  }

  /** Lets things happen until this has settled. */
  async done<Result>(work: Promise<Result>, what: string): Promise<Result> {
    let isDone = false;
    void work.then(
      () => {
        isDone = true;
      },
      error => this.#fail(error),
    );
    await this.until(() => isDone, what);
    return work;
  }

  #isUnwanted(endpoint: string, eventId: string): boolean {
    // No change record holds a report; whether one is wanted depends on its type alone, and an endpoint wants all types or none.
    const text = depthOf(eventId) > 0 ? '{"type":"endpoint.failing"}' : this.textOf(eventId);
    return text !== undefined && this.delivery.receivers.get(endpoint)?.isUnwanted(text) === true;
  }

  setClock(step: Parameters<Clocks['set']>[0]): void {
    this.clocks.set(step);
    this.paces.forget(this.scheduler.wall);
    this.shares.forget();
  }

  /** Sets our clocks right: both show the same time, which is earlier than the first one's. */
  agreeOnTime(back: number): void {
    const [one, other] = [this.clocks.of(0)(), this.clocks.of(1)()];
    this.clocks.set({ do: 'clock', poller: 0, by: -back });
    this.clocks.set({ do: 'clock', poller: 1, by: one - back - other });
    this.paces.forget(this.scheduler.wall);
  }

  get clocks(): Clocks {
    return this.#shared.clocks;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
  }

  #judge(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#fail(error);
    }
  }

  #wrote(by: string | undefined): void {
    const records = this.storage.stream.slice(this.#streamed);
    this.#streamed = this.storage.stream.length;
    if (records.length === 0) return;
    this.#judge(() => {
      for (const process of this.processes) process.wrote(records, by);
      this.#leases.wrote(records, by, this.clocks.latest);
      this.#rows.wrote(records);
      this.paces.wrote(records, by);
      this.shares.wrote(records, by);
    });
    // The publisher is handed change records alone (infra/parts/publish.ts), and the stream keeps no order within a transaction.
    const changes = records.filter(isChangeRecord);
    const order = new Map(changes.map(record => [record, this.#shared.random()]));
    const shuffled = changes.toSorted((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0));
    this.#shared.shard.push(...shuffled);
    this.publisher.wake();
  }

  /** SNS sends to each subscription by itself: late, twice, in any order. */
  #subscribe(plan: Plan, coverage: Coverage): void {
    const { nature, random } = this.#shared;
    const takers = [
      (body: string) => this.deliveries.got('http', body),
      (body: string) => this.delivery.take(body),
    ];
    this.publisher.topic.subscribe(({ body }) => {
      for (const take of takers) {
        const isLate = nature.faulty && random() < plan.mess.late;
        const isTwice = nature.faulty && random() < plan.mess.twice;
        if (isLate) coverage.add('topic', 'message late');
        if (isTwice) coverage.add('topic', 'message twice');
        this.#send(() => take(body), isLate ? random() * LATE_MS : random() * 200);
        if (isTwice) this.#send(() => take(body), random() * LATE_MS);
      }
    });
  }

  #send(take: () => void, ms: number): void {
    this.#onTheWay += 1;
    this.scheduler.after(ms, () => {
      this.#onTheWay -= 1;
      this.#judge(take);
    });
  }
}

function isChangeRecord({ eventName, dynamodb }: DynamoDBRecord): boolean {
  return eventName === 'INSERT' && dynamodb?.Keys?.sk?.S?.startsWith(CHANGE) === true;
}

function insertOf(item: Item, index: number): DynamoDBRecord {
  return streamRecord(TABLE_NAME, index, placeOfItem(item), undefined, item);
}

/** The largest version of all events in the journal. */
function lastVersion(items: Iterable<Item>): number {
  const versions = [...items].flatMap(({ sk }) => {
    const [kind, , , version] = (sk?.S ?? '').split('#');
    return kind === 'CHANGE' ? [Number(version)] : [];
  });
  return versions.reduce((last, version) => Math.max(last, version), 0);
}
