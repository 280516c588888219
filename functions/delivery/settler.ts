import type { Clock, Random } from '../basics/clock.ts';
import { type Count, type Log, tellEvents, type Values } from '../basics/telemetry.ts';
import type { Deliveries, EndpointRows } from '../store/store.ts';
import type { Failure } from './http/outcome.ts';
import type { RetryTiming } from './retries.ts';

/** What delivering works with: the stores of endpoints and deliveries, time and chance, log and metrics. */
export interface DeliveryPorts {
  readonly rows: EndpointRows;
  readonly deliveries: Deliveries;
  readonly timing: RetryTiming;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly count: Count;
}

/** Ends each delivery of a run in one of these ways. None rejects: if settling fails, the delivery stays
 *  where it was, and is tried again. */
export interface Settler {
  readonly tally: BatchTally;
  /** What is not settled yet. */
  readonly open: readonly Held[];
  delivered(held: readonly Held[]): Promise<void>;
  /** An attempt failed. Its age decides whether it is tried again or is dead. */
  failed(held: Held, failure: Failure): Promise<void>;
  /** Its endpoint gets nothing now: it waits in a row. */
  waits(held: Held): Promise<void>;
  /** It is given up. */
  dead(held: Held, failure: Failure): Promise<void>;
  /** The endpoint does not want it. */
  unwanted(held: Held): Promise<void>;
  /** The run's time is up: it stays as it was, and comes again at once. */
  untried(held: Held): Promise<void>;
}

/** A delivery that a run has in hand: from the queue, or from its row. */
export interface Held {
  /** Identifies it within the run: the id of its message, or the place of its row. */
  readonly id: string;
  /** The event's id; of a message that holds no event, the message's id. */
  readonly eventId: string;
  /** The event, byte for byte. */
  readonly body: string;
  /** Its place in the order of deliveries, in ms since 1970. */
  readonly at: number;
  /** When it was first tried, in ms since 1970; undefined if it was not. */
  readonly triedAt: number | undefined;
  /** Attempts that failed. */
  readonly attempts: number;
  /** True if it is sent once more, out of the journal. */
  readonly replay?: boolean | undefined;
}

/** What became of a delivery in its batch. `failed`: an attempt failed, and another follows. `waiting`: its
 *  endpoint gets nothing now. `untried`: the run's time was up. `unsettled`: what became of it could not be
 *  written, so that it is delivered again. */
type Fate = 'delivered' | 'failed' | 'waiting' | 'dead' | 'unwanted' | 'untried' | 'unsettled';

/** What became of the deliveries of one batch: one line of the log, and its part of the run's metrics. */
export class BatchTally {
  readonly #fates = new Map<string, { readonly fate: Fate; readonly eventId: string }>();
  readonly #lags: number[] = [];
  #attempts = 0;
  #failures = 0;

  /** Notes what became of deliveries. Of a delivery that is noted twice, the last fate counts. */
  note(fate: Fate, all: readonly Held[]): void {
    for (const { id, eventId } of all) this.#fates.set(id, { fate, eventId });
    if (fate === 'failed') this.#failures += all.length;
  }

  /** Counts one attempt, begun at `began` (ms since 1970). `isNew`: the deliveries came from the router.
   *  `FirstAttemptLag` is measured for these alone: what waited in rows did so because of its endpoint, and a
   *  replayed event is old. */
  tried(all: readonly Held[], began: number, isNew: boolean): void {
    this.#attempts += 1;
    if (!isNew) return;
    for (const { at, triedAt, replay } of all)
      if (triedAt === undefined && !replay) this.#lags.push(Math.max(0, began - at));
  }

  get values(): Values {
    return {
      Delivered: this.#of('delivered'),
      DeliveryFailed: this.#failures,
      DeliveriesDead: this.#of('dead'),
      FirstAttemptLag: this.#lags,
    };
  }

  /** Logs the batch. Where fates differ, `outcome` says how many deliveries had each, and the ids stand in
   *  the same order. */
  tell(log: Log, details: { readonly endpoint: string; readonly ms: number }): void {
    if (this.#fates.size === 0) return;
    const byFate = Map.groupBy(this.#fates.values(), ({ fate }) => fate);
    const outcome =
      byFate.size === 1
        ? [...byFate.keys()].join()
        : [...byFate].map(([fate, some]) => `${some.length} ${fate}`).join(', ');
    const ids = [...byFate.values()].flat().map(({ eventId }) => eventId);
    tellEvents(log, 'Delivery batch ended.', ids, { ...details, outcome, attempts: this.#attempts });
  }

  #of(wanted: Fate): number {
    return [...this.#fates.values()].filter(({ fate }) => fate === wanted).length;
  }
}
