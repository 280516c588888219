import { serialise } from '../changes/serialise.ts';
import type { NewDelivery } from '../delivery/deliveries.ts';
import { type Closed, closedTo, joined } from '../delivery/health.ts';
import { placeOf } from '../delivery/read-event.ts';
import { changeRow, type Found, findEndpoint, type House, wake } from './house.ts';
import type { JournalReader } from './journal.ts';
import { Refused } from './refused.ts';

/** What came of it. `closed`: it is sent once the endpoint may get something again, and why it may not now. */
export type Resent =
  | { readonly answer: 'sent' | 'already waiting'; readonly closed: Closed | undefined }
  | { readonly answer: 'not found' | 'unknown endpoint' };

export interface ResendHouse extends House {
  readonly journal: Pick<JournalReader, 'find'>;
}

/** Sends one event to one endpoint once more, whatever its filter: its dead letter, or else the event as the journal has it, which keeps
 *  30 days. It goes out as a replay does. */
export async function resend(eventId: string, endpoint: string, house: ResendHouse): Promise<Resent> {
  const found = await findEndpoint(endpoint, house).catch(refusedAsNone);
  if (!found) return { answer: 'unknown endpoint' };
  const { deliveries, clock, journal } = house;
  const closed = closedTo(found.row?.health ?? {}, clock());
  const isRevived = (await deliveries.revive(endpoint, clock(), eventId)) > 0;
  if (!isRevived) {
    const entry = await journal.find(eventId);
    if (!entry) return { answer: 'not found' };
    const delivery = deliveryOf(endpoint, entry.event, clock());
    if (await deliveries.find(endpoint, delivery)) return { answer: 'already waiting', closed };
    await deliveries.add([delivery]);
  }
  await tell(found, house);
  return { answer: 'sent', closed };
}

/** Sends dead letters of an endpoint once more, the oldest first, at most `limit`. @returns how many */
export async function reviveAll(found: Found, limit: number, house: House): Promise<number> {
  const { deliveries, clock } = house;
  const count = await deliveries.revive(found.endpoint.name, clock(), undefined, limit);
  if (count > 0) await tell(found, house);
  return count;
}

/** An event of the journal as a delivery that is due at once; its place is that of the event when it came by the queue. */
export function deliveryOf(endpoint: string, event: { readonly id: string }, due: number): NewDelivery {
  const body = serialise(event);
  const at = placeOf(body)?.at ?? due;
  return { endpoint, eventId: event.id, at, body, attributes: {}, replay: true, due };
}

/** New deliveries do not wait behind it. */
async function tell(found: Found, house: House): Promise<void> {
  await changeRow(found, house, row => ({ ...row, health: joined(row.health, house.clock(), false) }));
  await wake(found, house);
}

function refusedAsNone(error: unknown): undefined {
  if (error instanceof Refused) return undefined;
  throw error;
}
