import { inParallel } from '../basics/in-parallel.ts';
import type { PendingDelivery } from '../model/delivery.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import type { SentEvent } from '../model/event.ts';
import { wants } from '../model/filter.ts';
import type { Slots } from '../store/store.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { type Job, type Jobs, type Summary, unrenderableFor } from './kinds.ts';
import { readEvent } from './read-event.ts';
import type { Delivery, DeliveryPorts, Settler } from './settler.ts';

/** How long the oldest delivery of a flood waits, so that one message has those that follow. */
export const GATHER_MS = 30_000;
/** After this number of messages in a row further ones wait as those of a flood do. One more is allowed after each
 *  interval. */
const MAX_BURST = 20;
const BURST_INTERVAL_MS = 30_000;
/** The longest reading of a backlog for one message. */
export const MAX_READ_MS = 8_000;
/** For one message: its rows must be removed before another run may drain the backlog. The bytes of their events also
 *  bound the cost of that. */
const MAX_ROWS = 20_000;
const MAX_BYTES = 64_000_000;
const PAGE_ROWS = 50;
/** The number of deliveries that are sent alone, from which a flood is recognised. */
export const MAX_ALONE = 51;
const CONCURRENCY = 10;

/** The slots of a second name: how far they are booked ahead is the number of messages. */
const burstOf = (name: string) => `${name}#burst`;

/** Counts messages to a chat. @returns whether further ones must wait */
export async function isBursting(
  { name }: Pick<EndpointSettings, 'name'>,
  { slots, clock }: { readonly slots: Slots } & Pick<DeliveryPorts, 'clock'>,
): Promise<boolean> {
  const ahead = (MAX_BURST - 1) * BURST_INTERVAL_MS;
  return (await slots.reserveSlot(burstOf(name), BURST_INTERVAL_MS, clock(), ahead)) === undefined;
}

/** Frees the slots of a chat that were booked before the clock was set back: seen from 1970 they lie too far ahead to
 *  count, and the next one is in the past. */
export async function freeSlots(
  { name }: Pick<EndpointSettings, 'name'>,
  { slots }: { readonly slots: Slots },
): Promise<void> {
  for (const each of [name, burstOf(name)]) await slots.reserveSlot(each, 0, 0, 0);
}

/** The due deliveries of a backlog that are sent together, without their bodies, and the requests that sum up their
 *  events. */
export interface Gathered {
  readonly rows: readonly PendingDelivery[];
  readonly jobsOf: (settler: Settler, health: Pick<EndpointHealth, 'windowSent'>) => Promise<Jobs>;
  /** Others that are sent by themselves; the first MAX_ALONE. */
  readonly alone: readonly PendingDelivery[];
  /** Whether some are neither. */
  readonly hasLater: boolean;
}

interface GatherOptions {
  readonly summary: Summary;
  /** Whether they are what a window gathered. */
  readonly isWindow?: boolean;
  /** What becomes of a due delivery; by default it is summed up. */
  readonly sort?: ((row: PendingDelivery, event: SentEvent) => 'summed up' | 'alone' | 'later') | undefined;
  /** Also those that are due later. */
  readonly isAll?: boolean;
}

/** Reads the backlog of a chat page by page. Only one page of events is in memory. */
export async function gather(
  { name, filter = {} }: EndpointSettings,
  { summary, isWindow = false, isAll = false, sort = () => 'summed up' }: GatherOptions,
  { deliveries, clock }: Pick<DeliveryPorts, 'deliveries' | 'clock'>,
): Promise<Gathered> {
  const began = clock();
  const rows: PendingDelivery[] = [];
  const alone: PendingDelivery[] = [];
  const summedUp: Job['deliveries'][number][] = [];
  const unwanted: Delivery[] = [];
  const unrenderable: { delivery: Delivery; reason: string }[] = [];
  let bytes = 0;
  let hasLater = false;
  let page: readonly PendingDelivery[] = [];
  let isWhole = false;
  do {
    page = await deliveries.pending(name, PAGE_ROWS, page.at(-1));
    isWhole = page.length < PAGE_ROWS;
    for (const row of page.filter(({ due }) => isAll || due <= began)) add(row);
  } while (
    !isWhole &&
    alone.length < MAX_ALONE &&
    rows.length <= MAX_ROWS - PAGE_ROWS &&
    bytes < MAX_BYTES &&
    clock() - began < MAX_READ_MS
  );
  return { rows, jobsOf, alone: alone.slice(0, MAX_ALONE), hasLater };

  function add(row: PendingDelivery): void {
    const read = readEvent(row.body);
    const isMalformed = 'malformed' in read;
    // A replay or resend was already filtered when it was requested.
    const isUnwanted = !isMalformed && !row.replay && !wants(filter, read.event);
    const becomes = isMalformed || isUnwanted ? 'summed up' : sort(row, read.event);
    if (becomes === 'alone') return void alone.push(row);
    if (becomes === 'later') {
      hasLater = true;
      return;
    }
    bytes += row.body.length;
    const kept = { ...row, body: '' };
    const delivery = { ...kept, id: row.place };
    rows.push(kept);
    if (isMalformed) return void unrenderable.push({ delivery, reason: read.malformed });
    if (isUnwanted) return void unwanted.push(delivery);
    try {
      summary.add(read.event);
      const { id, type } = read.event;
      summedUp.push({ ...delivery, event: { id, type } });
    } catch (error) {
      unrenderable.push({ delivery, reason: unrenderableFor(error) });
    }
  }

  async function jobsOf(settler: Settler, health: Pick<EndpointHealth, 'windowSent'>): Promise<Jobs> {
    await inParallel(unwanted, CONCURRENCY, delivery => settler.unwanted(delivery));
    const byId = Map.groupBy(summedUp, ({ event }) => event.id);
    const messages = summedUp.length > 0 ? summary.messages() : [];
    const jobs = messages.map(({ eventIds, request, shows }, index) => ({
      deliveries: eventIds.flatMap(id => byId.get(id) ?? []),
      ...{ request, shows },
      ...(isWindow && isWhole && index === messages.length - 1 && { endsWindow: true as const }),
    }));
    for (const id of messages.flatMap(({ eventIds }) => eventIds)) byId.delete(id);
    const omitted = [...byId.values()].flat();
    if (omitted.length > 0) {
      if (jobs.length === 0 && isWhole) await health.windowSent();
      await settler.delivered(omitted);
    }
    return { jobs, unrenderable, omitted };
  }
}
