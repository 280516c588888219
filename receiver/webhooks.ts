import { Webhook } from 'standardwebhooks';
import type { SentEvent } from './event.ts';
import { parseEvent } from './parse-event.ts';
import { Refusal } from './refusal.ts';

const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** The event of a signed webhook (https://www.standardwebhooks.com). The library compares in constant time, and refuses a
 *  timestamp that is more than 5 minutes off, so that nobody can send an old message again.
 *  @param body what came, byte for byte: JSON that was parsed and written anew does not verify
 *  @param secrets one of them must have signed it
 *  @throws Refusal 401 when none did, 400 when it is no event
 *  @throws TypeError when a secret is none */
export function readWebhook(
  header: (name: string) => string,
  body: string,
  secrets: readonly string[],
): SentEvent {
  const headers = Object.fromEntries(NAMES.map(name => [name, header(name)]));
  const reasons = secrets.map(webhookOf).map(webhook => {
    try {
      webhook.verify(body, headers, { jsonParse: false });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : 'Not signed';
    }
  });
  if (reasons.includes(undefined)) return parseEvent(body);
  throw new Refusal(401, `${reasons[0]}.`);
}

function webhookOf(secret: string): Webhook {
  try {
    if (secret.startsWith('whsec_')) return new Webhook(secret);
  } catch {
    // The library says neither which secret nor what one is.
  }
  throw new TypeError('Each secret of a webhook is "whsec_" and base64; at least one of these is not.');
}
