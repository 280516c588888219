import { isDeepStrictEqual } from 'node:util';
import { joined } from '../../../functions/delivery/health.ts';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { EndpointRow, Health } from '../../../functions/model/endpoint-row.ts';
import type { SentEvent } from '../../../functions/model/event.ts';
import type { Message } from '../../../functions/queue/queue.ts';
import { ENDPOINTS } from '../../../functions/store/keys.ts';
import { messageOf, someEvents, waitingOnes } from '../../kit/delivery/setting.ts';
import type { Coverage } from '../faults.ts';
import type { Reply } from '../http.ts';
import type { Nature } from '../life.ts';
import { idOf, RowsOracle } from '../oracle/rows.ts';
import { Violation } from '../oracle/violation.ts';
import { Scheduler } from '../scheduler.ts';
import { smallPlan } from '../small-plan.ts';
import { dynamoStorage } from '../storage/dynamo.ts';
import { sqliteStorage } from '../storage/sqlite.ts';
import type { Storage } from '../storage/storage.ts';
import { BEGUN, type Job, type JobParty, JobsJudge } from './endpoint-jobs.ts';
import { EndpointJudge } from './endpoint-judge.ts';
import { type EndpointParty, EndpointProcess, NAME, type Surroundings, UPDATES } from './endpoint-process.ts';
import type { Walker } from './walker.ts';

/** A small world: parties that reach the storage of one endpoint at the same moment. */
export interface EndpointWorld {
  readonly storage: 'dynamodb' | 'sqlite';
  readonly parties: readonly EndpointParty[];
  /** How many deliveries wait in rows before; 1 by default. */
  readonly rows?: number;
  /** The first answers to the first of these rows. */
  readonly answers?: readonly ('refused' | 'slowed')[];
  /** A job that was begun before. */
  readonly job?: Job;
  /** How long the receiver takes for each answer in the meeting, in ms; by default no time. */
  readonly takes?: number;
  /** How often another party goes on though the one before could; unlimited by default. */
  readonly switches?: number;
  /** The endpoint fails before, and its probe is due; the rows are due in an hour. */
  readonly isFailing?: boolean;
}

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** One request a second: each part of a backlog is one row. */
const SETTINGS: EndpointSettings = { name: NAME, kind: 'webhook', perSecond: 1 };
const BEGIN = Date.UTC(2026, 10, 21, 12);
const PASSING_MS: Partial<Record<EndpointParty, number>> = { time: 10_000, late: 45_000 };
const HELD_S = 7;
const REFUSALS: Partial<Record<EndpointParty, Reply>> = {
  refused: replyOf(500),
  slowed: replyOf(429, { 'retry-after': String(HELD_S) }),
};

/** What the parties share: the endpoint, its rows, its queue, and the receiver; and what is known of each event. In the meeting no time
 *  passes but by the parties `time` and `late`. */
export class EndpointSide {
  readonly scheduler = new Scheduler(BEGIN);
  readonly #world: EndpointWorld;
  readonly #storage: Storage;
  readonly #around: Surroundings;
  readonly #rows: RowsOracle;
  readonly #judge: EndpointJudge;
  readonly #jobs = new JobsJudge();
  #before: EndpointRow | undefined;
  /** How often the receiver accepted each event. */
  readonly #accepted = new Map<string, number>();
  /** First answers that are still to come, by event. */
  readonly #answers = new Map<string, Reply>();
  /** Messages in the queue, by id. */
  readonly #messages = new Map<string, Message>();
  /** When the messages that wake a drain are shown. */
  readonly #wakes: number[] = [];
  readonly #events: string[] = [];
  #takes: number;
  #isRemoved = false;
  #drawn = 0;
  #streamed = 0;
  #failure: unknown;

  constructor(world: EndpointWorld, coverage: Coverage) {
    const { scheduler } = this;
    this.#world = world;
    this.#takes = world.takes ?? 0;
    this.#judge = new EndpointJudge(world.parties.includes('late'));
    // No two revisions are the same.
    const random = () => (++this.#drawn % 1_000) / 1_000;
    const nature: Nature = { scheduler, random, coverage, faulty: false, delays: {} };
    const { storage } = world;
    this.#storage = storage === 'sqlite' ? sqliteStorage() : dynamoStorage(smallPlan(storage, []), nature);
    this.#rows = new RowsOracle(
      (_, id) => this.#isRemoved || this.#accepted.has(id),
      () => {},
    );
    this.#around = {
      ...{ nature, storage: this.#storage, fail: this.fail },
      reads: run => this.#judge.reads(run, this.#clock()),
      wrote: run => this.#wrote(run),
      receive: (run, body) => this.#receive(run, JSON.parse(body)),
      wakes: at => void this.#wakes.push(at),
    };
  }

  readonly fail = (error: unknown): void => {
    this.#failure ??= error;
  };

  /** Deliveries wait in rows, and each party that delivers has a message. */
  async prepare(): Promise<void> {
    const { parties, rows: count = 1, isFailing, answers = [], job } = this.#world;
    const { rows, deliveries } = new EndpointProcess(this.#around, 'before').ports;
    const events = someEvents(count + parties.length).map(event => JSON.stringify(event));
    const waiting = waitingOnes(count, isFailing ? { due: BEGIN + HOUR } : {});
    const expects = (body: string, party: EndpointParty | undefined) => {
      this.#events.push(idOf(body));
      const answer = party && REFUSALS[party];
      if (answer) this.#answers.set(idOf(body), answer);
    };
    for (const [index, { body }] of waiting.entries()) expects(body, answers[index]);
    for (const [index, party] of parties.entries()) {
      const body = events[count + index] as string;
      if (party !== 'deliver' && !REFUSALS[party]) continue;
      expects(body, party);
      this.#messages.set(`m${index}`, messageOf(`m${index}`, body, { now: BEGIN }));
    }
    const since = BEGIN - 5 * MINUTE;
    const problem = { as: 'failing', since, depth: 0 } as const;
    const failing = {
      ...{ failures: { count: 9, since }, failing: { since, probes: 1 }, notBefore: BEGIN },
      reports: { problem },
    };
    const health: Health =
      count === 0 ? {} : joined(isFailing ? failing : {}, BEGIN + (isFailing ? HOUR : 0), false);
    const prepared = Promise.all([
      deliveries.add(waiting),
      rows.change(NAME, () => ({ name: NAME, settings: SETTINGS, health, ...(job && BEGUN[job]) })),
    ]);
    await this.#until(prepared, 'the rows are written');
    if (!parties.includes('drain')) this.#wakes.push(BEGIN);
  }

  /** @returns when the party has ended */
  async begin(index: number, walker: Walker): Promise<void> {
    const party = this.#world.parties[index] as EndpointParty;
    const process = new EndpointProcess(this.#around, walker.name, walker.gate());
    await this.#run(walker.name, party, process, `m${index}`);
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
      [this.#clock(), this.#isRemoved, this.#drawn, this.#judge.state, this.#jobs.state],
    ];
  }

  /** Each event is in the queue or in a row, unless the receiver has it. */
  check(): void {
    const queued = new Set([...this.#messages.values()].map(({ body }) => idOf(body)));
    const isSafe = (id: string) => this.#accepted.has(id) || queued.has(id) || this.#rows.holds(NAME, id);
    const lost = this.#isRemoved ? undefined : this.#events.find(id => !isSafe(id));
    if (lost) throw new Violation(11, `${lost} is neither delivered nor in the queue nor in a row`);
    const [twice] = [...this.#accepted].find(([, times]) => times > 1 + this.#judge.outlived) ?? [];
    if (twice) throw new Violation(11, `${twice} was sent twice, though no run died or outlived its time`);
  }

  /** When all parties have ended, the endpoint's row has what each of them wrote. */
  checkEnd(): void {
    const row = this.#row();
    const { parties } = this.#world;
    if (this.#isRemoved !== (row === undefined))
      throw new Violation(11, `the endpoint was ${this.#isRemoved ? '' : 'not '}removed, its row differs`);
    if (row === undefined) return;
    const { health, settings } = row;
    if (!settings) throw new Violation(11, 'the settings of the endpoint are lost');
    for (const [party, update] of Object.entries(UPDATES))
      if (
        parties.includes(party as EndpointParty) &&
        !isDeepStrictEqual({ ...settings, ...update }, settings)
      )
        throw new Violation(11, `what ${party} changed in the settings is lost`);
    if (!health.waiting && this.#rows.isWaiting(NAME, () => false))
      throw new Violation(11, 'deliveries wait in rows, but no run will look for them');
    if (health.draining) throw new Violation(11, `no run drains, but the row has ${health.draining.by}`);
    const [isPaused, isResumed] = [parties.includes('pause'), parties.includes('resume')];
    if ((health.paused !== undefined) !== isPaused && !isResumed)
      throw new Violation(11, `the endpoint is ${isPaused ? '' : 'not '}paused, its row differs`);
  }

  /** Lets the rest of the events arrive, and fails when one doesn't in time. */
  async settle(by: 'ticks' | 'wakes', within: number): Promise<void> {
    if (this.#isRemoved) return;
    const end = this.#clock() + within;
    this.#takes = 0;
    if (this.#world.parties.includes('pause')) await this.#alone('resume');
    if (by === 'ticks') this.#wakes.length = 0;
    else if (this.#before?.replay || this.#before?.snapshot) await this.#alone('tick');
    let tick = this.#clock();
    while (this.#clock() < end && this.#missing) {
      const [id] = this.#messages.keys();
      const woken = this.#wakes.findIndex(at => at <= this.#clock());
      if (id !== undefined) await this.#alone('deliver', id);
      else if (woken >= 0) {
        this.#wakes.splice(woken, 1);
        await this.#alone('drain');
      } else if (by === 'ticks' && tick <= this.#clock()) {
        tick += MINUTE;
        await this.#alone('tick');
      } else await this.scheduler.pass(100);
    }
    this.check();
    if (this.#missing)
      throw new Violation(11, `${this.#missing} is not delivered after ${within / 1000} s by ${by}`);
    if (this.#row()?.health.reports?.problem)
      throw new Violation(11, 'the endpoint accepts events again, but that is not reported');
  }

  /** An event that the receiver does not have. */
  get #missing(): string | undefined {
    const isAccepted = (id: string) => this.#accepted.has(id);
    return this.#events.find(id => !isAccepted(id)) ?? this.#jobs.lacking(isAccepted);
  }

  /** A party goes its way when all others have ended. */
  #alone(party: EndpointParty, message = ''): Promise<void> {
    const name = `${party} ${++this.#drawn}`;
    const work = this.#run(name, party, new EndpointProcess(this.#around, name), message);
    return this.#until(work, `${name} ends`);
  }

  async #run(name: string, party: EndpointParty, process: EndpointProcess, id: string): Promise<void> {
    const message = this.#messages.get(id);
    this.#judge.begins(name, party);
    if (message) {
      if (await process.serve(message))
        this.#messages.set(id, { ...message, receives: message.receives + 1 });
      else this.#messages.delete(id);
    } else if (party === 'drain') await process.drain();
    else if (party === 'tick') await process.tick();
    else if (PASSING_MS[party]) await process.pass(PASSING_MS[party]);
    else if (party.endsWith('replay') || party.endsWith('snapshot'))
      await this.#jobs.operate(process.operations(), name, party as JobParty);
    else await process.operate(party);
    this.#judge.ends(name);
  }

  readonly #clock = (): number => this.scheduler.wall;

  #receive(run: string, event: SentEvent): Reply {
    const { id } = event;
    const answer = this.#answers.get(id);
    let isOfJob = false;
    try {
      this.#judge.posts(run, this.#clock());
      isOfJob = !answer && this.#jobs.accepted(event);
    } catch (error) {
      // Thrown on, it would be a request that failed.
      this.fail(error);
    }
    this.scheduler.freeze(this.#takes);
    this.#answers.delete(id);
    if (answer) {
      this.#judge.refused(run, answer.status === 429 ? this.#clock() + HELD_S * 1000 : 0);
      return answer;
    }
    this.#judge.accepted(run);
    // Those of a job come again where two ticks carry it out.
    this.#accepted.set(id, isOfJob ? 1 : (this.#accepted.get(id) ?? 0) + 1);
    return replyOf(200);
  }

  #row(): EndpointRow | undefined {
    const text = [...this.#storage.items()].find(({ pk }) => pk?.S === ENDPOINTS)?.row?.S;
    const row = text === undefined ? undefined : (JSON.parse(text) as EndpointRow);
    // Without settings it is a claim of the name alone.
    return row?.settings && row;
  }

  #wrote(run: string): void {
    const records = this.#storage.stream.slice(this.#streamed);
    this.#streamed += records.length;
    const ours = records.filter(({ dynamodb }) => dynamodb?.Keys?.pk?.S === ENDPOINTS);
    this.#isRemoved ||= ours.length > 0 && this.#row() === undefined;
    try {
      this.#rows.wrote(records);
      if (ours.length === 0) return;
      const [before, after] = [this.#before, this.#row()];
      this.#before = after;
      this.#judge.wrote(run, after, this.#clock());
      const isHeld = (id: string) => this.#accepted.has(id) || this.#rows.holds(NAME, id);
      this.#jobs.wrote(run, before, after, isHeld);
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
