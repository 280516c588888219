import { depthOf } from '../../model/event-id.ts';
import { drained } from '../health.ts';
import { gaveUp } from '../reports.ts';
import type { DeliveryPorts, Settler } from '../settler.ts';

const HOUR = 60 * 60_000;
const KEPT_DAYS = 14;
const KEPT_MS = KEPT_DAYS * 24 * HOUR;

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

/** Gives up the events that no consumer has acknowledged within 14 days. Called as a drain, about once an hour. */
export async function giveUpUntaken(
  endpoint: string,
  { rows, deliveries, clock, log, count }: DeliveryPorts,
): Promise<void> {
  const row = await rows.read(endpoint);
  const { waiting } = row?.health ?? {};
  const now = clock();
  const reason = `not acknowledged within ${KEPT_DAYS} days`;
  const dead = await deliveries.deadLetterBefore(endpoint, now - KEPT_MS, { at: now, reason });
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
  const next = oldest === undefined ? undefined : Math.max(oldest + KEPT_MS, now + HOUR);
  await rows.change(endpoint, found => {
    const health = found && drained(found.health, waiting.added, next);
    return found && health && { ...found, health };
  });
}
