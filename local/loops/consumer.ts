import { randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import { type Message, type Serve, soonAgain } from '../../functions/queue/queue.ts';
import type { SqliteQueue } from '../../functions/queue/sqlite.ts';

/** What a handler gets of a run, as from Lambda. */
export interface RunContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** What a consumer does with its queue. */
export type ConsumedQueue = Pick<
  SqliteQueue,
  'name' | 'listen' | 'receive' | 'extend' | 'delete' | 'nextAfter'
>;

export interface ConsumerOptions {
  readonly queue: ConsumedQueue;
  readonly serve: Serve<RunContext>;
  /** Messages of one run, at most. */
  readonly batch: number;
  /** Runs at once, at most; by default any number. */
  readonly concurrency?: number;
  /** The same of one group. Further messages wait, and the next run gets them at once. */
  readonly perGroup?: number;
  /** The time that one run may take, in ms. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Called when messages could not be received, served or deleted. They are received again. */
  readonly onFailure: (error: unknown) => void;
}

/** The longest wait, in ms, in case the clock jumps. */
const MAX_NAP_MS = 20_000;
/** Why a nap ends. One for all: an error of its own, with its stack, would cost more than the look. */
const WOKEN = new Error('woken');
/** How long to wait after the queue could not be read, in ms. */
const RETRY_MS = 1_000;
/** When a message is received again whose runs fail all the time, in s. */
const LATER_S = 60;
/** How long a stop waits for runs under way, in ms. What they have in hand stays in the queue. */
const STOP_WITHIN_MS = 1_000;

/** Serves a queue of this machine: receives messages as soon as there are some, gives them to the handler, and deletes those that it does
 *  not leave in the queue. */
export class Consumer {
  readonly #options: ConsumerOptions;
  /** The runs under way, with their groups. */
  readonly #runs = new Map<Promise<void>, string>();
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #nap = new AbortController();
  #isWoken = false;
  #idles: PromiseWithResolvers<void>[] = [];

  constructor(options: ConsumerOptions) {
    this.#options = options;
    options.queue.listen(() => this.wake());
  }

  start(): void {
    this.#loop ??= this.#receiveAll();
  }

  /** Looks at the queue at once. */
  wake(): void {
    this.#isWoken = true;
    this.#nap.abort(WOKEN);
  }

  /** Resolves when there is nothing that could be received now, and no run is under way; rejects when it is stopped before that. */
  async idle(): Promise<void> {
    this.#stopping.signal.throwIfAborted();
    const idle = Promise.withResolvers<void>();
    this.#idles.push(idle);
    this.wake();
    await idle.promise;
  }

  /** Receives nothing more. Resolves when the runs under way have ended, or soon after. */
  async stop(): Promise<void> {
    const reason = new Error(`The queue ${this.#options.queue.name} is not served any more.`);
    this.#stopping.abort(reason);
    for (const { reject } of this.#idles) reject(reason);
    this.wake();
    await this.#loop;
    const ended = new AbortController();
    const late = this.#options.sleep(STOP_WITHIN_MS, ended.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#runs.keys()), late]);
    ended.abort();
  }

  async #receiveAll(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isWoken = false;
      // What ends during the look may leave room for messages that the look did not give.
      const asked = this.#runs.size === 0 ? [...this.#idles] : [];
      const lookedAt = this.#options.clock();
      const messages = await this.#receive();
      if (messages === undefined) continue;
      if (messages.length > 0) {
        this.#begin(messages);
        continue;
      }
      this.#idles = this.#idles.filter(idle => !asked.includes(idle));
      for (const { resolve } of asked) resolve();
      if (!this.#isWoken) await this.#rest(lookedAt);
    }
  }

  /** What is to be served next; undefined after a failure, when the queue is to be looked at again. */
  async #receive(): Promise<readonly Message[] | undefined> {
    const { queue, batch, sleep, onFailure } = this.#options;
    const { concurrency = Number.POSITIVE_INFINITY, perGroup = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#runs.size >= concurrency) return [];
    try {
      return await queue.receive(batch, group => this.#runsOf(group) >= perGroup);
    } catch (error) {
      if (this.#stopping.signal.aborted) return undefined;
      onFailure(error);
      await sleep(RETRY_MS, this.#stopping.signal).catch(() => undefined);
      return undefined;
    }
  }

  #begin(messages: readonly Message[]): void {
    const run = this.#serve(messages).finally(() => {
      this.#runs.delete(run);
      this.wake();
    });
    this.#runs.set(run, messages[0]?.group ?? '');
  }

  #runsOf(group: string): number {
    return [...this.#runs.values()].filter(other => other === group).length;
  }

  async #serve(messages: readonly Message[]): Promise<void> {
    const { queue, serve, timeout, clock, onFailure } = this.#options;
    const until = clock() + timeout;
    // A run that is stopped begins no further attempt, and ends soon enough to delete what has arrived.
    const remaining = () => (this.#stopping.signal.aborted ? 0 : until - clock());
    const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: remaining };
    try {
      const again = new Set(await serve({ messages, queue }, context));
      await queue.delete(messages.filter(({ id }) => !again.has(id)));
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      onFailure(error);
      // Not awaited: its group must not wait for that.
      for (const message of messages)
        queue.extend(message, soonAgain(message) ?? LATER_S).catch(() => undefined);
    }
  }

  /** Waits until the next message is shown that was not yet shown at the last look, or something happens. */
  async #rest(lookedAt: number): Promise<void> {
    const { queue, clock, sleep } = this.#options;
    this.#nap = new AbortController();
    const now = clock();
    const next = Math.max(this.#nextAfter(queue, lookedAt), now);
    await sleep(Math.min(next - now, MAX_NAP_MS), this.#nap.signal).catch(() => undefined);
  }

  #nextAfter(queue: ConsumedQueue, now: number): number {
    try {
      return queue.nextAfter(now) ?? Number.POSITIVE_INFINITY;
    } catch {
      return now + RETRY_MS;
    }
  }
}
