import type { Clock } from '../../functions/basics/clock.ts';
import type { PendingDelivery } from '../../functions/model/delivery.ts';
import type { Deliveries } from '../../functions/store/store.ts';

/** How long the row of a delivered event may stay, in ms: several are removed together, because each removal is a
 *  write to the disk. After a kill in between they are sent again, with the same ids. */
const REMOVE_WITHIN_MS = 20;
const MAX_REMOVED_TOGETHER = 200;
/** How long to wait after rows could not be removed, in ms. */
const RETRY_MS = 1_000;
/** Rows per read. */
const READ_AHEAD = 32;
/** The longest wait, in ms, in case the clock jumps. */
const MAX_NAP_MS = 20_000;
/** A clock that jumps back by at most this time, in ms, is only corrected. */
const MAX_CORRECTION_MS = 1_000;

/** The deliveries of a subscription, in rows. Each is given to one worker at a time. */
export class Backlog {
  readonly #name: string;
  readonly #deliveries: Deliveries;
  readonly #clock: Clock;
  /** Read, and not taken yet. */
  #ahead: PendingDelivery[] = [];
  /** Places of the deliveries that were read and whose result is not written yet. */
  readonly #inHand = new Set<string>();
  #reading: Promise<void> | undefined;
  /** When rows were last read. */
  #readAt = 0;
  #delivered: string[] = [];
  #removing: NodeJS.Timeout | undefined;
  #failure: unknown;
  #signal = Promise.withResolvers<void>();

  constructor(deliveries: Deliveries, name: string, clock: Clock) {
    this.#deliveries = deliveries;
    this.#name = name;
    this.#clock = clock;
  }

  /** Ends all waits, because a delivery was added, settled or made due. */
  wake(): void {
    this.#signal.resolve();
    this.#signal = Promise.withResolvers();
  }

  /** Takes the next due delivery, and waits for it if necessary. Undefined when `signal` aborts.
   *  @throws if rows could not be read or removed */
  async take(signal: AbortSignal): Promise<PendingDelivery | undefined> {
    const wake = () => this.wake();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        if (this.#ahead.length > 0) return this.#ahead.shift();
        const { promise: woken } = this.#signal;
        this.#reading ??= this.#readAhead().finally(() => {
          this.#reading = undefined;
        });
        await this.#reading;
        if (this.#ahead.length === 0) await this.#nap(woken);
      }
      return undefined;
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /** Removes the row of a successful delivery, soon and together with others. */
  delivered(place: string): void {
    this.#delivered.push(place);
    if (this.#delivered.length >= MAX_REMOVED_TOGETHER) void this.#remove();
    else this.#removing ??= setTimeout(() => void this.#remove(), REMOVE_WITHIN_MS);
  }

  /** Moves the next attempt to `due`. */
  async reschedule(place: string, due: number): Promise<void> {
    await this.#deliveries.reschedule(this.#name, place, { at: this.#clock(), due });
    this.#settle([place]);
  }

  /** Makes the delivery a dead letter. */
  async deadLetter(place: string, reason: string): Promise<void> {
    await this.#deliveries.deadLetter(this.#name, place, { at: this.#clock(), reason });
    this.#settle([place]);
  }

  /** Makes all deliveries due at once. */
  async bringForward(): Promise<void> {
    await this.#deliveries.bringForward(this.#name, this.#clock());
    this.wake();
  }

  /** Resolves when everything published so far is delivered or a dead letter; rejects when `signal` aborts. */
  async idle(signal: AbortSignal): Promise<void> {
    const asked = this.#clock();
    const wake = () => this.wake();
    signal.addEventListener('abort', wake);
    try {
      for (;;) {
        signal.throwIfAborted();
        const { promise: woken } = this.#signal;
        await this.flush();
        const { oldest } = await this.#deliveries.counts(this.#name);
        if (oldest === undefined || oldest > asked) return;
        await woken;
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /** Resolves when the rows of all successful deliveries so far are removed. */
  async flush(): Promise<void> {
    await this.#remove();
    // The caller gets the error. At the end of a run no timer may stay, or its process would not end.
    if (this.#failure !== undefined) {
      clearTimeout(this.#removing);
      this.#removing = undefined;
    }
    this.#throwFailure();
  }

  async #readAhead(): Promise<void> {
    this.#throwFailure();
    const now = this.#clock();
    // After the clock was set back, rows that were due by the old time are due now.
    if (now < this.#readAt - MAX_CORRECTION_MS) await this.#deliveries.bringForward(this.#name, now);
    this.#readAt = now;
    const found = await this.#deliveries.due(this.#name, now, READ_AHEAD, [...this.#inHand]);
    for (const { place } of found) this.#inHand.add(place);
    this.#ahead.push(...found);
  }

  async #remove(): Promise<void> {
    clearTimeout(this.#removing);
    this.#removing = undefined;
    const places = this.#delivered;
    if (places.length === 0) return;
    this.#delivered = [];
    try {
      await this.#deliveries.remove(this.#name, places);
      this.#settle(places);
    } catch (error) {
      // They still count as taken, so that they are not sent again, and are removed a moment later.
      this.#delivered.push(...places);
      this.#failure = error;
      this.#removing ??= setTimeout(() => void this.#remove(), RETRY_MS);
    }
  }

  #settle(places: readonly string[]): void {
    for (const place of places) this.#inHand.delete(place);
    this.wake();
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  /** Waits until the next delivery is due, or something changes. */
  async #nap(woken: Promise<void>): Promise<void> {
    const next = (await this.#deliveries.nextDue(this.#name, this.#readAt)) ?? Number.POSITIVE_INFINITY;
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, Math.min(MAX_NAP_MS, Math.max(1, next - this.#clock())));
    await Promise.race([over.promise, woken]);
    clearTimeout(timer);
  }
}
