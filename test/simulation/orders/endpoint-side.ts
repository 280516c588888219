import type { Sleep } from '../../../functions/basics/clock.ts';
import { joined } from '../../../functions/delivery/health.ts';
import { wakeWaiting } from '../../../functions/delivery/queues.ts';
import { createRegistry } from '../../../functions/delivery/registry.ts';
import { createDeliver } from '../../../functions/handlers/create-deliver.ts';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { Health } from '../../../functions/model/endpoint-row.ts';
import type { OperationsContext } from '../../../functions/operations/context.ts';
import { pauseEndpoint, removeEndpoint, resumeEndpoint } from '../../../functions/operations/endpoints.ts';
import type { Message } from '../../../functions/queue/queue.ts';
import { ENDPOINTS } from '../../../functions/store/keys.ts';
import { batchOf, messageOf, SECRET, someEvents, waitingOnes } from '../../kit/delivery/setting.ts';
import type { Coverage } from '../faults.ts';
import { type Reply, VirtualAgent } from '../http.ts';
import { Life, type Nature } from '../life.ts';
import { idOf, RowsOracle } from '../oracle/rows.ts';
import { Violation } from '../oracle/violation.ts';
import { Scheduler } from '../scheduler.ts';
import { smallPlan } from '../small-plan.ts';
import { dynamoStorage } from '../storage/dynamo.ts';
import { sqliteStorage } from '../storage/sqlite.ts';
import type { Ports, Storage } from '../storage/storage.ts';
import type { Walker } from './walker.ts';

/** `deliver` has a message of the queue, which the endpoint accepts; `refused` and `slowed` one that it first answers 500, or 429 with a
 *  `Retry-After`. `drain` has a message that wakes it. `time`: 10 s pass at once. The others are operations. */
export type EndpointParty =
  | 'deliver'
  | 'refused'
  | 'slowed'
  | 'drain'
  | 'time'
  | 'pause'
  | 'resume'
  | 'remove';

/** A small world: parties that reach the storage of one endpoint at the same moment. */
export interface EndpointWorld {
  readonly storage: 'dynamodb' | 'sqlite';
  readonly parties: readonly EndpointParty[];
  /** How many deliveries wait in rows before; 1 by default. */
  readonly rows?: number;
  /** How often another party goes on though the one before could; unlimited by default. */
  readonly switches?: number;
  /** The endpoint fails before, and its probe is due. */
  readonly isFailing?: boolean;
}

export const MINUTE = 60_000;
const NAME = 'crm';
const SETTINGS: EndpointSettings = { name: NAME, kind: 'webhook' };
const BEGIN = Date.UTC(2026, 10, 21, 12);
const RUN_MS = 180_000;
const TIME_MS = 10_000;
const HELD_S = 7;
const OPERATIONS = { pause: pauseEndpoint, resume: resumeEndpoint, remove: removeEndpoint };
const FIRST_ANSWERS: Partial<Record<EndpointParty, Reply>> = {
  refused: replyOf(500),
  slowed: replyOf(429, { 'retry-after': String(HELD_S) }),
};

/** A process that reaches the storage. In the meeting no time passes but by the party `time`. */
interface Reaching {
  readonly life: Life;
  readonly ports: Ports;
  readonly sleep: Sleep;
}

const atOnce: Sleep = async () => {};

/** What the parties share: the endpoint, its rows, its queue, and the receiver; and what is known of each event. */
export class EndpointSide {
  readonly scheduler = new Scheduler(BEGIN);
  readonly #parties: readonly EndpointParty[];
  readonly #count: number;
  readonly #isFailing: boolean;
  readonly #storage: Storage;
  readonly #nature: Nature;
  readonly #rows: RowsOracle;
  /** How often the receiver accepted each event. */
  readonly #accepted = new Map<string, number>();
  /** First answers that are still to come, by event. */
  readonly #answers = new Map<string, Reply>();
  /** Messages in the queue, by id. */
  readonly #messages = new Map<string, Message>();
  /** When the messages that wake a drain are shown. */
  readonly #wakes: number[] = [];
  readonly #events: string[] = [];
  #refusals = 0;
  #heldUntil = 0;
  #isRemoved = false;
  #drawn = 0;
  #streamed = 0;
  #failure: unknown;

  constructor({ storage, parties, rows = 1, isFailing = false }: EndpointWorld, coverage: Coverage) {
    const { scheduler } = this;
    this.#parties = parties;
    this.#count = rows;
    this.#isFailing = isFailing;
    // No two revisions are the same.
    const random = () => (++this.#drawn % 1_000) / 1_000;
    this.#nature = { scheduler, random, coverage, faulty: false, delays: {} };
    this.#storage =
      storage === 'sqlite' ? sqliteStorage() : dynamoStorage(smallPlan(storage, []), this.#nature);
    this.#rows = new RowsOracle(
      (_, id) => this.#isRemoved || this.#accepted.has(id),
      () => {},
    );
  }

  readonly fail = (error: unknown): void => {
    this.#failure ??= error;
  };

  /** Deliveries wait in rows, and each party that delivers has a message. */
  async prepare(): Promise<void> {
    const parties = this.#parties;
    const { rows, deliveries } = this.#free().ports;
    const events = someEvents(this.#count + parties.length).map(event => JSON.stringify(event));
    const waiting = waitingOnes(this.#count);
    for (const { body } of waiting) this.#events.push(idOf(body));
    for (const [index, party] of parties.entries()) {
      const body = events[this.#count + index] as string;
      if (party !== 'deliver' && !FIRST_ANSWERS[party]) continue;
      this.#events.push(idOf(body));
      this.#messages.set(`m${index}`, messageOf(`m${index}`, body, { now: BEGIN }));
      const answer = FIRST_ANSWERS[party];
      if (answer) this.#answers.set(idOf(body), answer);
    }
    const since = BEGIN - 5 * MINUTE;
    const failing = { failures: { count: 9, since }, failing: { since, probes: 1 }, notBefore: BEGIN };
    const health: Health = joined(this.#isFailing ? failing : {}, BEGIN, false);
    const prepared = Promise.all([
      deliveries.add(waiting),
      rows.change(NAME, () => ({ name: NAME, settings: SETTINGS, health })),
    ]);
    await this.#until(prepared, 'the rows are written');
    if (!parties.includes('drain')) this.#wakes.push(BEGIN);
  }

  /** @returns when the party has ended */
  begin(index: number, walker: Walker): Promise<void> {
    const party = this.#parties[index] as EndpointParty;
    let method = '';
    const life = new Life(this.#nature);
    life.passThrough(walker.gate(name => `${method} ${name}`));
    const called = (name: string) => {
      method = name;
    };
    const ports = this.#portsOf(life, atOnce, called);
    switch (party) {
      case 'deliver':
      case 'refused':
      case 'slowed':
        return this.#serve({ life, ports, sleep: atOnce }, `m${index}`);
      case 'drain':
        return this.#drain({ life, ports, sleep: atOnce }, walker.name);
      case 'time':
        return life.call('table.read', () => this.scheduler.freeze(TIME_MS), never, '10 s pass');
      default:
        return this.#operate(party, ports);
    }
  }

  /** Lets every party come to its next call. */
  async rest(): Promise<void> {
    let isOver = false;
    this.scheduler.after(0, () =>
      this.scheduler.after(0, () => {
        isOver = true;
      }),
    );
    await this.scheduler.until(() => isOver, 'the parties come to their next calls');
    if (this.#failure) throw this.#failure;
  }

  state(): unknown {
    return [
      [...this.#storage.items()],
      [...this.#accepted, ...this.#answers.keys(), ...this.#messages.keys(), ...this.#wakes],
      [this.#clock(), this.#refusals, this.#heldUntil, this.#isRemoved, this.#drawn],
    ];
  }

  /** Each event is in the queue or in a row, unless the receiver has it. */
  check(): void {
    const queued = new Set([...this.#messages.values()].map(({ body }) => idOf(body)));
    const isSafe = (id: string) => this.#accepted.has(id) || queued.has(id) || this.#rows.holds(NAME, id);
    const lost = this.#isRemoved ? undefined : this.#events.find(id => !isSafe(id));
    if (lost) throw new Violation(11, `${lost} is neither delivered nor in the queue nor in a row`);
    const [twice] = [...this.#accepted].find(([, times]) => times > 1) ?? [];
    if (twice) throw new Violation(11, `${twice} was sent twice, though no party died`);
  }

  /** When all parties have ended, the endpoint's row has what each of them wrote. */
  checkEnd(): void {
    const row = [...this.#storage.items()].find(({ pk }) => pk?.S === ENDPOINTS)?.row?.S;
    if (this.#isRemoved !== (row === undefined))
      throw new Violation(11, `the endpoint was ${this.#isRemoved ? '' : 'not '}removed: its row is ${row}`);
    if (row === undefined) return;
    const { health, settings } = JSON.parse(row) as { health: Health; settings?: EndpointSettings };
    if (!settings) throw new Violation(11, 'the settings of the endpoint are lost');
    if (health.draining) throw new Violation(11, `no run drains, but the row has ${health.draining.by}`);
    const [isPaused, isResumed] = [this.#parties.includes('pause'), this.#parties.includes('resume')];
    if ((health.paused !== undefined) !== isPaused && !isResumed)
      throw new Violation(11, `the endpoint is ${isPaused ? '' : 'not '}paused, its row differs`);
    if (this.#accepted.size > 0 || isResumed || this.#isFailing) return;
    const { notBefore = 0, failures } = health;
    if (this.#heldUntil > this.#clock() && notBefore < this.#heldUntil)
      throw new Violation(12, `the endpoint asked for a pause until ${this.#heldUntil}, its row differs`);
    if (failures?.count !== (this.#refusals || undefined))
      throw new Violation(12, `${this.#refusals} attempts failed, the row has ${failures?.count}`);
  }

  /** Lets the rest of the events arrive, and fails when one doesn't in time. */
  async settle(by: 'ticks' | 'wakes', within: number): Promise<void> {
    if (this.#isRemoved) return;
    const end = this.#clock() + within;
    if (this.#parties.includes('pause'))
      await this.#until(this.#operate('resume', this.#free().ports), 'an operator resumes the endpoint');
    if (by === 'ticks') this.#wakes.length = 0;
    let tick = this.#clock();
    while (this.#clock() < end && this.#missing) {
      const [id] = this.#messages.keys();
      const woken = this.#wakes.findIndex(at => at <= this.#clock());
      if (id !== undefined) await this.#until(this.#serve(this.#free(), id), 'a message is received again');
      else if (woken >= 0) {
        this.#wakes.splice(woken, 1);
        await this.#until(this.#drain(this.#free(), `drain ${++this.#drawn}`), 'a drain ends');
      } else if (by === 'ticks' && tick <= this.#clock()) {
        tick += MINUTE;
        await this.#until(this.#tick(), 'a tick ends');
      } else await this.scheduler.pass(100);
    }
    this.check();
    if (this.#missing)
      throw new Violation(11, `${this.#missing} is not delivered after ${within / 1000} s by ${by}`);
  }

  /** An event that the receiver does not have. */
  get #missing(): string | undefined {
    return this.#events.find(id => !this.#accepted.has(id));
  }

  async #serve(reaching: Reaching, id: string): Promise<void> {
    const message = this.#messages.get(id) as Message;
    const again = await this.#deliver(reaching)(batchOf([message]), contextOf(this.scheduler, id));
    if (again.includes(id)) this.#messages.set(id, { ...message, receives: message.receives + 1 });
    else this.#messages.delete(id);
  }

  async #drain(reaching: Reaching, run: string): Promise<void> {
    const wake = messageOf('wake', 'wake', { wake: true, now: this.scheduler.now });
    await this.#deliver(reaching)(batchOf([wake], 'drains'), contextOf(this.scheduler, run));
  }

  async #operate(party: 'pause' | 'resume' | 'remove', ports: Ports): Promise<void> {
    const operation = OPERATIONS[party] as (...given: [OperationsContext, object]) => Promise<unknown>;
    await operation(this.#contextOf(ports), { endpoint: NAME });
  }

  #contextOf({ rows, deliveries }: Ports): OperationsContext {
    return {
      configured: [],
      endpoints: rows,
      // What an answer shows concerns no other party.
      deliveries: {
        ...deliveries,
        counts: async () => ({ pending: 0, oldest: undefined, dead: 0 }),
        attempts: async () => [],
      },
      secrets: { remove: async () => {} },
      queues: this.#queues,
      clock: this.#clock,
      log: this.#log,
    } as unknown as OperationsContext;
  }

  async #tick(): Promise<void> {
    const registered = await createRegistry([], this.#free().ports.rows, this.#clock).all();
    await wakeWaiting(registered, { queues: this.#queues, log: this.#log }, this.#clock());
  }

  readonly #clock = (): number => this.scheduler.wall;

  readonly #queues = {
    wake: async (_: unknown, seconds: number) => void this.#wakes.push(this.#clock() + seconds * 1000),
  };

  readonly #log = {
    info: () => {},
    warn: () => {},
    error: (message: string) => {
      if (message.includes('assertion.failed')) this.fail(new Violation(11, message));
    },
  };

  #deliver({ life, sleep, ports: { rows, deliveries, slots } }: Reaching) {
    return createDeliver({
      ...{ rows, slots, queues: this.#queues, log: this.#log, clock: this.#clock },
      registry: createRegistry([], rows, this.#clock),
      // The log of attempts concerns no other party.
      deliveries: { ...deliveries, note: async () => {} },
      secrets: {
        nameOf: name => name,
        putting: () => '',
        read: async () => JSON.stringify({ url: `https://${NAME}.example/`, secrets: [SECRET] }),
      },
      random: () => 0,
      sleep,
      allowLoopback: false,
      openAgent: () =>
        new VirtualAgent(
          life,
          () => 'endpoint.post',
          ({ body }) => this.#receive(idOf(body)),
        ),
      count: () => {},
    });
  }

  #receive(id: string): Reply {
    const answer = this.#answers.get(id);
    this.#answers.delete(id);
    if (!answer) {
      this.#accepted.set(id, (this.#accepted.get(id) ?? 0) + 1);
      return replyOf(200);
    }
    this.#refusals += 1;
    if (answer.status === 429) this.#heldUntil = this.#clock() + HELD_S * 1000;
    return answer;
  }

  /** A process whose calls take no turns. */
  #free(): Reaching {
    const life = new Life(this.#nature);
    life.passThrough({ hold: call => void call() });
    const sleep: Sleep = ms => this.scheduler.sleep(ms);
    return { life, sleep, ports: this.#portsOf(life, sleep) };
  }

  /** @param called gets the name of each method that is called */
  #portsOf(life: Life, sleep: Sleep, called: (method: string) => void = () => {}): Ports {
    const ports = this.#storage.reachedBy({ life, clock: this.#clock, sleep, ran: () => this.#wrote() });
    const named = <Port extends object>(port: Port): Port =>
      Object.fromEntries(
        Object.keys(port).map(name => [
          name,
          (...given: unknown[]) => {
            called(name);
            return (Reflect.get(port, name) as (...given: unknown[]) => unknown)(...given);
          },
        ]),
      ) as Port;
    return { ...ports, rows: named(ports.rows), deliveries: named(ports.deliveries) };
  }

  #wrote(): void {
    const records = this.#storage.stream.slice(this.#streamed);
    this.#streamed += records.length;
    this.#isRemoved ||= records.some(
      ({ eventName, dynamodb }) => eventName === 'REMOVE' && dynamodb?.Keys?.pk?.S === ENDPOINTS,
    );
    try {
      this.#rows.wrote(records);
    } catch (error) {
      this.fail(error);
    }
  }

  async #until(work: Promise<unknown>, what: string): Promise<void> {
    let isOver = false;
    void work.then(() => {
      isOver = true;
    }, this.fail);
    await this.scheduler.until(() => isOver || this.#failure !== undefined, what);
    if (this.#failure) throw this.#failure;
  }
}

function replyOf(status: number, headers: Record<string, string> = {}): Reply {
  return { status, headers, text: Buffer.from('') };
}

function contextOf(scheduler: Scheduler, awsRequestId: string) {
  const end = scheduler.wall + RUN_MS;
  return { awsRequestId, getRemainingTimeInMillis: () => end - scheduler.wall };
}

const never = (): never => {
  throw new Error('no call fails here');
};
