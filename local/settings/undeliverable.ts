import { isIP } from 'node:net';
import { addressRefusal } from '../../functions/delivery/http/addresses.ts';
import type { Resolve } from '../../functions/delivery/http/guarded-agent.ts';
import type { EndpointKind } from '../../functions/model/kinds.ts';
import { UsageError } from '../basics/usage-error.ts';

/** Why every delivery to a URL would be refused; undefined when it would not. `addresses` is where its
 *  host name leads; without it only the URL itself is looked at. */
export function undeliverable(url: URL, addresses: readonly string[] = literal(url)): string | undefined {
  const { port, protocol, hostname } = url;
  if (port === '0') return 'names port 0, where nobody can listen';
  const refused = (address: string) =>
    addressRefusal(address, { protocol, hostname, allowLoopback: true }) !== undefined;
  if (!addresses.some(refused)) return undefined;
  return protocol === 'http:'
    ? 'takes an https URL, or an http URL of this machine'
    : 'takes no URL of a private or reserved address, other than those of this machine';
}

function literal({ hostname }: URL): string[] {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? [] : [address];
}

/** Where an endpoint is; `kind` is also the name of its option. */
interface Destination {
  readonly kind: EndpointKind;
  readonly url: string;
  readonly origin: string;
}

/** Looks up where the endpoints' names lead. One that can't be looked up within `patience` ms is allowed:
 *  it may be reachable later.
 *  @throws UsageError for one that deliveries would refuse; it shows no more of a URL than the origin */
export async function refuseUndeliverable(
  endpoints: readonly Destination[],
  resolve: Resolve,
  patience: number,
): Promise<void> {
  const check = async ({ kind, url, origin }: Destination): Promise<void> => {
    const late = new Promise<never[]>(done => void setTimeout(done, patience, []).unref());
    const found = await Promise.race([resolve(new URL(url).hostname).catch(() => []), late]);
    const problem = undeliverable(
      new URL(url),
      found.map(({ address }) => address),
    );
    if (problem !== undefined) throw new UsageError(`--${kind} ${problem}: ${origin} leads elsewhere.`);
  };
  await Promise.all(endpoints.filter(({ url }) => literal(new URL(url)).length === 0).map(check));
}
