import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { Networks } from '../../basics/networks.ts';
import { type Resolve, throughProxy } from '../../basics/proxy.ts';
import { addressRefusal } from './addresses.ts';

/** A refused address, which is a configuration error. Its message names neither URL nor address. */
export class RefusedAddress extends Error {}

/** How long an idle connection is kept: shorter than receivers keep theirs, so that no request uses one that they
 *  are closing. */
const KEPT_MS = 1_000;

export interface GuardedAgentOptions {
  readonly allowLoopback: boolean;
  /** The networks of the configuration. */
  readonly networks?: Networks | undefined;
  /** The proxy of the configuration, for what is outside of the networks. */
  readonly proxy?: string | undefined;
  readonly resolve: Resolve;
  /** ms for look-up, connection and TLS together. */
  readonly connectTimeout: number;
}

/**
 * An agent that connects to allowed addresses only (see `addressRefusal`). A name is checked in the very
 * look-up that connects, so that its addresses can't change in between; one refused address refuses the name.
 * The proxy of the configuration looks names up again; those that the environment names are not used.
 */
export function guardedAgent(options: GuardedAgentOptions): Agent {
  const { allowLoopback, networks = [], proxy, resolve, connectTimeout: timeout } = options;
  const check = (address: string, protocol: string, hostname: string): void => {
    const refusal = addressRefusal(address, { protocol, hostname, allowLoopback, networks });
    if (refusal !== undefined) throw new RefusedAddress(refusal);
  };
  const connector = (protocol: string) =>
    buildConnector({
      lookup: checkedLookup(resolve, (address, hostname) => check(address, protocol, hostname)),
      timeout,
      allowH2: false,
    });
  const secure = connector('https:');
  const connectors = {
    // Stryker disable next-line StringLiteral: whatever is not https: is refused alike
    'http:': connector('http:'),
    'https:':
      proxy === undefined
        ? secure
        : throughProxy(secure, {
            ...{ url: proxy, networks, resolve, timeout },
            check: (address, hostname) => check(address, 'https:', hostname),
          }),
  };
  return new Agent({
    keepAliveTimeout: KEPT_MS,
    keepAliveMaxTimeout: KEPT_MS,
    connect(target, callback) {
      try {
        // A literal is connected to without a lookup.
        if (isIP(target.hostname) !== 0) check(target.hostname, target.protocol, target.hostname);
        connectors[target.protocol as 'http:' | 'https:'](target, callback);
      } catch (error) {
        callback(error as Error, null);
      }
    },
  });
}

/** Looks a name up, and checks each of its addresses. */
export function checkedLookup(
  resolve: Resolve,
  check: (address: string, hostname: string) => void,
): LookupFunction {
  const checked = async (hostname: string): Promise<[LookupAddress, ...LookupAddress[]]> => {
    const [first, ...others] = await resolve(hostname);
    if (!first) throw new RefusedAddress('its name has no address');
    for (const { address } of [first, ...others]) check(address, hostname);
    return [first, ...others];
  };
  return (hostname, { all }, callback) => {
    checked(hostname).then(
      addresses => {
        if (all) callback(null, addresses);
        else callback(null, addresses[0].address, addresses[0].family);
      },
      // Stryker disable next-line ArrayDeclaration: the addresses of a failed lookup are not read
      (error: Error) => callback(error, []),
    );
  };
}
