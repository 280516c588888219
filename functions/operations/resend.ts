import { serialise } from '../changes/serialise.ts';
import { type Closed, closedTo, joined } from '../delivery/health.ts';
import { placeOf } from '../delivery/read-event.ts';
import type { NewDelivery } from '../store/deliveries.ts';
import type { JournalReader } from '../store/journal.ts';
import { changeRow, type Found, findEndpoint, type House, wake } from './house.ts';
import { Refused } from './refused.ts';

/** The outcome. `closed`: why the endpoint gets nothing now; the event is sent when that is over. */
export type Resent =
  | { readonly answer: 'sent' | 'already waiting'; readonly closed: Closed | undefined }
  | { readonly answer: 'not found' | 'unknown endpoint' };

export interface ResendHouse extends House {
  readonly journal: Pick<JournalReader, 'find'>;
}

/** Sends one event to one endpoint once more, whatever its filter: its dead letter, or else the event from
 *  the journal, which goes back 30 days. It is sent as a replay. */
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

/** An event of the journal as a delivery that is due at once. It has the same place as when it came through
 *  the queue. */
export function deliveryOf(endpoint: string, event: { readonly id: string }, due: number): NewDelivery {
  const body = serialise(event);
  const at = placeOf(body)?.at ?? due;
  return { endpoint, eventId: event.id, at, body, attributes: {}, replay: true, due };
}

/** Notes in the endpoint's row that something waits, which new deliveries need not wait for, and wakes a
 *  run. */
async function tell(found: Found, house: House): Promise<void> {
  await changeRow(found, house, row => ({ ...row, health: joined(row.health, house.clock(), false) }));
  await wake(found, house);
}

function refusedAsNone(error: unknown): undefined {
  if (error instanceof Refused) return undefined;
  throw error;
}
