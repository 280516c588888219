import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type ChangeEvent, parseEvent } from './event.ts';
import { Refusal } from './refusal.ts';

/** Takes signed webhooks (https://www.standardwebhooks.com). The library compares in constant time, and refuses a
 *  timestamp that is more than 5 minutes off, so that nobody can send an old message again.
 *  @param secrets one, or two while the secret is changed: `whsec_` and base64
 *  @throws when a secret is none */
export function webhookReader(secrets: readonly string[]) {
  const webhooks = secrets.map(secret => {
    try {
      return new Webhook(secret);
    } catch {
      throw new Error('WEBHOOK_SECRETS: each secret is "whsec_" and base64; at least one of these is not.');
    }
  });

  /** The event of a request. `body` is what came, byte for byte: JSON that was parsed and written anew does not verify.
   *  @throws Refusal 401 when no secret signed it, 400 when it is no event */
  return (headers: IncomingHttpHeaders, body: string): ChangeEvent => {
    const signed = {
      'webhook-id': String(headers['webhook-id'] ?? ''),
      'webhook-timestamp': String(headers['webhook-timestamp'] ?? ''),
      'webhook-signature': String(headers['webhook-signature'] ?? ''),
    };
    const reasons = webhooks.map(webhook => {
      try {
        webhook.verify(body, signed, { jsonParse: false });
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : 'Not signed';
      }
    });
    if (reasons.includes(undefined)) return parseEvent(body);
    throw new Refusal(401, reasons[0] ?? 'Signed webhooks are not expected here.');
  };
}
