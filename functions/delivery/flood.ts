import { inParallel } from '../basics/in-parallel.ts';
import type { PendingDelivery } from '../model/delivery.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import { wants } from '../model/filter.ts';
import type { Slots } from '../store/store.ts';
import { type Flood, type Job, type Jobs, unrenderableFor } from './kinds.ts';
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
const MAX_ROWS = 5_000;
const MAX_BYTES = 64_000_000;
const PAGE_ROWS = 50;
const CONCURRENCY = 10;

/** Counts messages to a chat. @returns whether further ones must wait */
export async function isBursting(
  { name }: Pick<EndpointSettings, 'name'>,
  { slots, clock }: { readonly slots: Slots } & Pick<DeliveryPorts, 'clock'>,
): Promise<boolean> {
  // The slots of a second name: how far they are booked ahead is the number of messages.
  const ahead = (MAX_BURST - 1) * BURST_INTERVAL_MS;
  return (await slots.reserveSlot(`${name}#burst`, BURST_INTERVAL_MS, clock(), ahead)) === undefined;
}

/** The due deliveries of a backlog, without their bodies, and one request that sums up their events. */
export interface Gathered {
  readonly rows: readonly PendingDelivery[];
  readonly jobsOf: (settler: Settler) => Promise<Jobs>;
}

/** Reads the backlog of a chat page by page. Only one page of events is in memory. */
export async function gather(
  { name, filter = {} }: EndpointSettings,
  flood: Flood,
  { deliveries, clock }: Pick<DeliveryPorts, 'deliveries' | 'clock'>,
): Promise<Gathered> {
  const began = clock();
  const rows: PendingDelivery[] = [];
  const summedUp: Job['deliveries'][number][] = [];
  const unwanted: Delivery[] = [];
  const unrenderable: { delivery: Delivery; reason: string }[] = [];
  let bytes = 0;
  let page: readonly PendingDelivery[] = [];
  do {
    page = await deliveries.pending(name, PAGE_ROWS, page.at(-1));
    for (const { body, ...row } of page.filter(({ due }) => due <= began)) {
      bytes += body.length;
      rows.push({ ...row, body: '' });
      add({ ...row, body: '', id: row.place }, body);
    }
  } while (
    page.length === PAGE_ROWS &&
    rows.length <= MAX_ROWS - PAGE_ROWS &&
    bytes < MAX_BYTES &&
    clock() - began < MAX_READ_MS
  );
  return { rows, jobsOf };

  function add(delivery: Delivery, body: string): void {
    const read = readEvent(body);
    if ('malformed' in read) return void unrenderable.push({ delivery, reason: read.malformed });
    // A replay or resend was already filtered when it was requested.
    if (!delivery.replay && !wants(filter, read.event)) return void unwanted.push(delivery);
    try {
      flood.add(read.event);
      const { id, type } = read.event;
      summedUp.push({ ...delivery, event: { id, type } });
    } catch (error) {
      unrenderable.push({ delivery, reason: unrenderableFor(error) });
    }
  }

  async function jobsOf(settler: Settler): Promise<Jobs> {
    await inParallel(unwanted, CONCURRENCY, delivery => settler.unwanted(delivery));
    const jobs = summedUp.length > 0 ? [{ deliveries: summedUp, request: flood.request }] : [];
    return { jobs, unrenderable };
  }
}
