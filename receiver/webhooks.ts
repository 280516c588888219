import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from './refusal.ts';

/** The maximum difference between the sender's clock and this one, in s, so that old messages can't be replayed. */
const MAX_AGE_S = 5 * 60;
/** Standard Webhooks: "between 24 bytes and 64 bytes". */
const MIN_SECRET_BYTES = 24;
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
/** An HMAC by SHA-256, as base64. */
const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;

/** Verifies a signed webhook (https://www.standardwebhooks.com). A request without a well-formed signature is
 *  refused before its body is hashed.
 *  @param body the raw body: JSON that was parsed and serialized again does not verify
 *  @param secrets one of them must match the signature
 *  @throws Refusal 401 if none matches
 *  @throws TypeError if a secret is malformed */
export function verifyWebhook(
  header: (name: string) => string,
  body: string,
  secrets: readonly string[],
): void {
  const keys = secrets.map(keyOf);
  const [id, time, signed] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header);
  if (!id || !time || !signed) throw new Refusal(401, 'Missing required headers.');
  if (!/^\d{1,12}$/.test(time)) throw new Refusal(401, 'Invalid Signature Headers.');
  const age = Math.floor(Date.now() / 1000) - Number(time);
  if (Math.abs(age) > MAX_AGE_S) throw new Refusal(401, `Message timestamp too ${age > 0 ? 'old' : 'new'}.`);
  const signatures = signed.split(' ').flatMap(each => SIGNATURE.exec(each)?.[1] ?? []);
  const isSigned = (key: Uint8Array) => {
    const expected = Buffer.from(createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64'));
    return signatures.some(signature => timingSafeEqual(Buffer.from(signature), expected));
  };
  if (signatures.length === 0 || !keys.some(isSigned)) throw new Refusal(401, 'No matching signature found.');
}

function keyOf(secret: string): Uint8Array {
  const key = Buffer.from(SECRET.exec(secret)?.[1] ?? '', 'base64');
  if (key.length >= MIN_SECRET_BYTES) return key;
  throw new TypeError(
    `Invalid webhook secret: expected "whsec_" and the base64 of at least ${MIN_SECRET_BYTES} bytes.`,
  );
}
