import type { Clock } from '../../functions/basics/clock.ts';
import { sleep } from '../../functions/basics/system.ts';
import { linkTemplatesOf } from '../../functions/config/workspace.ts';
import { resolveBySystem } from '../../functions/delivery/http/addresses.ts';
import { checkWatched } from '../../functions/operations/check-filter.ts';
import { Refused } from '../../functions/operations/refused.ts';
import type { SetAside } from '../../functions/queue/set-aside.ts';
import type { Environment } from '../basics/environment.ts';
import { failure } from '../basics/failure.ts';
import { UsageError } from '../basics/usage-error.ts';
import {
  type DataDirectory,
  openDataDirectory,
  openScratchDirectory,
  type RunContext,
} from '../data/data-directory.ts';
import { openStore } from '../data/store.ts';
import { Feed, waking } from '../loops/feed.ts';
import type { Ticker } from '../loops/ticker.ts';
import { PassWatch, serveHealth } from '../operate/health.ts';
import { refuseUndeliverable } from '../settings/endpoint-options.ts';
import type { Options } from '../settings/options.ts';
import type { Source } from '../settings/source.ts';
import { sourceOf } from '../settings/source.ts';
import { wantedEndpoints } from '../settings/wanted-endpoints.ts';
import { wantedSubscriptions } from '../settings/wanted-subscriptions.ts';
import { namesService } from '../settings/watched.ts';
import { subscriberName } from '../sns/sns.ts';
import type { Output } from '../terminal/output.ts';
import { askedBy, banner, bannerDetails, consoleOf, reportConsole } from './banner.ts';
import { type Endpoints, startEndpoints } from './endpoints.ts';
import { startHousekeeping } from './housekeeping.ts';
import { serveOperations } from './operations.ts';
import { passOnce, processesOf, startPasses, workspacesOf } from './passes.ts';
import { type Polling, startPolling } from './polling.ts';
import { startTicks } from './ticks.ts';
import { keepRejected, type StartedTopic, startTopic } from './topic.ts';
import { reportAbandoned, resendOf } from './undelivered.ts';

export interface Runner {
  /** One pass of each process, and all of its events delivered. @returns true when all went well. */
  once(): Promise<boolean>;
  /** Goes on until it is stopped. */
  watch(): void;
  /** Stops everything that was started, whatever its state. */
  stop(): Promise<void>;
}

const CONFIRM_WITHIN = 10_000;
/** How long looking up an endpoint's host may take: offline it may take long, and finds nothing. */
const RESOLVED_WITHIN = 3000;

interface Parts {
  readonly options: Options;
  readonly environment: Environment;
  readonly output: Output;
  readonly clock: Clock;
}

/** Starts every part; if one doesn't start, those that were started before are stopped again. */
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
  { options, environment, output, clock }: Parts,
): Promise<Runner> {
  const open = sourceOf(options, environment);
  const config = open.config;
  const wanted = wantedEndpoints(options.endpoints, config, environment);
  await refuseUndeliverable(wanted, resolveBySystem, RESOLVED_WITHIN);
  const subscriptions = wantedSubscriptions(options, config);
  const resend = resendOf(options.resend, wanted, subscriptions);
  const data = options.memory ? undefined : (options.data ?? open.data);
  const run: RunContext = { closers, directory: takeDirectory(closers, data, output), output };
  const store = openStore(run, clock);
  const source = await open.start(run);
  await checkFilters(options.endpoints, source);
  const passes = new PassWatch(clock());
  const about = { ...store, ...source, passes, clock };
  const health = await serveHealth(closers, options.health, {
    ...about,
    endpoints: [
      ...subscriptions.map(({ name, label }) => ({ name: label, kept: subscriberName(name) })),
      ...wanted.map(({ name }) => ({ name, kept: name })),
    ],
  });
  const names = new Set(wanted.map(({ name }) => name));
  const added = (await store.rows.list()).flatMap(({ name, settings }) =>
    settings && !names.has(name) ? [settings] : [],
  );
  const ask = options.once ? undefined : askedBy(run.directory.path, data);
  const file = { config: options.config, leavesService: config !== undefined && namesService(environment) };
  const start = {
    ...{ source, subscriptions, endpoints: wanted, added, ...file, data, health, ask },
    once: options.once,
  };
  output.say(banner(start), bannerDetails(start));
  const parts = { ...run, ...store, resend };
  await store.roster.remember(processesOf(source));
  const kept = [
    ...subscriptions.map(({ name }) => subscriberName(name)),
    ...wanted.map(({ name }) => name),
    ...added.map(({ name }) => name),
  ];
  await reportAbandoned(parts, new Set(kept), clock());
  const topic = await startTopic(parts, { subscriptions, patience: CONFIRM_WITHIN });
  const linkTemplates = linkTemplatesOf(config ?? { workspaces: [] });
  const setAside: SetAside = async ({ body }, queue, reason) =>
    keepRejected(run.directory, { reason, queue, body });
  const endpoints = await startEndpoints({ ...parts, linkTemplates, setAside, clock }, wanted);
  let wakeFeed = () => {};
  const snapshots = waking(store.snapshots, () => wakeFeed());
  const polling = startPolling({ output, snapshots, clock, passes }, source);
  closers.defer(polling.close);
  const page = consoleOf(options);
  let ticker: Ticker | undefined;
  const address = options.once
    ? undefined
    : await serveOperations(run, { ...store, ...endpoints, source, page, onAct: () => ticker?.now() });
  if (address) reportConsole({ output, options, address, directory: run.directory });
  const feed = () => {
    const { journal } = store;
    const started = new Feed({ journal, publish: topic.publish, sleep, onNotice: output.warn });
    wakeFeed = () => started.wake();
    closers.defer(() => started.stop());
    return started;
  };
  return {
    once: () => once({ source, topic, endpoints, feed, polling, output }),
    watch: () => {
      for (const label of topic.unconfirmed) output.warn(`${label} gets what happens once it has confirmed.`);
      feed();
      const onFailure = (error: unknown) =>
        output.warn(`What has expired is not dropped: ${failure(error)}.`);
      closers.defer(startHousekeeping({ ...store, clock, sleep, onFailure }).stop);
      const passing = startPasses(run, {
        ...{ source, polling, setAside, clock, sleep },
        queue: store.queues.passes,
      });
      ticker = startTicks(run, { ...store, source, endpoints, passing, clock, sleep });
    },
    stop: () => closers.disposeAsync(),
  };
}

/** Checks the filters of the command line against what is watched; those of the configuration were checked when it was read.
 *  @throws UsageError */
async function checkFilters(
  endpoints: Parts['options']['endpoints'],
  source: Parameters<typeof processesOf>[0],
): Promise<void> {
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

async function once(parts: {
  source: Source;
  topic: StartedTopic;
  endpoints: Endpoints;
  feed: () => Feed;
  polling: Polling;
  output: Output;
}): Promise<boolean> {
  const { source, topic, endpoints, feed, polling, output } = parts;
  if (topic.unconfirmed.length > 0) {
    output.warn(`${topic.unconfirmed.join(', ')} did not confirm the subscription, so nothing is sent now.`);
    return false;
  }
  const started = feed();
  const well = await passOnce(processesOf(source), polling.runPass, output, workspacesOf(source));
  await started.drained();
  await topic.sns.idle();
  await endpoints.tried();
  return [well, !(await topic.gaveUp()), await endpoints.wellDone()].every(Boolean);
}
