import { assert } from '../basics/assert.ts';
import type { Clock, Random } from '../basics/clock.ts';
import { type Count, type Log, logEvents, type Values } from '../basics/telemetry.ts';
import type { Death, NewDelivery } from '../model/delivery.ts';
import { depthOf } from '../model/event-id.ts';
import type { Deliveries, EndpointRows } from '../store/store.ts';
import type { Failure } from './http/outcome.ts';
import { type RetryTiming, retryIn } from './retries.ts';

export interface DeliveryPorts {
  readonly rows: EndpointRows;
  readonly deliveries: Deliveries;
  readonly timing: RetryTiming;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly count: Count;
}

/** A delivery that a run works on: from the queue, or from its row. */
export interface Delivery extends NewDelivery {
  /** Identifies it within the run: the id of its message, or the place of its row. */
  readonly id: string;
}

/** The status of a delivery after its batch. `failed`: another attempt follows. `waiting`: its endpoint gets
 *  nothing now. `untried`: the run's time was up. `unsettled`: its status could not be saved, so it is delivered
 *  again. */
type DeliveryStatus = 'delivered' | 'failed' | 'waiting' | 'dead' | 'unwanted' | 'untried' | 'unsettled';

/** The endpoint's health, which counts the deliveries that are given up. */
interface LosingHealth {
  gaveUp(reason: string): Promise<void>;
}

/** Ends each delivery of a run in one of these ways. None rejects, except with an AssertionError: if its status
 *  can't be saved, the delivery stays where it was, and is tried again. */
export abstract class Settler {
  readonly tally = new BatchTally();
  protected readonly endpoint: string;
  protected readonly ports: DeliveryPorts;
  protected readonly startedAt: number;
  readonly #health: LosingHealth;
  readonly #open: Map<string, Delivery>;

  constructor(endpoint: string, health: LosingHealth, deliveries: readonly Delivery[], ports: DeliveryPorts) {
    this.endpoint = endpoint;
    this.#health = health;
    this.ports = ports;
    this.startedAt = ports.clock();
    const areOfEndpoint = deliveries.every(delivery => delivery.endpoint === endpoint);
    assert(areOfEndpoint, 'delivery.of-its-endpoint');
    this.#open = new Map(deliveries.map(delivery => [delivery.id, delivery]));
  }

  get open(): readonly Delivery[] {
    return [...this.#open.values()];
  }

  async delivered(all: readonly Delivery[]): Promise<void> {
    await this.#remove('delivered', all);
  }

  /** The endpoint's filter does not match. */
  async unwanted(delivery: Delivery): Promise<void> {
    await this.#remove('unwanted', [delivery]);
  }

  /** An attempt failed. Its age decides whether it is tried again or is dead. */
  async failed(delivery: Delivery, failure: Failure): Promise<void> {
    const { timing, random, log } = this.ports;
    const pause = retryIn(this.startedAt - (delivery.triedAt ?? this.startedAt), timing, random);
    if (pause === undefined) {
      this.tally.note('failed', [delivery]);
      return this.dead(delivery, failure);
    }
    const about = this.#detailsOf(delivery, failure);
    const details = { code: 'delivery.failed', ...about, seconds: pause / 1000 };
    log.warn('Delivery failed; will retry.', details);
    const due = this.startedAt + pause;
    assert(due > this.startedAt, 'delivery.retry-is-later');
    await this.#settle('failed', [delivery], () => this.retry(delivery, due));
  }

  /** Their endpoint gets nothing now: they go to the backlog. */
  async waits(all: readonly Delivery[]): Promise<void> {
    await this.#settle('waiting', all, () => this.wait(all));
  }

  /** They are sent later, together with others: they go to the backlog. */
  async gathers(all: readonly Delivery[]): Promise<void> {
    await this.#settle('waiting', all, () => this.gather(all));
  }

  async dead(delivery: Delivery, failure: Failure): Promise<void> {
    const death = { at: this.ports.clock(), reason: failure.reason };
    const isSaved = await this.#settle('dead', [delivery], async () => {
      // First: after a crash it is given up again, and counted twice rather than never.
      if (depthOf(delivery.eventId) === 0) await this.#health.gaveUp(failure.reason);
      await this.deadLetter(delivery, death);
    });
    if (!isSaved) return;
    const details = { code: 'delivery.dead-letter', ...this.#detailsOf(delivery, failure) };
    this.ports.log.error('Gave up on a delivery; moved it to the dead letters.', details);
  }

  /** The run's time is up: they stay as they were, and are tried again at once. */
  async untried(all: readonly Delivery[]): Promise<void> {
    await this.#settle('untried', all, () => this.leave(all, true));
  }

  /** Whether a delivery has a row, or may have one. */
  protected abstract hasRow(delivery: Delivery): boolean;
  /** Removes their rows. */
  protected abstract remove(all: readonly Delivery[]): Promise<void>;
  /** Notes an attempt that failed; the next is due at `due`. */
  protected abstract retry(delivery: Delivery, due: number): Promise<void>;
  /** Puts them into the backlog. */
  protected abstract wait(all: readonly Delivery[]): Promise<void>;
  /** The same for changes that are gathered; other new deliveries do not wait after them. */
  protected abstract gather(all: readonly Delivery[]): Promise<void>;
  protected abstract deadLetter(delivery: Delivery, death: Death): Promise<void>;
  /** Leaves deliveries where they were, because time was up or because their status could not be saved. Never
   *  rejects. */
  protected abstract leave(all: readonly Delivery[], isUntried: boolean): Promise<void>;

  async #remove(status: DeliveryStatus, all: readonly Delivery[]): Promise<void> {
    const stored = all.filter(delivery => this.hasRow(delivery));
    const remove = async () => (stored.length > 0 ? this.remove(stored) : undefined);
    await this.#settle(status, all, remove, stored);
  }

  /** @returns whether the status was saved; if not, those with a row, or about to get one, are left */
  async #settle(
    status: DeliveryStatus,
    all: readonly Delivery[],
    save: () => Promise<void>,
    stored = all,
  ): Promise<boolean> {
    for (const { id } of all) assert(this.#open.delete(id), 'delivery.settles-once');
    this.tally.note(status, all);
    try {
      await save();
      return true;
    } catch (error) {
      this.tally.note('unsettled', stored);
      this.ports.log.error('Could not save the status of deliveries; they will be retried.', {
        code: 'delivery.status-not-saved',
        endpoint: this.endpoint,
        events: stored.map(({ eventId }) => eventId),
        error: String(error),
      });
      await this.leave(stored, false);
      return false;
    }
  }

  #detailsOf({ eventId }: Delivery, failure: Failure) {
    return { endpoint: this.endpoint, eventId, ...failure };
  }
}

/** The statuses of one batch: a line of the log, and its part of the run's metrics. */
export class BatchTally {
  readonly #statuses = new Map<string, { readonly status: DeliveryStatus; readonly eventId: string }>();
  readonly #lags: number[] = [];
  #attempts = 0;
  #failures = 0;

  /** Notes the status of deliveries. Of a delivery that is noted twice, the last one counts. */
  note(status: DeliveryStatus, all: readonly Delivery[]): void {
    for (const { id, eventId } of all) this.#statuses.set(id, { status, eventId });
    if (status === 'failed') this.#failures += all.length;
  }

  /** Counts one attempt, begun at `began` (ms since 1970). `isNew`: the deliveries came from the router.
   *  `FirstAttemptLag` is measured only for these: a backlog waits because of its endpoint, and a replayed event
   *  is old. */
  tried(all: readonly Delivery[], began: number, isNew: boolean): void {
    this.#attempts += 1;
    if (!isNew) return;
    for (const { at, triedAt, replay } of all)
      if (triedAt === undefined && !replay) this.#lags.push(Math.max(0, began - at));
  }

  get values(): Values {
    return {
      Delivered: this.#countOf('delivered'),
      DeliveryFailed: this.#failures,
      DeliveriesDead: this.#countOf('dead'),
      FirstAttemptLag: this.#lags,
    };
  }

  /** Logs the batch. If statuses differ, `outcome` counts each, and the ids are in the same order. */
  report(log: Log, details: { readonly endpoint: string; readonly ms: number }): void {
    if (this.#statuses.size === 0) return;
    const byStatus = Map.groupBy(this.#statuses.values(), ({ status }) => status);
    const outcome =
      byStatus.size === 1
        ? [...byStatus.keys()].join()
        : [...byStatus].map(([status, some]) => `${some.length} ${status}`).join(', ');
    const ids = [...byStatus.values()].flat().map(({ eventId }) => eventId);
    logEvents(log, 'Delivery batch ended.', ids, {
      code: 'delivery.batch-ended',
      ...details,
      outcome,
      attempts: this.#attempts,
    });
  }

  #countOf(wanted: DeliveryStatus): number {
    return [...this.#statuses.values()].filter(({ status }) => status === wanted).length;
  }
}
