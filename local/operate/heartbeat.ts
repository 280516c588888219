import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Networks } from '../../functions/basics/networks.ts';
import { resolveBySystem } from '../../functions/basics/proxy.ts';
import { within } from '../../functions/basics/within.ts';
import { guardedAgent } from '../../functions/delivery/http/guarded-agent.ts';
import { Expired, reasonOf, TIMEOUT_MS } from '../../functions/delivery/http/post.ts';
import { type Environment, textIn } from '../basics/process.ts';
import { UsageError } from '../basics/usage-error.ts';
import { checkAddress } from '../settings/endpoint-options.ts';

const VARIABLE = 'HEARTBEAT_URL';
const EVERY_MS = 60_000;
const FIRST_CHECK_MS = 1000;

/** The address to ping: that of the option, or, if that is empty, of the environment. Undefined without the option.
 *  @throws UsageError, which shows no address */
export function heartbeatUrl(
  option: string | undefined,
  environment: Environment,
  networks: Networks,
): string | undefined {
  if (option === undefined) return undefined;
  if (option !== '') return checkAddress('--heartbeat', option, networks);
  const url = textIn(environment, VARIABLE);
  if (url !== '') return checkAddress(VARIABLE, url, networks);
  throw new UsageError(`--heartbeat has no URL: add it, or set ${VARIABLE} in the environment or in .env.`);
}

interface Parts {
  readonly url: string;
  readonly networks: Networks;
  readonly proxy: string | undefined;
  /** Whether `/healthz` would answer 200. */
  readonly isHealthy: () => Promise<boolean>;
  /** Whether each process was polled in this run: a run that its first pass ends, again and again, is not healthy. */
  readonly arePolled: () => boolean;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly warn: (text: string, details: { readonly code: string }) => void;
}

/** Sends a GET to the address each minute while the run is healthy, from its first passes on: a monitor there notices
 *  when none comes. A failed one is logged, the next ones only after one succeeded. The address may be secret, and is
 *  never logged.
 *  @returns a function that stops it */
export function startHeartbeat({
  url,
  isHealthy,
  arePolled,
  clock,
  sleep,
  warn,
  ...network
}: Parts): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const agent = guardedAgent({
    ...{ ...network, allowLoopback: true, resolve: resolveBySystem, connectTimeout: TIMEOUT_MS },
  });
  let isFailing = false;
  const beat = async (): Promise<void> => {
    if (!(await isHealthy().catch(() => false)) || signal.aborted) return;
    const problem = await ping();
    if (problem !== undefined && !isFailing && !signal.aborted)
      warn(`The heartbeat failed: ${problem}. It continues each minute.`, { code: 'heartbeat.failed' });
    isFailing = problem !== undefined;
  };
  const ping = async (): Promise<string | undefined> => {
    const { origin, pathname, search } = new URL(url);
    const get = async (expired: AbortSignal) => {
      const { statusCode, body } = await agent.request({
        ...{ origin, path: pathname + search, method: 'GET', headers: { 'user-agent': 'changewire' } },
        signal: AbortSignal.any([expired, signal]),
      });
      body.on('error', () => undefined).destroy();
      return statusCode;
    };
    try {
      const status = await within(TIMEOUT_MS, get, () => new Expired());
      return status >= 200 && status < 300 ? undefined : `answered ${status}`;
    } catch (error) {
      return reasonOf(error, TIMEOUT_MS);
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted && !arePolled()) await sleep(FIRST_CHECK_MS, signal).catch(() => undefined);
    while (!signal.aborted) {
      const begun = clock();
      await beat();
      // From the beginning, so that a slow one does not delay the next.
      const left = Math.min(EVERY_MS, Math.max(0, begun + EVERY_MS - clock()));
      await sleep(left, signal).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
    await agent.destroy();
  };
}
