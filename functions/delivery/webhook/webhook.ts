import { createHash } from 'node:crypto';
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

/** The type of a CloudEvents JSON batch. */
const BATCH_TYPE = 'application/cloudevents-batch+json';

/** A Standard Webhooks request for several events: a JSON array of them, each as it was published. Its `webhook-id` is
 *  the same whenever these events are sent together. */
export function batchRequest(
  events: readonly WebhookEvent[],
  secrets: readonly string[],
  now: number,
): EndpointRequest {
  const ids = events.map(({ id }) => id).join('\n');
  const id = `batch.${createHash('sha256').update(ids).digest('base64url').slice(0, 22)}`;
  const { body, headers } = webhookRequest(
    { id, body: `[${events.map(({ body }) => body).join()}]` },
    secrets,
    now,
  );
  return { body, headers: { ...headers, 'content-type': BATCH_TYPE } };
}

/** In bytes of JSON. */
const MAX_BATCH_BYTES = 1_000_000;

interface Batchable {
  readonly body: string;
  readonly replay?: boolean | undefined;
  readonly attempts?: number | undefined;
}

/** Groups deliveries into batches of at most `most`, in their order. Those that failed before are sent in smaller
 *  batches and then alone, so that an event that the receiver refuses does not hold up others. Replayed ones are
 *  not mixed with others, because a header marks them. */
export function batchesOf<Delivery extends Batchable>(all: readonly Delivery[], most: number): Delivery[][] {
  const batches: { readonly some: Delivery[]; readonly key: string; bytes: number }[] = [];
  for (const delivery of all) {
    const { replay = false, attempts = 0 } = delivery;
    const size = attempts === 0 ? most : attempts === 1 ? Math.ceil(most / 10) : 1;
    const key = `${size} ${replay}`;
    const bytes = Buffer.byteLength(delivery.body);
    const last = batches.at(-1);
    if (last?.key === key && last.some.length < size && last.bytes + bytes <= MAX_BATCH_BYTES) {
      last.some.push(delivery);
      last.bytes += bytes;
    } else batches.push({ some: [delivery], key, bytes });
  }
  return batches.map(({ some }) => some);
}
