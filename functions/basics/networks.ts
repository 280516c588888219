import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** One's own networks: ranges (`10.0.0.0/8`) and names of hosts. */
export type Networks = readonly string[];

/** The prefixes of the largest private networks: 10.0.0.0/8 and fc00::/7. */
const MIN_PREFIX = { ipv4: 8, ipv6: 7 } as const;
const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})?(\.[a-z0-9_]([a-z0-9_-]{0,62})?)*$/i;

/** Whether a text is a range in CIDR notation that is not larger than a private network, or the name of a host. */
export function isNetwork(text: string): boolean {
  const range = rangeOf(text);
  if (range) return range[1] >= MIN_PREFIX[range[0].kind()];
  return HOST.test(text) && !/^[\d.]+$/.test(text);
}

/** The kinds of addresses that a network may open. Never link-local ones: metadata services have them. */
const OPENED: ReadonlySet<string> = new Set(['private', 'carrierGradeNat', 'uniqueLocal', 'loopback']);
/** Metadata services outside of link-local addresses: of AWS by IPv6, Azure, Alibaba and Oracle Cloud. */
const METADATA: ReadonlySet<string> = new Set([
  ...['fd00:ec2::254', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
]);

export function isMetadata(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return METADATA.has(address.toString());
}

/** Whether a host is in one of the networks: its address in a range, or its name is listed and its address private.
 *  @param address an IPv4 or IPv6 literal, as it is connected to
 *  @param hostname of the URL */
export function isInNetworks(networks: Networks, address: string, hostname: string): boolean {
  if (networks.length === 0 || isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  const kind = parsed.range();
  if (isMetadata(parsed) || !(OPENED.has(kind) || kind === 'unicast')) return false;
  const name = hostname.replace(/\.$/, '').toLowerCase();
  return networks.some(network => {
    const range = rangeOf(network);
    if (!range) return OPENED.has(kind) && network.toLowerCase() === name;
    return range[0].kind() === parsed.kind() && parsed.match(range as never);
  });
}

function rangeOf(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  // ipaddr.js also accepts octal and short forms.
  if (isIP(text.split('/')[0] ?? '') === 0 || !ipaddr.isValidCIDR(text)) return undefined;
  return ipaddr.parseCIDR(text);
}
