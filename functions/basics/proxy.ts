import type { LookupAddress } from 'node:dns';
import dns from 'node:dns';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { request } from './http.ts';
import { isInNetworks, type Networks } from './networks.ts';

/** Looks up all addresses of a name, like `dns.lookup`. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** Asks the operating system, hosts file included, as connecting would. */
export const resolveBySystem: Resolve = hostname => dns.promises.lookup(hostname, { all: true });

/** The HTTP proxy of the configuration. */
export interface ProxyRoute {
  /** `http://` with host and port. */
  readonly url: string;
  /** Reached directly, as this machine is. */
  readonly networks: Networks;
}

interface ProxyOptions extends ProxyRoute {
  readonly resolve: Resolve;
  /** ms until the tunnel is open. */
  readonly timeout: number;
  /** Called with each address of a host. @throws to refuse the connection */
  readonly check?: (address: string, hostname: string) => void;
}

/** What a connector of undici connects to. */
interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

/** A connector that reaches https hosts outside of the networks through the proxy, and all others by `direct`. http is
 *  for the networks and this machine only. A name that can't be looked up here is left to the proxy. */
export function throughProxy<To extends Target, Callback extends (error: Error, socket: null) => void>(
  direct: (target: To, callback: Callback) => void,
  options: ProxyOptions,
): (target: To, callback: Callback) => void {
  return (target, callback) => {
    if (target.protocol !== 'https:') return direct(target, callback);
    tunnelTo(target, options).then(
      httpSocket => direct({ ...target, ...(httpSocket && { httpSocket }) }, callback),
      (error: Error) => callback(error, null),
    );
  };
}

/** A connection through the proxy; undefined for a host that is reached directly. */
export async function tunnelTo(
  { hostname, port }: Omit<Target, 'protocol'>,
  { networks, resolve, check = () => undefined, ...proxy }: ProxyOptions,
): Promise<Socket | undefined> {
  const addresses = isIP(hostname) === 0 ? await resolve(hostname).catch(() => []) : [{ address: hostname }];
  for (const { address } of addresses) check(address, hostname);
  const isOurs = ({ address }: { readonly address: string }) =>
    isInNetworks(networks, address, hostname) || ipaddr.parse(address).range() === 'loopback';
  if (addresses.some(isOurs)) return undefined;
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return openTunnel(`${host}:${port || 443}`, proxy);
}

/** Its code shows that the proxy is at fault. */
class ProxyError extends Error {
  readonly code: string;

  constructor(what: string | number | undefined) {
    super('The proxy cannot be used.');
    this.code = `PROXY_${what ?? 'FAILED'}`;
  }
}

function openTunnel(path: string, { url, timeout }: Pick<ProxyOptions, 'url' | 'timeout'>): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const asked = request(url, { method: 'CONNECT', path, headers: { host: path }, agent: false });
  const timer = setTimeout(() => asked.destroy(new ProxyError('TIMEOUT')), timeout);
  asked.once('connect', ({ statusCode }, socket, head) => {
    // A mail server speaks first: its greeting may come with the proxy's answer.
    if (head.length > 0) socket.unshift(head);
    if (statusCode === 200) return resolve(socket as Socket);
    socket.destroy();
    reject(new ProxyError(statusCode));
  });
  asked.once('response', answer => {
    answer.destroy();
    reject(new ProxyError(answer.statusCode));
  });
  asked.once('error', error =>
    reject(error instanceof ProxyError ? error : new ProxyError((error as NodeJS.ErrnoException).code)),
  );
  asked.end();
  return promise.finally(() => clearTimeout(timer));
}
