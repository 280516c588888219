import { depthOf } from '../../model/event-id.ts';
import { drained } from '../health.ts';
import { gaveUp } from '../reports.ts';
import type { DeliveryPorts, Settler } from '../settler.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const KEPT_DAYS = 14;
/** The same if a pause ended in the last 14 days. Rows expire after 30 days without becoming dead letters. */
const MAX_KEPT_DAYS = 28;

/** The events of a pull endpoint wait in rows until a consumer takes them (`operations/pull.ts`). */
export async function keepForConsumer(
  settler: Settler,
  { log, count, clock }: DeliveryPorts,
  endpoint: string,
): Promise<void> {
  const began = clock();
  await settler.waits(settler.open);
  settler.tally.report(log, { endpoint, ms: clock() - began });
  count(settler.tally.values);
}

/** Gives up the events that no consumer has acknowledged within 14 days, in which it could take them. Called as a
 *  drain, about once an hour. */
export async function giveUpUntaken(
  endpoint: string,
  { rows, deliveries, clock, log, count }: DeliveryPorts,
): Promise<void> {
  const row = await rows.read(endpoint);
  const { waiting, paused, resumedAt = 0 } = row?.health ?? {};
  if (paused) return;
  const now = clock();
  const days = now - resumedAt < KEPT_DAYS * DAY ? MAX_KEPT_DAYS : KEPT_DAYS;
  const reason = `not acknowledged within ${days} days`;
  const dead = await deliveries.deadLetterBefore(endpoint, now - days * DAY, { at: now, reason });
  if (dead.length > 0) {
    const lost = dead.filter(id => depthOf(id) === 0).length;
    await rows.change(endpoint, found =>
      found && lost > 0 ? { ...found, health: gaveUp(found.health, now, reason, lost) } : undefined,
    );
    count({ DeliveriesDead: dead.length });
    log.error('Events were not acknowledged in time; moved them to the dead letters.', {
      ...{ code: 'pull.given-up', endpoint, deliveries: dead.length, reason },
    });
  }
  if (!waiting) return;
  const { oldest } = await deliveries.counts(endpoint, 1);
  const next = oldest === undefined ? undefined : Math.max(oldest + KEPT_DAYS * DAY, now + HOUR);
  await rows.change(endpoint, found => {
    const health = found && drained(found.health, waiting.added, next);
    return found && health && { ...found, health };
  });
}
