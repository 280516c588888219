import { seededRandom } from '../../local/service/random.ts';
import { SIGNING_SECRET, SimulatedEndpoint } from './endpoints.ts';
import type { Coverage } from './faults.ts';
import { Meeting } from './meeting.ts';
import { TableModel } from './models/table.ts';
import { CommitsOracle } from './oracle/commits.ts';
import { DeliveriesOracle } from './oracle/deliveries.ts';
import { LeasesOracle } from './oracle/leases.ts';
import { SecretsOracle } from './oracle/secrets.ts';
import type { MeetStep, Plan } from './plan.ts';
import { Pollers } from './pollers.ts';
import { Publisher } from './publisher.ts';
import { Scheduler } from './scheduler.ts';
import { ServiceSide } from './service-side.ts';
import { type Shared, TABLE_NAME } from './shared.ts';

const BEGIN = Date.UTC(2026, 10, 21, 12);
/** How late a message of SNS may come. */
const LATE_MS = 40_000;

/** One world: the service, the pollers, the table and its stream, the publisher, the topic, the endpoints; and those who
 *  watch. */
export class World {
  readonly scheduler = new Scheduler(BEGIN);
  readonly table = new TableModel(TABLE_NAME);
  readonly service: ServiceSide;
  readonly pollers: Pollers;
  readonly publisher: Publisher;
  readonly endpoints: readonly SimulatedEndpoint[];
  readonly commits: CommitsOracle;
  readonly deliveries: DeliveriesOracle;
  readonly secrets = new SecretsOracle([SIGNING_SECRET]);
  /** What was logged, in words. */
  readonly said: string[] = [];
  readonly #leases: LeasesOracle;
  readonly #shared: Shared;
  #streamed = 0;
  #failure: { error: unknown } | undefined;
  #onTheWay = 0;

  constructor(plan: Plan, coverage: Coverage) {
    const { scheduler, table } = this;
    const random = seededRandom(plan.seed);
    const say = (level: string) => (message: string, details?: object) =>
      void this.said.push(`${level} ${message} ${details ? JSON.stringify(details) : ''}`);
    this.#shared = {
      plan,
      scheduler,
      random,
      coverage,
      nature: { scheduler, random, coverage, faulty: true },
      table,
      shard: [],
      wrote: by => this.#wrote(by),
      log: { info: say('info'), warn: say('warn'), error: say('error') },
      fail: error => {
        this.#failure ??= { error };
      },
    };
    this.service = new ServiceSide(plan, scheduler, this.secrets, coverage);
    this.commits = new CommitsOracle(this.service.history, coverage, plan.freedoms.dateHeader !== false);
    this.deliveries = new DeliveriesOracle(this.commits);
    this.pollers = new Pollers(this.#shared, this.service);
    const isWalking = (owner: string) => this.pollers.isWalking(owner);
    this.#leases = new LeasesOracle(coverage, isWalking);
    this.publisher = new Publisher(this.#shared);
    this.endpoints = (plan.chat ? (['webhook', 'slack'] as const) : (['webhook'] as const)).map(
      kind => new SimulatedEndpoint(this.#shared, kind, this.deliveries),
    );
    this.#subscribe(plan, coverage);
  }

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.#shared.nature.faulty = false;
    this.service.heal();
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
    await this.until(() => this.pollers.areIdle, 'every run ends');
    const { pollers, service } = this;
    const isBaselined = () => this.commits.told !== undefined;
    const meeting = new Meeting(this.#shared, step, { pollers, service, isBaselined });
    meeting.begin();
    await this.until(() => meeting.isOver, 'a meeting ends');
  }

  /** Nothing that was committed is on its way any more. */
  get isQuiet(): boolean {
    return this.publisher.isIdle && this.#onTheWay === 0 && this.endpoints.every(({ isIdle }) => isIdle);
  }

  #wrote(by: string | undefined): void {
    const records = this.table.stream.slice(this.#streamed);
    this.#streamed = this.table.stream.length;
    if (records.length === 0) return;
    try {
      this.commits.wrote(records);
      const latest = this.scheduler.now + Math.max(...this.#shared.plan.skew.pollers);
      this.#leases.wrote(records, by, latest);
    } catch (error) {
      this.#shared.fail(error);
    }
    // The stream keeps no order within a transaction.
    const order = new Map(records.map(record => [record, this.#shared.random()]));
    const shuffled = records.toSorted((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0));
    this.#shared.shard.push(...shuffled);
    this.publisher.wake();
  }

  /** SNS sends to each subscription by itself: late, twice, in any order. */
  #subscribe(plan: Plan, coverage: Coverage): void {
    const { nature, random } = this.#shared;
    const takers = [
      (body: string) => this.deliveries.got('http', body),
      ...this.endpoints.map(endpoint => (body: string) => {
        endpoint.queue.send(body);
        endpoint.wake();
      }),
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
      try {
        take();
      } catch (error) {
        this.#shared.fail(error);
      }
    });
  }
}
