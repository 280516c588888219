import { Webhook } from 'standardwebhooks';
import type { EndpointRequest } from './endpoint.ts';

/** An event as it came from the queue. */
export interface WebhookEvent {
  readonly id: string;
  /** Its JSON, byte for byte what is sent and signed. */
  readonly body: string;
}

/**
 * One event by Standard Webhooks: `webhook-id` is the event's id, the same at every attempt; `webhook-timestamp` (seconds)
 * is the time of this attempt, since receivers refuse what is older than 5 minutes; `webhook-signature` has one signature
 * per secret, space separated, so that a receiver may hold either while the secret is changed.
 *
 * What is signed is `<id>.<timestamp>.<body>`. The dots in our ids do no harm: the timestamp has none, and a body begins
 * with `{`, so two different triples never give the same text.
 */
export function webhookRequest(
  event: WebhookEvent,
  secrets: readonly string[],
  now: number,
): EndpointRequest {
  const at = new Date(now);
  const signatures = secrets.map(secret => new Webhook(secret).sign(event.id, at, event.body));
  return {
    body: event.body,
    headers: {
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': signatures.join(' '),
    },
  };
}
