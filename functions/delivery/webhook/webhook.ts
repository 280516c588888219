import { Webhook } from 'standardwebhooks';
import type { EndpointRequest } from '../../model/endpoint.ts';

interface WebhookEvent {
  readonly id: string;
  /** Its JSON, which is signed and sent byte for byte. */
  readonly body: string;
}

/**
 * A Standard Webhooks request for one event. `webhook-id` is the event's id, the same at every attempt;
 * `webhook-timestamp` is the time of this attempt in seconds; `webhook-signature` has one signature per secret,
 * separated by spaces, so that during a rotation the receiver may have either.
 *
 * The signed text is `<id>.<timestamp>.<body>`. Dots in our ids are safe: the timestamp has none, and a body begins
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
