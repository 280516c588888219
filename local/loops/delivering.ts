import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Log } from '../../functions/basics/telemetry.ts';
import { afterSuccess, joined } from '../../functions/delivery/health.ts';
import { type Queues, sendBy, wakeBy } from '../../functions/delivery/queues.ts';
import { createRegistry, type Registry } from '../../functions/delivery/registry.ts';
import { type Sender, senderOf } from '../../functions/delivery/sender.ts';
import { createDeliver } from '../../functions/handlers/create-deliver.ts';
import { createRoute } from '../../functions/handlers/create-route.ts';
import type { EndpointSettings, LinkTemplates } from '../../functions/model/endpoint.ts';
import type { EndpointRow, Health } from '../../functions/model/endpoint-row.ts';
import type { SecretStore } from '../../functions/model/secret.ts';
import type { MoveToFailed } from '../../functions/queue/failed-messages.ts';
import type { Serve } from '../../functions/queue/queue.ts';
import type { SqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import type { EndpointRows, Slots } from '../../functions/store/store.ts';
import { throttled } from '../basics/outage.ts';
import { type LocalQueues, QUEUES } from '../data/store.ts';
import { type ConsumedQueue, Consumer, type ConsumerOptions, type RunContext } from './consumer.ts';
import { EndpointLog } from './endpoint-log.ts';

interface Parts {
  /** The endpoints of the command line and of the configuration. */
  readonly configured: readonly EndpointSettings[];
  readonly endpoints: EndpointRows;
  readonly slots: Slots;
  readonly deliveries: SqliteDeliveries;
  readonly queues: LocalQueues;
  readonly secrets: SecretStore;
  readonly linkTemplates: LinkTemplates;
  readonly moveToFailed: MoveToFailed;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** A line for people about an endpoint. */
  readonly say: (endpoint: string, text: string) => void;
  readonly log: Log;
}

/** The time that one run may take, in ms, as on AWS. */
const DELIVER_MS = 180_000;
const ROUTE_MS = 60_000;
/** Longer than any attempt takes. */
const NEVER_SLOW_MS = 3_600_000;
/** An endpoint that has accepted everything for this time gets its backlog at the highest rate. */
const FULL_PACE_MS = 60_000;

/** Deliveries of a run: routed and delivered by the same handlers as on AWS. */
export class Delivering {
  readonly registry: Registry;
  readonly wakes: Queues;
  readonly sender: Sender;
  readonly #parts: Parts;
  readonly #log: EndpointLog;
  readonly #consumers: readonly Consumer[];
  readonly #stopping = new AbortController();

  constructor(parts: Parts) {
    const { configured, endpoints, slots, deliveries, queues, secrets, linkTemplates, clock, sleep } = parts;
    this.#parts = parts;
    this.#log = new EndpointLog(parts.say, parts.log, clock);
    const { log } = this.#log;
    // What another process changes counts at once, because a row costs nothing to read.
    this.registry = createRegistry(configured, endpoints, clock, log, 0);
    this.wakes = wakeBy(queues.drains);
    const sending = {
      ...{ secrets, linkTemplates, clock, random: Math.random, allowLoopback: true, keepsConnections: true },
      // A slow endpoint delays no other here: each has runs of its own.
      slowAfter: NEVER_SLOW_MS,
    };
    this.sender = senderOf(sending);
    const deliver = createDeliver({
      ...{ ...sending, registry: this.registry, rows: endpoints, deliveries, slots, log },
      queues: this.wakes,
      sleep: ms => sleep(ms, this.#stopping.signal),
      count: () => undefined,
      onDelivered: (endpoint, all) => this.#log.arrived(endpoint, all),
    });
    const { moveToFailed } = parts;
    const route = createRoute({ registry: this.registry, send: sendBy(queues), moveToFailed, log });
    const report = throttled(log.error, clock);
    const onFailure = (error: unknown) =>
      report('Messages could not be received; it is tried again.', { error: String(error) });
    this.#consumers = consumersOf(queues, { route, deliver }, { clock, sleep, onFailure });
  }

  /** Begins to serve the queues. */
  start(): void {
    for (const consumer of this.#consumers) consumer.start();
  }

  /** Looks at all queues at once. */
  wake(): void {
    for (const consumer of this.#consumers) consumer.wake();
  }

  /** Resolves when everything that is due was tried. */
  async tried(): Promise<void> {
    for (const consumer of this.#consumers) await consumer.idle();
  }

  /** Starts no further delivery. Resolves when those under way have ended, or soon after. */
  async stop(): Promise<void> {
    this.#log.end();
    this.#stopping.abort();
    await Promise.all(this.#consumers.map(consumer => consumer.stop()));
  }

  /** Makes what waits for endpoints due at once, and has it sent. With `isStart`, their failures are forgotten. */
  async recover(isStart: boolean): Promise<void> {
    for (const { endpoint, row } of await this.registry.all()) await this.#recover(endpoint, row, isStart);
  }

  async #recover(endpoint: EndpointSettings, row: EndpointRow | undefined, isStart: boolean): Promise<void> {
    const { endpoints, deliveries, clock } = this.#parts;
    const { name } = endpoint;
    const now = clock();
    await deliveries.bringForward(name, now);
    const waits = (await deliveries.due(name, now, 1)).length > 0;
    const changed = await endpoints.change(name, found => {
      const { name: _, health = {}, ...rest } = found ?? row ?? { name };
      const before = isStart ? restarted(health) : unheld(health);
      if (!waits) return { name, ...rest, health: before };
      const pace = isStart && !isAway(health) && { since: now - FULL_PACE_MS, until: now + FULL_PACE_MS };
      return { name, ...rest, health: joined({ ...before, ...(pace && { pace }) }, now, true) };
    });
    if (waits && changed && !changed.health.paused) await this.wakes.wake(endpoint, 0);
  }
}

/** The consumers of the queues that bring events to endpoints. */
export function consumersOf(
  queues: Readonly<Record<'events' | 'deliveries' | 'chat' | 'drains', ConsumedQueue>>,
  { route, deliver }: Readonly<Record<'route' | 'deliver', Serve<RunContext>>>,
  common: Pick<ConsumerOptions, 'clock' | 'sleep' | 'onFailure'>,
): Consumer[] {
  return [
    // One run at a time, so that events keep their order.
    new Consumer({
      ...{ ...common, ...QUEUES.events, queue: queues.events, serve: route },
      ...{ concurrency: 1, timeout: ROUTE_MS },
    }),
    ...(['deliveries', 'chat', 'drains'] as const).map(
      name =>
        new Consumer({
          ...{ ...common, ...QUEUES[name], queue: queues[name], serve: deliver, timeout: DELIVER_MS },
        }),
    ),
  ];
}

/** The health of an endpoint at a start: failures, a stop and a `Retry-After` are forgotten, but not that
 *  an operator paused it. */
function restarted(health: Health): Health {
  const { stopped: _, draining: __, ...rest } = afterSuccess(health);
  return rest;
}

/** Whether deliveries waited because nothing was to be sent. What waited for another reason is sent at the highest rate. */
function isAway({ failing, stopped, paused }: Health): boolean {
  return failing !== undefined || stopped !== undefined || paused !== undefined;
}

/** Where the clock was set back, a hold would last longer than it was meant to. */
function unheld({ notBefore: _, ...health }: Health): Health {
  return health;
}
