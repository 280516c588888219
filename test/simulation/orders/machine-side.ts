import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { paused, resumed } from '../../../functions/delivery/health.ts';
import { wakeBy } from '../../../functions/delivery/queues.ts';
import type { Health } from '../../../functions/model/endpoint-row.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { QUEUE_SCHEMA, SqliteQueue } from '../../../functions/queue/sqlite.ts';
import { encode } from '../../../functions/store/codec.ts';
import { changeKey } from '../../../functions/store/keys.ts';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import { Exchange } from '../../../local/cli/exchange.ts';
import type { Plan } from '../../../local/cli/plan.ts';
import { type Machine as Parts, startRuntime } from '../../../local/cli/runtime.ts';
import type { RunContext } from '../../../local/data/data-directory.ts';
import { openQueues, QUEUES, recover, withQueued } from '../../../local/data/store.ts';
import { Metrics } from '../../../local/operate/metrics.ts';
import type { Poster, PostResult } from '../../../local/sns/http.ts';
import { SubscriptionMemory } from '../../../local/sns/subscription-memory.ts';
import { Coverage } from '../faults.ts';
import { VirtualAgent } from '../http.ts';
import { Life } from '../life.ts';
import { Violation } from '../oracle/violation.ts';
import { Scheduler, virtualTimers } from '../scheduler.ts';

/** What a call of a process meets. `fails for long`: all writes of the next seconds fail, too; `answer lost`: of a request; `paused`: an
 *  operator's command pauses the webhook; `blocked`: the process stands still for some seconds; `while it rests`, and after a failure: a moment
 *  after the call; `met`: what the strike has. */
export type Mishap =
  | (
      | 'killed before'
      | 'killed after'
      | 'an hour back in a restart'
      | 'fails'
      | 'fails for long'
      | 'fails, then an hour back'
      | 'answer lost'
      | 'reloaded'
      | 'paused'
      | 'blocked'
      | 'met'
    )
  | `${'an hour back' | 'an hour ahead' | 'corrected'}${'' | ' while it rests'}`;
export interface Strike {
  readonly mishap: Mishap;
  /** The number of the call, or of the request whose answer is lost. */
  readonly nth: number;
  /** Only calls of a reload count. */
  readonly isInReload?: boolean;
  /** What happens right after the call. */
  readonly meets?: () => void;
}

export const WEBHOOK = 'crm';
export const SUBSCRIPTION = 'sns:log';
export type ReceiverName = typeof WEBHOOK | typeof SUBSCRIPTION;

/** What a receiver answers, and when. */
export interface Answer {
  readonly outcome: PostResult['outcome'];
  /** ms that it takes. */
  readonly late: number;
  /** To be called when a run has the answer. */
  readonly arrives: () => void;
}
type Receive = (receiver: ReceiverName, eventId: string) => Answer;

const BEGIN = Date.UTC(2026, 10, 21, 12);
const HOUR_MS = 3_600_000;
const SET_BY = { 'an hour back': -HOUR_MS, 'an hour ahead': HOUR_MS, corrected: -900, blocked: 6_000 };
const REST_MS = 700;
/** How long writes fail in `fails for long`. */
export const FAILING_MS = 12_000;
const RESTART_MS = 1_000;
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const ADDRESS = 'https://crm.example/';
const PROCESS = { workspace: 'w', processId: 'p' };
const silent = () => undefined;
const log = { info: silent, warn: silent, error: silent };

const CONTROL = {
  ...{ signingCertUrl: '', subscribeUrl: () => '', unsubscribeUrl: () => '' },
  close: async () => {},
};

/** One start of all parts in a process. */
interface Run {
  readonly life: Life;
  /** Requests without an answer. A stop does not wait for them for long. */
  open: number;
  isStopped: boolean;
  /** How often it was begun: once more by the former configuration, when it could not be started by the next one. */
  begun: number;
}

const newRun = (life: Life): Run => ({ life, open: 0, isStopped: false, begun: 0 });

/** The run that calls. */
const running = new AsyncLocalStorage<Run | undefined>();

/** One machine: everything that `npm start` runs but the passes, in virtual time, over a file in memory, with a webhook and a subscription that
 *  was confirmed before. Each statement of SQLite outside of a transaction, each commit and each request is a call, of which one meets a mishap.
 *  A process that died or could not go on is started again. */
export class Machine {
  readonly scheduler = new Scheduler(BEGIN);
  readonly file: DatabaseSync;
  /** When the mishap happened, and the call that met it. */
  struck: { readonly at: number; readonly what: string } | undefined;
  failure: unknown;
  /** How often a process was started. */
  starts = 0;
  /** Connections of subscriptions that are open. */
  open = 0;
  #calls = 0;
  #requests = 0;
  #offset = 0;
  readonly #reads = new Set<string>();
  #isChanged = false;
  #life: Life;
  readonly #strike: Strike | undefined;
  readonly #parts: Parts;
  readonly #receives: Receive;
  readonly #judge: () => void;
  #plan: Plan;
  #isReloading = false;
  readonly #raw: Pick<DatabaseSync, 'exec' | 'prepare'>;

  /** @param receives takes an event, or refuses it @param judge is called after each write */
  constructor(
    directory: string,
    strike: Strike | undefined,
    { receives, judge }: { readonly receives: Receive; readonly judge: () => void },
  ) {
    this.#strike = strike;
    this.#receives = receives;
    this.#judge = judge;
    const clock = () => this.scheduler.now + this.#offset;
    const store = openSqliteStore(':memory:', { clock, schemas: [QUEUE_SCHEMA] });
    const { file } = store.database;
    this.file = file;
    this.#raw = { exec: file.exec.bind(file), prepare: file.prepare.bind(file) };
    this.#gate();
    const queues = openQueues(file, clock);
    const isChanged = () => {
      const was = this.#isChanged;
      this.#isChanged = false;
      return was;
    };
    this.#life = this.#newLife();
    this.#parts = {
      directory: { path: directory, lasting: true, file: name => join(directory, name), release: silent },
      output: { event: silent, info: silent, warn: silent, isTerminal: false, log },
      store: { ...store, queues, deliveries: withQueued(store.deliveries, queues), isChanged },
      metrics: new Metrics('0.0.0', clock),
      disk: async () => undefined,
      reload: () => Promise.reject(new Error('not by an operation')),
      clock,
      sleep: (ms, signal) => this.#lifeHere.sleep(ms, signal),
      connections: {
        openAgent: () => this.#agent(),
        openPoster: () => this.#poster(),
        openControl: async () => ({ privateKey: undefined as never, control: CONTROL }),
      },
    };
    this.#plan = planOf(directory, run => this.#begins(run));
  }

  /** Timers of a process belong to its run. */
  timers(): () => void {
    const realTimers = virtualTimers(this.scheduler);
    const { setTimeout } = globalThis;
    globalThis.setTimeout = ((action: () => void, ms?: number) =>
      setTimeout(AsyncLocalStorage.bind(action), ms)) as never;
    return realTimers;
  }

  /** Another process commits these events. */
  commits(events: readonly ChangeEvent[]): void {
    const key = changeKey(PROCESS, this.scheduler.now, 'p.1', Number(events[0]?.sequence), 0);
    this.rows('INSERT INTO change (process, key, at, events) VALUES (?, ?, ?, ?)', [
      ...[key.pk.S, key.sk.S, this.scheduler.now, encode(events)],
    ]);
    this.#isChanged = true;
  }

  /** Another process sends a message that wakes the drain of the webhook. */
  async wakes(delay: number): Promise<void> {
    const queue = new SqliteQueue(this.file, 'drains', { ...QUEUES.drains, clock: this.#parts.clock });
    await running.run(undefined, () => wakeBy(queue).wake({ name: WEBHOOK, kind: 'webhook' }, delay));
    this.#isChanged = true;
  }

  /** An operator's command, another process, pauses the webhook. */
  pauses(): Promise<unknown> {
    return this.#operates(health => paused(health, this.#parts.clock()));
  }

  /** The same resumes it. */
  async resumes(): Promise<void> {
    const now = this.#parts.clock();
    await running.run(undefined, () => this.#parts.store.deliveries.bringForward(WEBHOOK, now));
    await this.#operates(health => resumed(health, now));
    await this.wakes(0);
  }

  #operates(change: (health: Health) => Health): Promise<unknown> {
    const { endpoints } = this.#parts.store;
    return running.run(undefined, () =>
      endpoints.change(WEBHOOK, row => ({ name: WEBHOOK, ...row, health: change(row?.health ?? {}) })),
    );
  }

  /** Whether a row or a message has this delivery. */
  keeps(receiver: ReceiverName, id: string): boolean {
    const rows = this.rows(
      `SELECT 1 FROM pending WHERE endpoint = ?1 AND event_id = ?2
        UNION SELECT 1 FROM dead WHERE endpoint = ?1 AND event_id = ?2
        UNION SELECT 1 FROM message WHERE ?1 = '${WEBHOOK}' AND instr(body, ?2) > 0`,
      [receiver, id],
    );
    return rows.length > 0;
  }

  /** The number of change records that count as published. */
  get published(): number {
    const [row] = this.rows(
      "SELECT count(*) AS records FROM change WHERE position <= (SELECT position FROM consumer WHERE name = 'publish')",
    );
    return Number(row?.records);
  }

  /** The rows of a statement that no process makes. */
  rows(sql: string, values: readonly (string | number | Uint8Array)[] = []): Record<string, unknown>[] {
    return this.#raw.prepare(sql).all(...values);
  }

  /** Starts a process. @param changed what of its plan differs */
  start(changed: Partial<Plan> = {}): void {
    this.#plan = { ...this.#plan, ...changed };
    running.run(undefined, () => void this.#start());
  }

  async #start(): Promise<void> {
    this.#life = this.#newLife();
    this.starts += 1;
    this.open = 0;
    const life = this.#life;
    try {
      recover(this.file, this.#parts.clock());
      const runtime = await startRuntime(this.#parts, this.#plan, { resend: new Set(), onBegun: silent });
      const exchange = new Exchange(this.#parts, { plan: this.#plan, runtime }, silent);
      exchange.failed.catch(() => life.kill());
      this.#swap = next => exchange.swap(next);
      runtime.watch();
    } catch {
      life.kill();
    }
  }

  #swap: (next: Plan) => Promise<void> = async () => {};

  /** What the process runs by. */
  get plan(): Plan {
    return this.#plan;
  }

  /** The process takes up what changed. @returns whether it could */
  async reloads(changed: Partial<Plan> = {}): Promise<boolean> {
    const next = { ...this.#plan, ...changed };
    this.#isReloading = true;
    // What a reload does itself is of the run that it begins.
    const isTaken = await running.run(newRun(this.#life), () =>
      this.#swap(next).then(
        () => true,
        () => false,
      ),
    );
    this.#isReloading = false;
    if (isTaken) this.#plan = next;
    return isTaken;
  }

  /** The process dies, and is started by what changed. */
  restarts(changed: Partial<Plan>): void {
    this.#plan = { ...this.#plan, ...changed };
    this.#life.kill();
  }

  /** What another process does over the same file. */
  apart<Result>(work: (store: Parts['store'], clock: Parts['clock']) => Promise<Result>): Promise<Result> {
    this.#isChanged = true;
    return running.run(undefined, () => work(this.#parts.store, this.#parts.clock));
  }

  get #lifeHere(): Life {
    return running.getStore()?.life ?? this.#life;
  }

  #newLife(): Life {
    const { scheduler } = this;
    const nature = { scheduler, random: () => 0.5, coverage: new Coverage(), faulty: false, delays: {} };
    return new Life(nature, () => scheduler.after(RESTART_MS, () => this.start()));
  }

  /** A run has begun. Its closer is the last one to be called. */
  #begins({ closers }: { readonly closers: AsyncDisposableStack }): void {
    const run = running.getStore() ?? newRun(this.#life);
    run.begun += 1;
    const { begun } = run;
    closers.defer(() => {
      this.scheduler.after(0, () => {
        if (run.begun === begun) run.isStopped = run.open === 0;
      });
    });
    running.enterWith(run);
  }

  /** Makes each statement of the file a call. */
  #gate(): void {
    const { exec, prepare } = this.#raw;
    this.file.exec = sql => this.#state(sql, () => exec(sql));
    this.file.prepare = (...args) => {
      const [sql] = args;
      const statement = prepare(...args);
      for (const way of ['run', 'get', 'all'] as const) {
        const made = statement[way].bind(statement) as (...values: never[]) => unknown;
        statement[way] = ((...values: never[]) => this.#state(sql, () => made(...values), values)) as never;
      }
      return statement;
    };
  }

  #state<Result>(sql: string, work: () => Result, values: readonly unknown[] = []): Result {
    const isPart = this.file.isTransaction && sql !== 'COMMIT';
    if (isPart || /^\s*(BEGIN|PRAGMA)/.test(sql)) return this.#living(work);
    const isRead = /^\s*(SELECT|WITH)/.test(sql);
    // Reads that repeat themselves until something is written are one call.
    const read = JSON.stringify([sql, values], (_, value) => (typeof value === 'number' ? 0 : value));
    if (isRead && this.#reads.has(read)) return this.#living(work);
    if (isRead) this.#reads.add(read);
    else this.#reads.clear();
    const result = this.#reach(sql, work);
    if (!isRead && running.getStore()) this.judge(this.#judge);
    return result;
  }

  /** Notes what is wrong. */
  judge(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.failure ??= error;
    }
  }

  #living<Result>(work: () => Result): Result {
    const run = running.getStore();
    if (run?.life.isDead) throw new Error('the process is dead');
    if (run?.isStopped)
      this.judge(() => {
        throw new Violation(11, 'a run goes on although it was stopped');
      });
    return work();
  }

  #reach<Result>(what: string, work: () => Result, isRequest = false): Result {
    const run = running.getStore();
    const living = () => this.#living(work);
    if (!run || run.life.isDead || !this.#strike) return living();
    const { mishap, nth, isInReload = false, meets } = this.#strike;
    if (isInReload && !this.#isReloading && !this.struck) return living();
    if (this.#isFailing(what, isRequest)) throw failing();
    const number = mishap !== 'answer lost' ? this.#calls++ : isRequest ? this.#requests++ : undefined;
    if (number !== nth) return living();
    this.struck = { at: this.scheduler.now, what: what.trim() };
    switch (mishap) {
      case 'killed after':
        living();
        return this.#kill(run.life);
      case 'killed before':
        return this.#kill(run.life);
      case 'an hour back in a restart':
        this.#offset -= HOUR_MS;
        return this.#kill(run.life);
      case 'fails, then an hour back':
        this.scheduler.after(REST_MS, () => {
          this.#offset -= HOUR_MS;
        });
        throw failing();
      case 'fails':
      case 'fails for long':
        throw failing();
      case 'answer lost':
        living();
        throw failing();
      case 'paused': {
        const result = living();
        void this.pauses();
        return result;
      }
      case 'reloaded':
        this.scheduler.after(0, () => void this.reloads());
        return living();
      case 'met':
        this.scheduler.after(0, () => running.run(undefined, () => meets?.()));
        return living();
      default: {
        const result = living();
        const set = () => {
          this.#offset += SET_BY[mishap.replace(' while it rests', '') as keyof typeof SET_BY];
        };
        if (mishap.endsWith(' while it rests')) this.scheduler.after(REST_MS, set);
        else set();
        return result;
      }
    }
  }

  /** Whether a disk that is full refuses this. */
  #isFailing(what: string, isRequest: boolean): boolean {
    const { struck } = this;
    const isWrite = !isRequest && !/^\s*(SELECT|WITH)/.test(what);
    return (
      isWrite &&
      this.#strike?.mishap === 'fails for long' &&
      struck !== undefined &&
      this.scheduler.now < struck.at + FAILING_MS
    );
  }

  #kill(life: Life): never {
    if (this.file.isTransaction) this.#raw.exec('ROLLBACK');
    life.kill();
    throw new Error('the process is dead');
  }

  #agent(): VirtualAgent {
    const receive = this.#receiving();
    const answers = new Map<string, Answer>();
    return new VirtualAgent(
      this.#lifeHere,
      () => 'endpoint.post',
      ({ body }) => {
        const answer = receive(WEBHOOK, body);
        answers.set(body, answer);
        return {
          status: answer.outcome === 'delivered' ? 200 : 500,
          headers: {},
          text: Buffer.from(''),
          late: answer.late,
        };
      },
      ({ body }) => answers.get(body)?.arrives(),
    );
  }

  /** The connections of the subscription. */
  #poster(): Poster {
    const receive = this.#receiving();
    const closed = Promise.withResolvers<never>();
    closed.promise.catch(silent);
    this.open += 1;
    const { starts } = this;
    return {
      post: async ({ body }) => {
        const work = () => receive(SUBSCRIPTION, body);
        try {
          const call = this.#lifeHere.call('endpoint.post', work, made => made());
          const { outcome, arrives } = await Promise.race([call, closed.promise]);
          arrives();
          return { outcome, reason: 'answered so' };
        } catch {
          return { outcome: 'failed', reason: 'ECONNRESET' };
        }
      },
      close: async () => {
        if (starts === this.starts) this.open -= 1;
        closed.reject(new Error('closed'));
      },
    };
  }

  /** Receives requests of the run that calls this. */
  #receiving(): (receiver: ReceiverName, body: string) => Answer {
    const run = running.getStore();
    return (receiver, body) => {
      const { id } = JSON.parse(body) as ChangeEvent;
      const receive = () => this.#receives(receiver, id);
      const answer = running.run(run, () => this.#reach(`POST ${receiver}`, receive, true));
      if (run) run.open += 1;
      const arrives = () => {
        answer.arrives();
        if (run) run.open -= 1;
      };
      return { ...answer, arrives };
    };
  }
}

const failing = () => Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR' });

/** A webhook, and a subscription that was confirmed in an earlier run. */
function planOf(directory: string, begins: (run: RunContext) => void): Plan {
  const subscription = { name: 'log', url: 'https://log.example/', raw: true };
  const identity = { subscriptionArn: 'arn:aws:sns:us-east-1:000000000000:changewire:log', token: 'token' };
  new SubscriptionMemory(directory).remember(subscription, identity);
  const address = { url: ADDRESS, origin: 'https://crm.example' };
  const webhook = { name: WEBHOOK, kind: 'webhook', ...address, secrets: [SECRET], headers: {} } as const;
  return {
    ...{ options: undefined as never, environment: {}, config: undefined, heartbeat: undefined },
    ...{ networks: [], data: directory },
    wanted: [{ ...webhook, isOption: false }],
    subscriptions: [{ ...subscription, label: 'log' }],
    receivers: [
      { label: 'log', kept: SUBSCRIPTION },
      { label: WEBHOOK, kept: WEBHOOK },
    ],
    open: async run => {
      begins(run);
      return { watched: [], description: '', simulated: false };
    },
  };
}
