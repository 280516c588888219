import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isInNetworks, isMetadata, type Networks } from '../../basics/networks.ts';
import type { Resolve } from '../../basics/proxy.ts';
import { within } from '../../basics/within.ts';
import { type EndpointKind, KINDS } from '../../model/kinds.ts';
import { mailRouteIn } from '../../model/mail.ts';
import { isPlainAddress, MAIL_ADDRESSES } from '../../model/secret.ts';

interface AddressPolicy {
  /** `https:` or `http:`; http reaches loopback and the networks alone. */
  readonly protocol: string;
  /** Of the URL: a literal, or the name that the address was looked up for. */
  readonly hostname: string;
  /** True on one machine, where receivers may run too; on AWS, loopback is the function itself. */
  readonly allowLoopback: boolean;
  /** The networks of the configuration, in which private addresses and http are allowed. */
  readonly networks?: Networks | undefined;
}

/** IPv6's global unicast block. All other addresses are reserved or local, or contain an IPv4 address (NAT64,
 *  mapped, compatible). */
const GLOBAL_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
const REMEDY = 'correct the url in its secret, or add its network to "networks" in the configuration';

/** Why an address is refused, in words that do not name it; undefined when it is allowed. `address` is an IPv4 or
 *  IPv6 literal: anything else is refused. */
export function addressRefusal(
  address: string,
  { protocol, hostname, allowLoopback, networks = [] }: AddressPolicy,
): string | undefined {
  const kind = kindOf(address);
  if ((kind !== 'loopback' || allowLoopback) && isInNetworks(networks, address, hostname)) return undefined;
  if (kind === 'loopback' && allowLoopback && namesThisMachine(hostname)) return undefined;
  if (protocol !== 'https:') return `its URL is not https: ${REMEDY}`;
  return kind === 'public' ? undefined : `its address is not public (${kind}): ${REMEDY}`;
}

/** True for literals and `localhost`: any other name could be pointed to this machine by its owner. */
function namesThisMachine(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || /^(.*\.)?localhost\.?$/i.test(hostname);
}

function kindOf(text: string): string {
  // ipaddr.js also accepts octal and short forms, which other parsers read as other addresses.
  if (isIP(text) === 0) return 'not an IP address';
  const address = ipaddr.parse(text);
  const range = address.range();
  if (range !== 'unicast') return range;
  if (isMetadata(address)) return 'metadata';
  return address.kind() === 'ipv4' || address.match(GLOBAL_IPV6) ? 'public' : 'reserved';
}

/** Time-out of a look-up. A slow one is accepted, because the name may still exist. */
const LOOKUP_TIMEOUT_MS = 5_000;

/** Why a URL can't receive deliveries, in words that do not name it; undefined when it can. The agent checks the
 *  same at each delivery (`guarded-agent.ts`). */
export async function addressProblem(
  text: string,
  check: { readonly resolve: Resolve; readonly kind: EndpointKind } & Pick<
    AddressPolicy,
    'allowLoopback' | 'networks'
  >,
): Promise<string | undefined> {
  if (KINDS[check.kind].isMail) return mailProblem(text, check);
  if (!isPlainAddress(text)) return 'its URL must be https, without user name or password';
  const { protocol, hostname, port } = new URL(text);
  if (port === '0') return 'its URL has port 0, which is not a valid port';
  const { allowLoopback, networks = [] } = check;
  if (protocol !== 'https:' && !allowLoopback && networks.length === 0) return 'its URL is not https';
  const addresses = await addressesOf(hostname, check.resolve);
  const refusals = addresses.map(address =>
    addressRefusal(address, { protocol, hostname, allowLoopback, networks }),
  );
  const refusal = refusals.find(each => each !== undefined);
  if (refusal !== undefined) return refusal.replace(/: .*/, '');
  // http is for this machine and the own networks only, so the look-up must have succeeded.
  const isUnknown = protocol !== 'https:' && addresses.length === 0;
  return isUnknown ? 'its URL is not https, and its name cannot be resolved' : undefined;
}

async function mailProblem(
  text: string,
  {
    resolve,
    allowLoopback,
    networks,
  }: { readonly resolve: Resolve } & Pick<AddressPolicy, 'allowLoopback' | 'networks'>,
): Promise<string | undefined> {
  const route = mailRouteIn(text);
  if (!route) return `its address must be ${MAIL_ADDRESSES}`;
  // Only on one machine.
  if (route.by === 'ses') return allowLoopback ? SES_ON_AWS : undefined;
  const { host: hostname } = route;
  const addresses = await addressesOf(hostname, resolve);
  const refusal = addresses
    .map(address => addressRefusal(address, { protocol: 'https:', hostname, allowLoopback, networks }))
    .find(each => each !== undefined);
  return refusal?.replace(/: .*/, '');
}

export const SES_ON_AWS =
  'ses: works in a stack on AWS; elsewhere use smtps://user:password@email-smtp.REGION.amazonaws.com';

async function addressesOf(hostname: string, resolve: Resolve): Promise<string[]> {
  // A URL has brackets around an IPv6 address.
  const literal = hostname.replaceAll(/[[\]]/g, '');
  if (isIP(literal) !== 0) return [literal];
  // Stryker disable next-line ArrowFunction: the error is not read
  const error = () => new Error();
  const found = await within(LOOKUP_TIMEOUT_MS, () => resolve(hostname), error).catch(() => []);
  return found.map(({ address }) => address);
}
