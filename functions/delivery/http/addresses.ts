import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What decides whether an address may be connected to. */
interface AddressPolicy {
  /** `https:` or `http:`; http reaches loopback alone. */
  readonly protocol: string;
  /** Of the URL: a literal, or the name that the address was looked up for. */
  readonly hostname: string;
  /** On one machine a receiver may well run beside Changewire; on AWS, loopback is the function itself. */
  readonly allowLoopback: boolean;
}

/** IPv6's global unicast block. All other addresses are reserved or local, or contain an IPv4 address (NAT64,
 *  mapped, compatible). */
const GLOBAL_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** Azure's wire server: a metadata service behind an address that looks public. */
const PUBLIC_METADATA = new Set(['168.63.129.16']);

const REMEDY = 'correct the url in its secret';

/** Why nothing may be sent to an address, in words that do not name it; undefined when it may. `address`
 *  should be an IPv4 or IPv6 literal: anything else is refused. */
export function addressRefusal(
  address: string,
  { protocol, hostname, allowLoopback }: AddressPolicy,
): string | undefined {
  const kind = kindOf(address);
  if (kind === 'loopback' && allowLoopback && namesThisMachine(hostname)) return undefined;
  if (protocol !== 'https:') return `its URL is not https: ${REMEDY}`;
  return kind === 'public' ? undefined : `its address is not public (${kind}): ${REMEDY}`;
}

/** True for literals and `localhost`: any other name could be pointed to this machine by its owner. */
function namesThisMachine(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || /^(.*\.)?localhost\.?$/i.test(hostname);
}

function kindOf(text: string): string {
  // ipaddr.js accepts octal and short forms too, which other parsers read as other addresses.
  if (isIP(text) === 0) return 'no IP address';
  const address = ipaddr.parse(text);
  const range = address.range();
  if (range !== 'unicast') return range;
  if (PUBLIC_METADATA.has(address.toString())) return 'metadata';
  return address.kind() === 'ipv4' || address.match(GLOBAL_IPV6) ? 'public' : 'reserved';
}
