import type { Clock } from '../../functions/clock.ts';
import type { Deliveries, PendingDelivery } from '../../functions/delivery/deliveries.ts';

/** How long a delivered one may stand in its row: several leave together, since each removal is a write to the disk. A
 *  kill in between sends them once more, with the same ids. */
const REMOVE_WITHIN_MS = 20;
const REMOVED_TOGETHER = 200;
/** Rows read at once: a lane holds no more events than these and those under way. */
const READ_AHEAD = 32;
/** Nobody sleeps longer, whatever the clock does in the meantime. */
const LONGEST_NAP_MS = 20_000;

/** The deliveries that wait for one endpoint, as its deliverer takes them: each is in one hand at a time. */
export class Lane {
  readonly endpoint: string;
  readonly #deliveries: Deliveries;
  readonly #clock: Clock;
  /** Read from their rows, and not yet taken. */
  #ahead: PendingDelivery[] = [];
  /** Read, and not yet settled. */
  readonly #inHand = new Set<number>();
  #reading: Promise<void> | undefined;
  /** The time as of which rows were last read: what became due later is not among them. */
  #readAt = 0;
  #delivered: number[] = [];
  #removing: NodeJS.Timeout | undefined;
  #failure: unknown;
  #signal = Promise.withResolvers<void>();

  constructor(deliveries: Deliveries, endpoint: string, clock: Clock) {
    this.#deliveries = deliveries;
    this.endpoint = endpoint;
    this.#clock = clock;
  }

  /** Something was added, settled or made due. */
  wake(): void {
    this.#signal.resolve();
    this.#signal = Promise.withResolvers();
  }

  /** What is due and in nobody's hand, at most `max`; waits until there is some. Empty when `signal` aborts.
   *  @throws what kept rows from being read or removed */
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

  /** It arrived. */
  delivered({ seq }: PendingDelivery): void {
    this.#delivered.push(seq);
    if (this.#delivered.length >= REMOVED_TOGETHER) void this.#remove();
    else this.#removing ??= setTimeout(() => void this.#remove(), REMOVE_WITHIN_MS);
  }

  /** Not now: it is tried again at `due`, by our clock. */
  async putOff({ seq }: PendingDelivery, due: number): Promise<void> {
    await this.#deliveries.putOff(this.endpoint, seq, { at: this.#clock(), due });
    this.#settle([seq]);
  }

  /** Never: it is a dead letter from now on. */
  async bury({ seq }: PendingDelivery, reason: string): Promise<void> {
    await this.#deliveries.bury(this.endpoint, seq, { at: this.#clock(), reason });
    this.#settle([seq]);
  }

  /** It was not tried after all: whoever asks next gets it. */
  giveBack({ seq }: PendingDelivery): void {
    this.#settle([seq]);
  }

  /** Resolves when everything published so far is delivered or dead; rejects with the reason when `signal` aborts. */
  async idle(signal: AbortSignal): Promise<void> {
    const asked = this.#clock();
    await this.#until(signal, async () => {
      const { oldest } = await this.#deliveries.standing(this.endpoint);
      return oldest === undefined || oldest > asked;
    });
  }

  /** Resolves when everything that is due has been tried. */
  async tried(signal: AbortSignal): Promise<void> {
    await this.#until(signal, async () => {
      const due = await this.#deliveries.due(this.endpoint, this.#clock(), 1);
      return due.length === 0;
    });
  }

  /** Resolves when what was delivered so far has left its rows. */
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
      this.#readAt = this.#clock();
      const found = await this.#deliveries.due(this.endpoint, this.#readAt, READ_AHEAD, [...this.#inHand]);
      for (const { seq } of found) this.#inHand.add(seq);
      this.#ahead.push(...found);
    } finally {
      this.#reading = undefined;
    }
  }

  async #remove(): Promise<void> {
    clearTimeout(this.#removing);
    this.#removing = undefined;
    const seqs = this.#delivered;
    if (seqs.length === 0) return;
    this.#delivered = [];
    try {
      await this.#deliveries.remove(this.endpoint, seqs);
      this.#settle(seqs);
    } catch (error) {
      // They stay in hand, so that they are not sent once more, and leave with the next.
      this.#delivered.push(...seqs);
      this.#failure = error;
    }
  }

  #settle(seqs: readonly number[]): void {
    for (const seq of seqs) this.#inHand.delete(seq);
    this.wake();
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  /** Until somebody wakes the lane, or the next delivery is due. */
  async #nap(woken: Promise<void>): Promise<void> {
    const next = (await this.#deliveries.nextDue(this.endpoint, this.#readAt)) ?? Number.POSITIVE_INFINITY;
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, Math.min(LONGEST_NAP_MS, Math.max(1, next - this.#clock())));
    await Promise.race([over.promise, woken]);
    clearTimeout(timer);
  }
}
