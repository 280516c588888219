import { type KeyObject, X509Certificate } from 'node:crypto';
import { request } from 'undici';
import { Refusal } from './refusal.ts';

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
const TIMEOUT = 5000;
const MOST_KEPT = 20;

/** Reads a body of at most 64 KB from this machine; anything else is refused, so that a message cannot make the subscriber
 *  call elsewhere. */
export async function readLocal(address: unknown, what: string): Promise<string> {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'http:' || !LOOPBACK.has(url.hostname)) {
    throw new Refusal(403, `${what} is not an http address on this machine.`);
  }
  const response = await request(url, { signal: AbortSignal.timeout(TIMEOUT) }).catch(() => undefined);
  if (response?.statusCode !== 200) {
    await response?.body.dump();
    throw new Refusal(403, `${what} could not be read.`);
  }
  let text = '';
  for await (const chunk of response.body.setEncoding('utf8')) {
    text += chunk;
    if (text.length > 65_536) throw new Refusal(403, `${what} is too long.`);
  }
  return text;
}

/** Finds the public key behind a SigningCertURL; each certificate is fetched once. */
export function certificateStore(): (address: unknown) => Promise<KeyObject> {
  const keys = new Map<string, Promise<KeyObject>>();
  return async address => {
    const known = typeof address === 'string' ? keys.get(address) : undefined;
    if (known !== undefined) return known;
    const key = readLocal(address, 'SigningCertURL').then(publicKey);
    const name = String(address);
    keys.set(name, key);
    // A failure is not kept: the certificate may be readable the next time. Nor is more than a few addresses.
    key.catch(() => keys.delete(name));
    for (const oldest of [...keys.keys()].slice(0, Math.max(0, keys.size - MOST_KEPT))) keys.delete(oldest);
    return key;
  };
}

function publicKey(pem: string): KeyObject {
  try {
    return new X509Certificate(pem).publicKey;
  } catch {
    throw new Refusal(403, 'SigningCertURL leads to no certificate.');
  }
}
