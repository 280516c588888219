import { withoutRecords } from '../changes/fit-event.ts';
import type { Attempt, PendingDelivery } from '../model/delivery.ts';
import { isPulled } from '../model/kinds.ts';
import type { OperationOf, OperationsContext } from './context.ts';
import { findEndpoint } from './endpoints.ts';
import { iso } from './page.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';

const DEFAULT_LIMIT = 10;
const DEFAULT_LEASE_S = 60;
/** Lambda allows answers of 6 MB. */
const MAX_BYTES = 4_000_000;

/** Leases the next events of a pull endpoint to a consumer: until it acknowledges them, returns them or the lease ends,
 *  no other consumer gets them, nor later events of the same project. */
export const take: OperationOf<'take'> = async (
  context,
  { endpoint, limit = DEFAULT_LIMIT, lease = DEFAULT_LEASE_S },
) => {
  const { row, endpoint: settings } = await findPulled(context, endpoint);
  const now = context.clock();
  const until = now + lease * 1000;
  if (row?.health.paused) return { events: [], until: iso(until), isPaused: true };
  const token = context.newId();
  const taken = await context.deliveries.lease(endpoint, { token, now, until, limit, bytes: MAX_BYTES });
  const events = taken.map(({ body, place, attempts }) => ({
    event: settings.record === false ? withoutRecords(JSON.parse(body)) : JSON.parse(body),
    receipt: `${token}/${place}`,
    attempts,
  }));
  return { events, until: iso(until), isPaused: false };
};

/** Removes events that a consumer has processed. */
export const ack: OperationOf<'ack'> = async (context, { endpoint, receipts }) => {
  await findPulled(context, endpoint);
  const ended: PendingDelivery[] = [];
  try {
    await endLeases(context, { endpoint, receipts }, ended);
  } finally {
    // Also after a failure: when the request is repeated, those that are removed are late.
    if (ended.length > 0)
      await context.deliveries.note([attemptOf(endpoint, ended, context.clock())]).catch(error =>
        context.log.warn('Could not save that events were taken.', {
          ...{ code: 'pull.not-noted', endpoint, error: String(error) },
        }),
      );
  }
  return { ended: ended.length, late: receipts.length - ended.length };
};

/** Returns events that a consumer could not process. They are taken again after `delay`, in their order. */
export const nack: OperationOf<'nack'> = async (context, { endpoint, receipts, delay = 0 }) => {
  await findPulled(context, endpoint);
  const due = context.clock() + delay * 1000;
  const ended: PendingDelivery[] = [];
  await endLeases(context, { endpoint, receipts }, ended, due);
  return { ended: ended.length, late: receipts.length - ended.length };
};

async function findPulled(context: OperationsContext, name: string) {
  const found = await findEndpoint(context, name);
  if (isPulled(found.endpoint)) return found;
  throw new Refused('This endpoint is not of kind pull: its events are sent to its address.');
}

async function endLeases(
  { deliveries, clock }: OperationsContext,
  { endpoint, receipts }: Pick<RequestOf<'ack'>, 'endpoint' | 'receipts'>,
  ended: PendingDelivery[],
  due?: number,
): Promise<void> {
  const byToken = Map.groupBy(receipts, receipt => receipt.slice(0, receipt.indexOf('/')));
  for (const [token, some] of byToken) {
    const places = some.map(receipt => receipt.slice(token.length + 1));
    await deliveries.endLease(endpoint, { token, places, now: clock(), due }, ended);
  }
}

/** That the events were taken, as an attempt that succeeded: `trace` and `verify` find it. */
function attemptOf(endpoint: string, all: readonly PendingDelivery[], at: number): Attempt {
  const events = all.map(({ eventId, at, body }) => ({
    id: eventId,
    type: String(JSON.parse(body).type),
    at,
  }));
  return { endpoint, at, events, took: 0 };
}
