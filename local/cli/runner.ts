import { resolve } from 'node:path';
import type { Clock } from '../../functions/basics/clock.ts';
import type { Networks } from '../../functions/basics/networks.ts';
import { resolveBySystem } from '../../functions/basics/proxy.ts';
import { sleep } from '../../functions/basics/system.ts';
import { linkTemplatesOf } from '../../functions/config/workspace.ts';
import { checkWatched } from '../../functions/operations/check-filter.ts';
import { Refused } from '../../functions/operations/refused.ts';
import type { MoveToFailed } from '../../functions/queue/failed-messages.ts';
import { sendOne } from '../../functions/queue/queue.ts';
import { askedPass, passIn } from '../../functions/schedule/pass-message.ts';
import { packageVersion } from '../basics/package-file.ts';
import type { Environment } from '../basics/process.ts';
import { failure, UsageError } from '../basics/usage-error.ts';
import {
  type DataDirectory,
  openDataDirectory,
  openScratchDirectory,
  type RunContext,
} from '../data/data-directory.ts';
import { openStore, type Store } from '../data/store.ts';
import { Feed, waking } from '../loops/feed.ts';
import type { Ticker } from '../loops/ticker.ts';
import { type Address, formerAddress, removeAddress, writeAddress } from '../operate/address.ts';
import { connectTo, doctorOf } from '../operate/doctor.ts';
import { healthOf, PassWatch, serveHealth } from '../operate/health.ts';
import { heartbeatUrl, startHeartbeat } from '../operate/heartbeat.ts';
import { Metrics } from '../operate/metrics.ts';
import { localOperations } from '../operate/operations.ts';
import { startOperationsServer, userName } from '../operate/server.ts';
import { refuseUndeliverable } from '../settings/endpoint-options.ts';
import type { Options } from '../settings/options.ts';
import { type Source, sourceOf } from '../settings/source.ts';
import { wantedEndpoints } from '../settings/wanted-endpoints.ts';
import { wantedSubscriptions } from '../settings/wanted-subscriptions.ts';
import { namesService } from '../settings/watched.ts';
import { subscriberName } from '../sns/sns.ts';
import type { Output } from '../terminal/output.ts';
import { askedBy, banner, bannerDetails, consoleOf, reportConsole } from './banner.ts';
import { type Endpoints, startEndpoints } from './endpoints.ts';
import { startHousekeeping } from './housekeeping.ts';
import { passOnce, processesOf, startPasses, workspacesOf } from './passes.ts';
import { startPolling } from './polling.ts';
import { startTicks } from './ticks.ts';
import { keepRejected, startTopic } from './topic.ts';
import { reportAbandoned, resendOf, resumePending } from './undelivered.ts';

export interface Runner {
  /** One pass of each process, and the delivery of all its events. @returns false if anything failed */
  once(): Promise<boolean>;
  /** Polls until it is stopped. */
  watch(): void;
  /** Stops everything that was started, in any state. */
  stop(): Promise<void>;
}

const CONFIRM_TIMEOUT_MS = 10_000;
/** The time to look up an endpoint's host: offline the lookup may take long, and finds nothing. */
const RESOLVE_TIMEOUT_MS = 3000;

interface Parts {
  readonly options: Options;
  readonly environment: Environment;
  /** Relative data directories start from it; by default from the current directory. */
  readonly directory?: string;
  readonly output: Output;
  readonly clock: Clock;
}

/** Starts every part; if one fails to start, the parts that were started are stopped again. */
export async function startRunner(parts: Parts): Promise<Runner> {
  const closers = new AsyncDisposableStack();
  try {
    return await start(closers, parts);
  } catch (error) {
    await closers.disposeAsync().catch(() => undefined);
    throw error;
  }
}

async function start(
  closers: AsyncDisposableStack,
  { options, environment, directory: base = '', output, clock }: Parts,
): Promise<Runner> {
  const { config, ...open } = sourceOf(options, environment);
  const wanted = wantedEndpoints(options.endpoints, config, environment);
  const networks = config?.networks ?? [];
  const heartbeat = heartbeatUrl(options.heartbeat, environment, networks);
  const pinged =
    heartbeat === undefined ? [] : [{ kind: 'heartbeat', url: heartbeat, origin: new URL(heartbeat).origin }];
  await refuseUndeliverable(
    [...wanted, ...pinged],
    { resolve: resolveBySystem, networks },
    RESOLVE_TIMEOUT_MS,
  );
  const subscriptions = wantedSubscriptions(options, config);
  const receivers = [
    ...subscriptions.map(({ name, label }) => ({ label, kept: subscriberName(name) })),
    ...wanted.map(({ name }) => ({ label: name, kept: name })),
  ];
  const resend = resendOf(options.resend, receivers);
  const data = options.memory ? undefined : (options.data ?? open.data);
  const directory = takeDirectory(closers, data === undefined ? undefined : resolve(base, data), output);
  const run: RunContext = { closers, directory, output };
  const store = openStore(run, { clock, keep: config?.keep });
  const source = await open.start(run);
  await checkFilters(options.endpoints, source);
  const passes = new PassWatch(clock());
  const metrics = new Metrics(packageVersion(), clock);
  const about = { ...store, ...source, passes, metrics, clock, receivers };
  const health = await serveHealth(closers, options.health, about);
  const added = (await store.endpoints.list()).flatMap(({ name, settings }) =>
    settings && !wanted.some(one => one.name === name) ? [settings] : [],
  );
  const start = {
    ...{ source, subscriptions, endpoints: wanted, added, data, health, once: options.once },
    ask: options.once ? undefined : askedBy(directory.path, data),
    config: options.config,
    leavesService: config !== undefined && namesService(environment),
  };
  output.info(banner(start), bannerDetails(start));
  await store.roster.remember(processesOf(source));
  const parts = { ...run, ...store, resend, metrics, clock };
  const served = [...receivers, ...added.map(({ name }) => ({ label: name, kept: name }))];
  await reportAbandoned(parts, new Set(served.map(({ kept }) => kept)), clock());
  const undelivered = await resumePending(parts, served, clock());
  const topic = await startTopic(parts, { subscriptions, confirmWithin: CONFIRM_TIMEOUT_MS });
  const linkTemplates = linkTemplatesOf(config ?? { workspaces: [] });
  const moveToFailed: MoveToFailed = async ({ body }, queue, reason) =>
    keepRejected(directory, { reason, queue, body });
  const endpoints = await startEndpoints(
    { ...parts, linkTemplates, networks, proxy: config?.proxy, moveToFailed },
    wanted,
  );
  let wakeFeed = () => {};
  const snapshots = waking(store.snapshots, () => wakeFeed());
  const polled = { output, snapshots, rows: store.workspaces, filters: wanted, clock, passes, metrics };
  const polling = startPolling(polled, source);
  closers.defer(polling.close);
  let ticker: Ticker | undefined;
  if (!options.once) {
    const operating = { ...store, ...endpoints, source, hasConsole: options.console };
    const address = await serveOperations(run, { ...operating, networks, onAct: () => ticker?.now() });
    reportConsole({ output, options, address, directory });
  }
  const startFeed = (): Feed => {
    const feed = new Feed({ journal: store.feed, publish: topic.publish, sleep, onNotice: output.warn });
    wakeFeed = () => feed.wake();
    closers.defer(() => feed.stop());
    return feed;
  };
  return {
    once: async () => {
      const { sns, unconfirmed } = topic;
      if (unconfirmed.length > 0) {
        output.warn(`${unconfirmed.join(', ')} did not confirm the subscription; no events are sent.`, {
          code: 'subscription.unconfirmed',
        });
        return false;
      }
      const feed = startFeed();
      const isCompleted = await passOnce(processesOf(source), polling.runPass, output, workspacesOf(source));
      await feed.drained();
      await sns.idle();
      await endpoints.delivering.tried();
      return (await undelivered.isEmpty()) && isCompleted;
    },
    watch: () => {
      for (const label of topic.unconfirmed)
        output.warn(`${label} receives events once it confirms its subscription.`, {
          code: 'subscription.unconfirmed',
        });
      startFeed();
      const onFailure = (error: unknown) =>
        output.warn(`Could not delete expired data: ${failure(error)}. Will retry.`, {
          code: 'housekeeping.failed',
        });
      closers.defer(startHousekeeping({ ...store, clock, sleep, onFailure }));
      if (heartbeat !== undefined) {
        const isHealthy = async () => (await healthOf(about)).status === 'ok';
        const network = { networks, proxy: config?.proxy };
        closers.defer(
          startHeartbeat({ url: heartbeat, ...network, isHealthy, clock, sleep, warn: output.warn }),
        );
      }
      const common = { source, clock, sleep };
      const passing = startPasses(run, { ...common, polling, moveToFailed, queue: store.queues.passes });
      ticker = startTicks(run, { ...common, ...store, ...endpoints, passing });
    },
    stop: () => closers.disposeAsync(),
  };
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

function takeDirectory(
  closers: AsyncDisposableStack,
  data: string | undefined,
  output: Output,
): DataDirectory {
  const directory = data === undefined ? openScratchDirectory() : openDataDirectory(data, output.warn);
  process.once('exit', directory.release);
  closers.defer(() => {
    process.off('exit', directory.release);
    directory.release();
  });
  return directory;
}

interface Operating extends Store, Endpoints {
  readonly networks: Networks;
  readonly source: Source;
  readonly hasConsole: boolean;
  /** Called after an operation that may have changed something. */
  readonly onAct: () => void;
}

/** Serves operations until the run stops. The address is in the data directory. */
async function serveOperations(
  { closers, directory, output }: RunContext,
  { source, queues, delivering, networks, hasConsole, ...parts }: Operating,
): Promise<Address> {
  const operations = localOperations({
    ...parts,
    isRunning: true,
    log: output.log,
    queues: delivering.wakes,
    sender: delivering.sender,
    ...{ doctor: doctorOf(source), connectService: connectTo(source), networks },
    processes: async () => processesOf(source),
    startPass: (process, mode) => sendOne(queues.passes, passIn(askedPass(process, mode, Date.now()))),
  });
  const server = await startOperationsServer(operations, {
    page: consoleOf({ console: hasConsole }),
    before: formerAddress(directory.path),
    who: userName(),
    onError: error =>
      output.warn(`An operation failed: ${failure(error)}.`, { code: 'operations.request-failed' }),
  });
  writeAddress(directory.path, server);
  closers.defer(async () => {
    removeAddress(directory.path, server);
    await server.stop();
  });
  return server;
}
