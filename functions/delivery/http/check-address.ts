import { isIP } from 'node:net';
import { within } from '../../basics/within.ts';
import { isPlainAddress } from '../../model/secret.ts';
import { addressRefusal } from './addresses.ts';
import type { GuardedAgentOptions, Resolve } from './guarded-agent.ts';

/** The longest that a look-up is waited for. The name may still exist, so a slow one is no problem. */
const PATIENCE_MS = 5_000;

/** Why nothing could be delivered to a URL, in words that do not name it; undefined when something could. The
 *  agent checks the same at each delivery (`guarded-agent.ts`); this says it at once. */
export async function addressProblem(
  text: string,
  check: Pick<GuardedAgentOptions, 'allowLoopback' | 'resolve'>,
): Promise<string | undefined> {
  if (!isPlainAddress(text)) return 'its URL is no https address without user name and password';
  const { protocol, hostname, port } = new URL(text);
  if (port === '0') return 'its URL names port 0, where nobody can listen';
  if (protocol !== 'https:' && !check.allowLoopback) return 'its URL is not https';
  const addresses = await addressesOf(hostname, check.resolve);
  const refusals = addresses.map(address =>
    addressRefusal(address, { protocol, hostname, allowLoopback: check.allowLoopback }),
  );
  const refusal = refusals.find(each => each !== undefined);
  if (refusal !== undefined) return refusal.replace(/: .*/, '');
  // http is for this machine only, so that the name must have been looked up.
  const isUnknown = protocol !== 'https:' && addresses.length === 0;
  return isUnknown ? 'its URL is not https, and its name can not be looked up' : undefined;
}

async function addressesOf(hostname: string, resolve: Resolve): Promise<string[]> {
  // A URL has brackets around an IPv6 address.
  const literal = hostname.replaceAll(/[[\]]/g, '');
  if (isIP(literal) !== 0) return [literal];
  try {
    const found = await within(
      PATIENCE_MS,
      () => resolve(hostname),
      // Stryker disable next-line ArrowFunction: nobody reads why it failed
      () => new Error(),
    );
    return found.map(({ address }) => address);
  } catch {
    return [];
  }
}
