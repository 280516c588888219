import type { Clock } from '../../functions/basics/clock.ts';
import type { PendingDelivery } from '../../functions/model/delivery.ts';
import type { Deliveries } from '../../functions/store/store.ts';

/** How long the row of a delivered event may stay: several are removed together, since each removal is a
 *  write to the disk. After a kill in between they are sent once more, with the same ids. */
const REMOVE_WITHIN_MS = 20;
const REMOVED_TOGETHER = 200;
/** Rows read at once: a lane holds no more than these and those that are being sent. */
const READ_AHEAD = 32;
/** The longest wait, in ms, in case the clock jumps meanwhile. */
const LONGEST_NAP_MS = 20_000;
/** A clock that goes back by no more, in ms, is only corrected. */
export const MAX_CORRECTION_MS = 1_000;

/** The deliveries that wait for one endpoint. Each is handed to one taker at a time. */
export class Lane {
  readonly endpoint: string;
  readonly #deliveries: Deliveries;
  readonly #clock: Clock;
  /** Read from their rows, and not handed out yet. */
  #ahead: PendingDelivery[] = [];
  /** Places of the deliveries that were read, and of which it is not yet written down what became of
   *  them. */
  readonly #inHand = new Set<string>();
  #reading: Promise<void> | undefined;
  /** The time at which rows were last read: deliveries that became due later are not among them. */
  #readAt = 0;
  #delivered: string[] = [];
  #isHeld = false;
  #removing: NodeJS.Timeout | undefined;
  #failure: unknown;
  #signal = Promise.withResolvers<void>();

  constructor(deliveries: Deliveries, endpoint: string, clock: Clock) {
    this.#deliveries = deliveries;
    this.endpoint = endpoint;
    this.#clock = clock;
  }

  /** Ends all waits, because something was added, settled or made due. */
  wake(): void {
    this.#signal.resolve();
    this.#signal = Promise.withResolvers();
  }

  /** Something was published: what was read ahead of a replay goes back, because live deliveries come first. */
  added(): void {
    for (const { place, replay } of this.#ahead) if (replay) this.#inHand.delete(place);
    this.#ahead = this.#ahead.filter(({ replay }) => !replay);
    this.wake();
  }

  /** Takes at most `max` deliveries that are due and that nobody else took; waits until there is one.
   *  Empty when `signal` aborts.
   *  @throws the error that kept rows from being read or removed */
  async take(max: number, signal: AbortSignal): Promise<PendingDelivery[]> {
    const wake = () => this.wake();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        if (this.#ahead.length > 0) return this.#ahead.splice(0, max);
        const { promise: woken } = this.#signal;
        this.#reading ??= this.#readAhead();
        await this.#reading;
        if (this.#ahead.length === 0) await this.#nap(woken);
      }
      return [];
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /** Has the rows of deliveries that arrived removed, soon and together. */
  delivered(places: readonly string[]): void {
    this.#delivered.push(...places);
    if (this.#delivered.length >= REMOVED_TOGETHER) void this.#remove();
    else this.#removing ??= setTimeout(() => void this.#remove(), REMOVE_WITHIN_MS);
  }

  /** Writes down that the delivery is tried again at `due`, by our clock. */
  async putOff(place: string, due: number): Promise<void> {
    await this.#deliveries.putOff(this.endpoint, place, { at: this.#clock(), due });
    this.#settle([place]);
  }

  /** Makes the delivery a dead letter. */
  async bury(place: string, reason: string): Promise<void> {
    await this.#deliveries.bury(this.endpoint, place, { at: this.#clock(), reason });
    this.#settle([place]);
  }

  /** Gives deliveries back that were not tried after all, or whose outcome could not be written down:
   *  they can be taken again. */
  giveBack(places: readonly string[]): void {
    const delivered = new Set(this.#delivered);
    this.#settle(places.filter(place => this.#inHand.has(place) && !delivered.has(place)));
  }

  /** Whether a delivery is due that nobody took. */
  async hasDue(): Promise<boolean> {
    if (this.#ahead.length > 0) return true;
    const due = await this.#deliveries.due(this.endpoint, this.#clock(), 1, [...this.#inHand]);
    return due.length > 0;
  }

  /** Resolves at `until`, by our clock, or when somebody wakes the lane. */
  async rest(until: number): Promise<void> {
    const { promise: woken } = this.#signal;
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, Math.min(LONGEST_NAP_MS, Math.max(1, until - this.#clock())));
    await Promise.race([over.promise, woken]);
    clearTimeout(timer);
  }

  /** Resolves when everything published so far is delivered or dead; rejects with the reason when `signal` aborts. */
  async idle(signal: AbortSignal): Promise<void> {
    const asked = this.#clock();
    await this.#until(signal, async () => {
      const { oldest } = await this.#deliveries.standing(this.endpoint);
      return oldest === undefined || oldest > asked;
    });
  }

  /** Says whether deliveries are held back for the time being, though they may be due: then `tried`
   *  doesn't wait for them. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    this.wake();
  }

  /** Resolves when everything that is due has been tried, or deliveries are held back. */
  async tried(signal: AbortSignal): Promise<void> {
    await this.#until(signal, async () => {
      if (this.#isHeld) return true;
      const due = await this.#deliveries.due(this.endpoint, this.#clock(), 1);
      return due.length === 0;
    });
  }

  /** Resolves when the rows of what was delivered so far are removed. */
  async flush(): Promise<void> {
    await this.#remove();
    this.#throwFailure();
  }

  async #until(signal: AbortSignal, isSo: () => Promise<boolean>): Promise<void> {
    const wake = () => this.wake();
    signal.addEventListener('abort', wake);
    try {
      for (;;) {
        signal.throwIfAborted();
        const { promise: woken } = this.#signal;
        await this.flush();
        if (await isSo()) return;
        await woken;
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  async #readAhead(): Promise<void> {
    try {
      this.#throwFailure();
      await this.#takeTime();
      const found = await this.#deliveries.due(this.endpoint, this.#readAt, READ_AHEAD, [...this.#inHand]);
      for (const { place } of found) this.#inHand.add(place);
      this.#ahead.push(...found);
    } finally {
      this.#reading = undefined;
    }
  }

  /** Sets when rows are read. Where the clock was set back, what is due by the old time is due now. */
  async #takeTime(): Promise<void> {
    const now = this.#clock();
    if (now < this.#readAt - MAX_CORRECTION_MS) await this.#deliveries.bringForward(this.endpoint, now);
    this.#readAt = now;
  }

  async #remove(): Promise<void> {
    clearTimeout(this.#removing);
    this.#removing = undefined;
    const places = this.#delivered;
    if (places.length === 0) return;
    this.#delivered = [];
    try {
      await this.#deliveries.remove(this.endpoint, places);
      this.#settle(places);
    } catch (error) {
      // They still count as taken, so that they are not sent again, and are removed with the next ones.
      this.#delivered.push(...places);
      this.#failure = error;
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

  /** Waits until somebody wakes the lane, or the next delivery is due. */
  async #nap(woken: Promise<void>): Promise<void> {
    const next = (await this.#deliveries.nextDue(this.endpoint, this.#readAt)) ?? Number.POSITIVE_INFINITY;
    await Promise.race([this.rest(next), woken]);
  }
}
