import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Networks } from '../../functions/basics/networks.ts';
import type { Count, Log } from '../../functions/basics/telemetry.ts';
import { type BatchDependencies, isChat } from '../../functions/delivery/deliver-batch.ts';
import { freeSlots } from '../../functions/delivery/flood.ts';
import { afterSuccess, joined } from '../../functions/delivery/health.ts';
import { type Queues, sendBy, wakeBy } from '../../functions/delivery/queues.ts';
import { createRegistry, type Registry } from '../../functions/delivery/registry.ts';
import { type Sender, type SenderOptions, senderOf } from '../../functions/delivery/sender.ts';
import { createDeliver } from '../../functions/handlers/create-deliver.ts';
import { createRoute } from '../../functions/handlers/create-route.ts';
import type { EndpointSettings, LinkTemplates } from '../../functions/model/endpoint.ts';
import type { EndpointRow, Health } from '../../functions/model/endpoint-row.ts';
import { isPulled } from '../../functions/model/kinds.ts';
import type { SecretStore } from '../../functions/model/secret.ts';
import type { MoveToFailed } from '../../functions/queue/failed-messages.ts';
import type { Serve } from '../../functions/queue/queue.ts';
import type { SqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import type { EndpointRows, Slots } from '../../functions/store/store.ts';
import { throttled } from '../basics/outage.ts';
import { type LocalQueues, QUEUES } from '../data/store.ts';
import { type ConsumedQueue, Consumer, type ConsumerOptions } from './consumer.ts';
import { EndpointLog, type EndpointWarn } from './endpoint-log.ts';

interface Parts {
  /** The endpoints of the command line and of the configuration. */
  readonly configured: readonly EndpointSettings[];
  readonly endpoints: EndpointRows;
  readonly slots: Slots;
  readonly deliveries: SqliteDeliveries;
  readonly queues: LocalQueues;
  readonly secrets: SecretStore;
  readonly linkTemplates: LinkTemplates;
  /** The networks of the configuration. */
  readonly networks?: Networks;
  /** The proxy of the configuration. */
  readonly proxy?: string | undefined;
  /** By default over the network of this machine. */
  readonly openAgent?: SenderOptions['openAgent'];
  readonly moveToFailed: MoveToFailed;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly metrics: { readonly count: Count; readonly attempted: BatchDependencies['onAttempt'] };
  /** Writes a line about an endpoint. */
  readonly warn: EndpointWarn;
  readonly log: Log;
}

/** The time that one run may take, in ms, as on AWS. */
const DELIVER_MS = 180_000;
const ROUTE_MS = 60_000;
/** Longer than any attempt. */
const NEVER_SLOW_MS = 3_600_000;
/** An endpoint that has accepted every delivery for this time gets its backlog at the highest rate. */
const FULL_PACE_MS = 60_000;

/** Routes and delivers the events of a run with the same handlers as on AWS. */
export class Delivering {
  readonly registry: Registry;
  readonly wakes: Queues;
  readonly sender: Sender;
  readonly #parts: Parts;
  readonly #log: EndpointLog;
  readonly #consumers: readonly Consumer[];
  readonly #stopping = new AbortController();

  constructor(parts: Parts) {
    const {
      configured,
      endpoints,
      slots,
      deliveries,
      queues,
      secrets,
      linkTemplates,
      networks,
      proxy,
      openAgent,
      clock,
      sleep,
    } = parts;
    this.#parts = parts;
    this.#log = new EndpointLog(parts.warn, parts.log, clock);
    const { log } = this.#log;
    // Changes by another process take effect at once, because reading a row is cheap.
    this.registry = createRegistry(configured, endpoints, clock, log, 0);
    this.wakes = wakeBy(queues.drains);
    const sending = {
      ...{ secrets, linkTemplates, networks, proxy, openAgent, clock, random: Math.random },
      ...{ allowLoopback: true, keepsConnections: true },
      // A slow endpoint does not delay others here: each has its own runs.
      slowAfter: NEVER_SLOW_MS,
    };
    this.sender = senderOf(sending);
    const deliver = createDeliver({
      ...{ ...sending, registry: this.registry, rows: endpoints, deliveries, slots, log },
      queues: this.wakes,
      sleep: ms => sleep(ms, this.#stopping.signal),
      count: parts.metrics.count,
      onAttempt: parts.metrics.attempted,
      onDelivered: (endpoint, all) => this.#log.arrived(endpoint, all),
    });
    const { moveToFailed } = parts;
    const route = createRoute({ registry: this.registry, send: sendBy(queues), moveToFailed, log });
    const report = throttled(log.error, clock);
    const onFailure = (error: unknown) =>
      report('Could not process messages of a deliveries queue; will retry.', {
        ...{ code: 'deliveries.not-processed', error: String(error) },
      });
    this.#consumers = consumersOf(queues, { route, deliver }, { clock, sleep, onFailure });
  }

  /** Begins to serve the queues. */
  start(): void {
    for (const consumer of this.#consumers) consumer.start();
  }

  /** Reads all queues at once. */
  wake(): void {
    for (const consumer of this.#consumers) consumer.wake();
  }

  /** Resolves when every due delivery was attempted. */
  async tried(): Promise<void> {
    for (const consumer of this.#consumers) await consumer.idle();
  }

  /** Starts no further delivery. Resolves when running deliveries have ended, or after a short timeout. */
  async stop(): Promise<void> {
    this.#log.end();
    this.#stopping.abort();
    await Promise.all(this.#consumers.map(consumer => consumer.stop()));
  }

  /** Resolves when the deliveries that were running at the stop have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#consumers.map(consumer => consumer.ended()));
  }

  /** Makes the backlogs of all endpoints due at once, and drains them. With `isStart`, the endpoints' failures are
   *  reset. */
  async recover(isStart: boolean): Promise<void> {
    for (const { endpoint, row } of await this.registry.all()) await this.#recover(endpoint, row, isStart);
  }

  async #recover(endpoint: EndpointSettings, row: EndpointRow | undefined, isStart: boolean): Promise<void> {
    const { endpoints, deliveries, clock } = this.#parts;
    const { name } = endpoint;
    const now = clock();
    // Consumers keep their leases, and the delays that they asked for.
    if (isStart && isPulled(endpoint)) return;
    if (!isStart && isChat(endpoint)) await freeSlots(endpoint, this.#parts);
    await deliveries.bringForward(name, now);
    const waits = (await deliveries.due(name, now, 1)).length > 0;
    const changed = await endpoints.change(name, found => {
      const { name: _, health = {}, ...rest } = found ?? row ?? { name };
      const before = isStart ? restarted(health) : withoutHold(health);
      if (!waits) return { name, ...rest, health: before };
      const pace = isStart && !isAway(health) && { since: now - FULL_PACE_MS, until: now + FULL_PACE_MS };
      return { name, ...rest, health: joined({ ...before, ...(pace && { pace }) }, now, true) };
    });
    if (waits && changed && !changed.health.paused) await this.wakes.wake(endpoint, 0);
  }
}

/** The consumers of the queues between the topic and the endpoints. */
export function consumersOf(
  queues: Readonly<Record<'events' | 'deliveries' | 'chat' | 'drains', ConsumedQueue>>,
  { route, deliver }: Readonly<Record<'route' | 'deliver', Serve>>,
  common: Pick<ConsumerOptions, 'clock' | 'sleep' | 'newId' | 'onFailure'>,
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

/** The health of an endpoint at a start: failures, a stop and a `Retry-After` are reset; a pause by an operator
 *  stays. */
function restarted(health: Health): Health {
  const { stopped: _, draining: __, ...rest } = afterSuccess(health);
  return rest;
}

/** Whether the backlog grew because nothing could be sent. A backlog with another cause is sent at the highest rate. */
function isAway({ failing, stopped, paused }: Health): boolean {
  return failing !== undefined || stopped !== undefined || paused !== undefined;
}

/** After the clock was set back, `notBefore` would be too late. */
function withoutHold({ notBefore: _, ...health }: Health): Health {
  return health;
}
