import type { Networks } from '../../functions/basics/networks.ts';
import { resolveBySystem } from '../../functions/basics/proxy.ts';
import type { Config } from '../../functions/config/schema.ts';
import { checkWatched } from '../../functions/operations/check-filter.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { type Environment, withEnvFile } from '../basics/process.ts';
import { UsageError } from '../basics/usage-error.ts';
import type { RunContext } from '../data/data-directory.ts';
import { heartbeatUrl } from '../operate/heartbeat.ts';
import { refuseUndeliverable } from '../settings/endpoint-options.ts';
import type { Options } from '../settings/options.ts';
import { type Source, sourceOf } from '../settings/source.ts';
import { type WantedEndpoint, wantedEndpoints } from '../settings/wanted-endpoints.ts';
import { type WantedSubscription, wantedSubscriptions } from '../settings/wanted-subscriptions.ts';
import { subscriberName } from '../sns/sns.ts';
import { processesOf } from './passes.ts';
import type { Receiver } from './undelivered.ts';

/** The time to look up an endpoint's host: offline the lookup may take long, and finds nothing. */
const RESOLVE_TIMEOUT_MS = 3000;

export interface PlanParts {
  readonly options: Options;
  readonly environment: Environment;
  /** The directory of `.env`, which completes the environment, and of relative data directories. By default the current
   *  one, without `.env`. */
  readonly directory?: string;
}

/** The command line, the environment and the configuration, checked. */
export interface Plan {
  readonly options: Options;
  readonly environment: Environment;
  /** Undefined without a configuration file. */
  readonly config: Config | undefined;
  readonly networks: Networks;
  readonly wanted: readonly WantedEndpoint[];
  readonly subscriptions: readonly WantedSubscription[];
  /** The wanted endpoints and the subscriptions. */
  readonly receivers: readonly Receiver[];
  readonly heartbeat: string | undefined;
  /** The default data directory. */
  readonly data: string;
  /** Opens the service; the simulated one is started. */
  readonly open: (run: RunContext) => Promise<Source>;
}

/** Reads and checks everything, and changes nothing. @throws UsageError */
export async function planOf({ options, environment: given, directory }: PlanParts): Promise<Plan> {
  const environment = directory === undefined ? given : withEnvFile(given, directory);
  const { config, source: named, data, start } = sourceOf(options, environment);
  if (named) await checkFilters(options.endpoints, named);
  const wanted = wantedEndpoints(options.endpoints, config, environment);
  const networks = config?.networks ?? [];
  const heartbeat = heartbeatUrl(options.heartbeat, environment, networks);
  const subscriptions = wantedSubscriptions(options, config);
  const receivers = [
    ...subscriptions.map(({ name, label }) => ({ label, kept: subscriberName(name) })),
    ...wanted.map(({ name }) => ({ label: name, kept: name })),
  ];
  const open: Plan['open'] = async run => {
    const source = await start(run);
    if (!named) await checkFilters(options.endpoints, source);
    return source;
  };
  return { options, environment, config, networks, wanted, subscriptions, receivers, heartbeat, data, open };
}

/** Looks up the hosts of the endpoints and the heartbeat, as {@link refuseUndeliverable}. @throws UsageError */
export async function checkHosts(
  { wanted, heartbeat, networks }: Plan,
  onRefusedAddress?: (text: string) => void,
): Promise<void> {
  const pinged =
    heartbeat === undefined ? [] : [{ kind: 'heartbeat', url: heartbeat, origin: new URL(heartbeat).origin }];
  const network = { resolve: resolveBySystem, networks };
  await refuseUndeliverable([...wanted, ...pinged], network, RESOLVE_TIMEOUT_MS, onRefusedAddress);
}

/** Checks the filters of the command line against the watched processes; those of the configuration were checked when
 *  it was read. @throws UsageError */
async function checkFilters(endpoints: Options['endpoints'], source: Source): Promise<void> {
  try {
    for (const { filter } of endpoints)
      await checkWatched({ processes: async () => processesOf(source) }, filter);
  } catch (error) {
    throw error instanceof Refused
      ? new UsageError(`--${error.message.replace('filter.', 'filter ')}`)
      : error;
  }
}
