import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import { type BatchDependencies, deliverBatch } from '../../functions/delivery/deliver-batch.ts';
import { EndpointHealth } from '../../functions/delivery/endpoint-health.ts';
import { drained, opensAt } from '../../functions/delivery/health.ts';
import { STANDARD_TIMING } from '../../functions/delivery/retries.ts';
import { RowSettler } from '../../functions/delivery/row-settler.ts';
import type { Sender } from '../../functions/delivery/sender.ts';
import type { PendingDelivery } from '../../functions/model/delivery.ts';
import { type EndpointSettings, rateOf } from '../../functions/model/endpoint.ts';
import type { Waiting } from '../../functions/model/endpoint-row.ts';
import { wants } from '../../functions/model/filter.ts';
import { KINDS } from '../../functions/model/kinds.ts';
import type { Deliveries, EndpointRows, Slots } from '../../functions/store/store.ts';
import { Failures } from '../deliveries/failures.ts';
import { type Lane, MAX_CORRECTION_MS } from '../deliveries/lane.ts';
import type { LocalTopic } from '../deliveries/topic.ts';
import { laneDeliveries } from './lane-deliveries.ts';
import { endpointLog } from './log.ts';

export interface EndpointOptions {
  readonly endpoint: EndpointSettings;
  readonly topic: LocalTopic;
  readonly rows: EndpointRows;
  readonly deliveries: Deliveries;
  readonly slots: Slots;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** A line for people about this endpoint. */
  readonly say: (text: string) => void;
}

/** An endpoint that is served from its rows. */
export interface ServedEndpoint {
  /** Resolves when everything that is due has been tried; rejects when the endpoint is stopped. */
  tried(): Promise<void>;
  /** Looks again at once, because its row changed, or a delivery was added. */
  wake(): void;
  /** Starts no further delivery. Resolves when those under way have ended, or soon after. */
  stop(): Promise<void>;
}

/** Runs of the deliverer at once, and the deliveries that one takes at most. */
const RUNS = 2;
const BATCH = 10;
/** The time that one run may take, in ms, as on AWS. */
const TIME_LIMIT_MS = 120_000;
/** How long a stop waits for attempts under way, in ms. An attempt may take 15 s, and nothing is lost
 *  when it is cut off: its row stays. */
const STOP_WITHIN_MS = 1000;

/** Serves an endpoint. What an earlier run left is tried at once. */
export async function startEndpoint(options: EndpointOptions): Promise<ServedEndpoint> {
  const { endpoint, topic, clock, sleep, say } = options;
  const failures = new Failures(say, clock);
  const log = endpointLog(say, failures, clock);
  const { name, filter = {} } = endpoint;
  const lane = topic.open(name, (_, event) => event !== undefined && wants(filter, event));
  await topic.bringForward(name);
  const stopping = new AbortController();
  const { signal } = stopping;
  const serve = async (number: number): Promise<void> => {
    const run = new LaneRun(lane, { ...options, failures, log, isFirst: number === 0 }, signal);
    while (!signal.aborted) {
      try {
        await run.once();
      } catch (error) {
        if (signal.aborted) return;
        log.error('Its deliveries stand still', { error: String(error) });
        await sleep(1000, signal).catch(() => undefined);
      }
    }
  };
  const serving = Array.from({ length: RUNS }, (_, number) => serve(number));
  return {
    tried: () => lane.tried(signal),
    wake: () => lane.wake(),
    async stop() {
      failures.end();
      stopping.abort(new Error(`Endpoint ${name} is not served any more.`));
      await Promise.race([Promise.all(serving), wait(STOP_WITHIN_MS, undefined, { ref: false })]);
      await lane.flush();
    },
  };
}

type RunOptions = EndpointOptions & {
  readonly failures: Failures;
  readonly log: BatchDependencies['log'];
  /** Whether this is the first of the runs: while the endpoint fails, or what waited is sent, it works
   *  alone. */
  readonly isFirst: boolean;
};

/** Delivers what is due in a lane, as long as its endpoint may get something. */
class LaneRun {
  readonly #lane: Lane;
  readonly #options: RunOptions;
  readonly #signal: AbortSignal;
  readonly #deliveries: Deliveries;
  #batch: readonly PendingDelivery[] = [];
  /** Since when the endpoint has taken everything while what waited is sent, in ms since 1970; undefined:
   *  nothing waits, or something failed. */
  #takenSince: number | undefined;
  #lookedAt = 0;

  constructor(lane: Lane, options: RunOptions, signal: AbortSignal) {
    this.#lane = lane;
    this.#options = options;
    this.#signal = signal;
    this.#deliveries = laneDeliveries(options.deliveries, lane, places => this.#arrived(places));
  }

  async once(): Promise<void> {
    const { rows, endpoint, clock, isFirst } = this.#options;
    const { name } = endpoint;
    if (isFirst) await this.#forgetHolds(clock());
    const health = new EndpointHealth(name, await rows.read(name), this.#dependencies());
    const opens = opensAt(health.now, clock()) ?? Number.POSITIVE_INFINITY;
    const isClosed = opens > clock();
    this.#lane.hold(isClosed);
    const isAlone = isClosed || health.now.failing !== undefined || health.now.waiting !== undefined;
    if (isAlone && !isFirst) return this.#lane.rest(Number.POSITIVE_INFINITY);
    if (isClosed) return this.#wait(health, opens);
    if (health.now.waiting && !health.now.failures) this.#takenSince ??= clock();
    else this.#takenSince = undefined;
    if (health.now.waiting) return this.#drain(health, health.now.waiting);
    const batch = await this.#lane.take(health.now.failing ? 1 : BATCH, this.#signal);
    // Meanwhile the endpoint may have been paused, or begun to fail.
    if (batch.length > 0)
      await this.#deliver(batch, new EndpointHealth(name, await rows.read(name), this.#dependencies()));
  }

  /** Ends a hold where the clock was set back: it would last longer than it was meant to. */
  async #forgetHolds(now: number): Promise<void> {
    const { rows, endpoint } = this.#options;
    const wasSetBack = now < this.#lookedAt - MAX_CORRECTION_MS;
    this.#lookedAt = now;
    if (!wasSetBack) return;
    await rows.change(endpoint.name, row =>
      row?.health.notBefore === undefined
        ? undefined
        : { ...row, health: { ...row.health, notBefore: undefined } },
    );
  }

  /** Waits until the endpoint may get something. If deliveries are due while it fails, is paused or
   *  stopped, that is noted, so that they are later sent at the endpoint's rate; what only a
   *  `Retry-After` held back is sent without that. */
  async #wait(health: EndpointHealth, until: number): Promise<void> {
    const { failing, paused, stopped, waiting } = health.now;
    const isAway = failing ?? paused ?? stopped;
    if (isAway && !waiting && (await this.#lane.hasDue())) await health.joined(this.#options.clock(), true);
    await this.#lane.rest(until);
  }

  async #drain(health: EndpointHealth, { added }: Waiting): Promise<void> {
    const { rows, endpoint, clock, sleep } = this.#options;
    if (!(await this.#lane.hasDue())) {
      await rows.change(endpoint.name, row => {
        const rest = row && drained(row.health, added, undefined);
        return rest && { ...row, health: rest };
      });
      return;
    }
    const began = clock();
    const rate = rateOf(endpoint, began - (this.#takenSince ?? began));
    const batch = await this.#lane.take(health.now.failing ? 1 : rate, this.#signal);
    await this.#deliver(batch, health);
    // The pause is for as many as were taken: at a high rate a lane gives fewer than a second's worth at
    // once. It is made even when these were all, because more may be added meanwhile.
    const pause = (batch.length * 1000) / rate;
    if (KINDS[endpoint.kind].queue !== 'chat')
      await sleep(Math.max(0, Math.min(pause, began + pause - clock())), this.#signal);
  }

  async #deliver(batch: readonly PendingDelivery[], health: EndpointHealth): Promise<void> {
    const { endpoint } = this.#options;
    this.#batch = batch;
    try {
      const settler = new RowSettler(endpoint.name, batch, this.#dependencies());
      await deliverBatch({ endpoint, health, settler, isNew: false }, this.#dependencies());
    } finally {
      this.#lane.giveBack(batch.map(({ place }) => place));
    }
  }

  #arrived(places: readonly string[]): void {
    for (const place of places) {
      const delivery = this.#batch.find(one => one.place === place);
      this.#options.failures.arrived((delivery?.attempts ?? 0) > 0);
    }
  }

  #dependencies(): BatchDependencies {
    const { sender, rows, slots, clock, sleep, log } = this.#options;
    const until = clock() + TIME_LIMIT_MS;
    return {
      ...sender,
      ...{ rows, slots, clock, sleep, log },
      deliveries: this.#deliveries,
      timing: STANDARD_TIMING,
      random: Math.random,
      remaining: () => until - clock(),
      count: () => undefined,
    };
  }
}
