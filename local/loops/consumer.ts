import { randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import { type Message, type Serve, soonAgain } from '../../functions/queue/queue.ts';
import type { SqliteQueue } from '../../functions/queue/sqlite.ts';

/** The part of a queue that a consumer uses. */
export type ConsumedQueue = Pick<
  SqliteQueue,
  'name' | 'listen' | 'receive' | 'extend' | 'delete' | 'nextAfter'
>;

export interface ConsumerOptions {
  readonly queue: ConsumedQueue;
  readonly serve: Serve;
  /** The maximum number of messages per run. */
  readonly batch: number;
  /** The maximum number of concurrent runs; by default unlimited. */
  readonly concurrency?: number;
  /** The same for a group. Further messages wait for its next run. */
  readonly perGroup?: number;
  /** The time limit of a run, in ms. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** The id of a run, by default a random UUID. */
  readonly newId?: () => string;
  /** Called when messages could not be received, served or deleted. They are received again. */
  readonly onFailure: (error: unknown) => void;
}

/** The longest wait, in ms, in case the clock jumps. */
const MAX_NAP_MS = 20_000;
/** Why a nap ends. Shared: a new error with its stack would cost more than the read. */
const WOKEN = new Error('woken');
/** How long to wait after the queue could not be read, in ms. */
const RETRY_MS = 1_000;
/** When a message whose runs keep failing is received again, in s. */
const LATER_S = 60;
/** How long a stop waits for current runs, in ms. Their unfinished messages stay in the queue. */
const STOP_TIMEOUT_MS = 1_000;

/** Serves a queue of this machine: receives messages as they come, passes them to the handler, and deletes those that
 *  the handler does not leave in the queue. */
export class Consumer {
  readonly #options: ConsumerOptions;
  /** The current runs, with their groups. */
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

  /** Reads the queue at once. */
  wake(): void {
    this.#isWoken = true;
    this.#nap.abort(WOKEN);
  }

  /** Resolves when the queue has nothing to receive now and all runs have ended; rejects if the consumer is stopped
   *  first. */
  async idle(): Promise<void> {
    this.#stopping.signal.throwIfAborted();
    const idle = Promise.withResolvers<void>();
    this.#idles.push(idle);
    this.wake();
    await idle.promise;
  }

  /** Receives nothing more. Resolves when the current runs have ended, or after a short timeout. */
  async stop(): Promise<void> {
    const reason = new Error(`The consumer of the queue ${this.#options.queue.name} was stopped.`);
    this.#stopping.abort(reason);
    for (const { reject } of this.#idles) reject(reason);
    this.wake();
    await this.#loop;
    const ended = new AbortController();
    const late = this.#options.sleep(STOP_TIMEOUT_MS, ended.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#runs.keys()), late]);
    ended.abort();
  }

  /** Resolves when the runs of a stopped consumer have ended, however long they take. */
  async ended(): Promise<void> {
    await Promise.all(this.#runs.keys());
  }

  async #receiveAll(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isWoken = false;
      // A run that ends during the read may make room for messages that this read did not return.
      const asked = this.#runs.size === 0 ? [...this.#idles] : [];
      const readAt = this.#options.clock();
      const messages = await this.#receive();
      if (messages === undefined) continue;
      if (messages.length > 0) {
        this.#begin(messages);
        continue;
      }
      this.#idles = this.#idles.filter(idle => !asked.includes(idle));
      for (const { resolve } of asked) resolve();
      if (!this.#isWoken) await this.#rest(readAt);
    }
  }

  /** The next messages; undefined after a failure: the queue must be read again. */
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
    const { queue, serve, timeout, clock, newId = randomUUID, onFailure } = this.#options;
    const until = clock() + timeout;
    // A stopped run begins no further attempt. It deletes the delivered messages once those under way have ended, if
    // the process lives that long.
    const remaining = () => (this.#stopping.signal.aborted ? 0 : until - clock());
    const context = { awsRequestId: newId(), getRemainingTimeInMillis: remaining };
    try {
      const again = new Set(await serve({ messages, queue }, context));
      await queue.delete(messages.filter(({ id }) => !again.has(id)));
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      onFailure(error);
      // Not awaited, so that it does not delay its group.
      for (const message of messages)
        queue.extend(message, soonAgain(message) ?? LATER_S).catch(() => undefined);
    }
  }

  /** Waits until the next message that was not visible at the last read becomes visible, or a wake-up. */
  async #rest(readAt: number): Promise<void> {
    const { queue, clock, sleep } = this.#options;
    this.#nap = new AbortController();
    const now = clock();
    // The clock may have been corrected since then.
    const next = Math.max(this.#nextAfter(queue, Math.min(readAt, now)), now);
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
