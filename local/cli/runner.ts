import type { Clock } from '../../functions/basics/clock.ts';
import { linkTemplatesOf } from '../../functions/config/workspace.ts';
import { resolveBySystem } from '../../functions/delivery/http/guarded-agent.ts';
import { checkWatched } from '../../functions/operations/check-filter.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { Closers } from '../basics/closers.ts';
import type { Environment } from '../basics/environment.ts';
import { failure } from '../basics/failure.ts';
import type { Output } from '../basics/output.ts';
import { sleep } from '../basics/sleep.ts';
import { UsageError } from '../basics/usage-error.ts';
import { type DataDirectory, openDataDirectory, openScratchDirectory } from '../data/data-directory.ts';
import { openStore } from '../data/store.ts';
import { PassWatch } from '../health/freshness.ts';
import { serveHealth } from '../health/server.ts';
import { refuseUndeliverable } from '../settings/endpoint-options.ts';
import type { Options } from '../settings/options.ts';
import { namesService } from '../settings/service-settings.ts';
import { wantedEndpoints } from '../settings/wanted-endpoints.ts';
import { wantedSubscriptions } from '../settings/wanted-subscriptions.ts';
import { subscriberName } from '../sns/subscribe.ts';
import type { Source } from '../source/source.ts';
import { sourceOf } from '../source/source-of.ts';
import type { Feed } from '../stream/rounds.ts';
import { answerPeople } from './answer-people.ts';
import { askedBy, banner, bannerDetails } from './banner.ts';
import { consoleOf, tellConsole } from './console.ts';
import { type Endpoints, startEndpoints } from './endpoints.ts';
import { startHousekeeping } from './housekeeping.ts';
import { passOnce } from './once.ts';
import { processesOf, startPasses, workspacesOf } from './passes.ts';
import { type Polling, startPolling } from './polling.ts';
import { resendOf } from './resend.ts';
import { sqliteTable, type Table } from './table.ts';
import { startTopic, type Topic } from './topic.ts';
import { tellAbandoned } from './undelivered.ts';

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

/** What every part of a run may need. */
interface House {
  readonly closers: Closers;
  readonly directory: DataDirectory;
  readonly output: Output;
}

/** Starts every part; if one doesn't start, those that were started before are stopped again. */
export async function startRunner(parts: Parts): Promise<Runner> {
  const closers = new Closers();
  try {
    return await start(closers, parts);
  } catch (error) {
    await closers.close().catch(() => undefined);
    throw error;
  }
}

async function start(closers: Closers, { options, environment, output, clock }: Parts): Promise<Runner> {
  const open = sourceOf(options, environment);
  const config = open.config;
  const wanted = wantedEndpoints(options.endpoints, config, environment);
  await refuseUndeliverable(wanted, resolveBySystem, RESOLVED_WITHIN);
  const subscriptions = wantedSubscriptions(options, config);
  const resend = resendOf(options.resend, wanted, subscriptions);
  const data = options.memory ? undefined : (options.data ?? open.data);
  const house = { closers, directory: takeDirectory(closers, data, output), output };
  const store = openStore(house);
  const dynamodb = environment.DYNAMODB_ENDPOINT;
  const table = dynamodb ? await openDynamo(house, dynamodb) : sqliteTable(house, store);
  const source = await open.start(house);
  await checkFilters(options.endpoints, source);
  const passes = new PassWatch(clock());
  const about = { ...store, ...source, passes, snapshots: table.snapshots, clock };
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
  const ask = options.once ? undefined : askedBy(house.directory.path, data);
  const file = { config: options.config, leavesService: config !== undefined && namesService(environment) };
  const start = {
    ...{ source, subscriptions, endpoints: wanted, added, ...file, data, health, ask },
    once: options.once,
  };
  output.say(banner(start), bannerDetails(start));
  const behind = { ...house, ...store, resend };
  const looks = table.looks(processesOf(source));
  await looks.roster.remember(processesOf(source));
  const kept = [
    ...subscriptions.map(({ name }) => subscriberName(name)),
    ...wanted.map(({ name }) => name),
    ...added.map(({ name }) => name),
  ];
  await tellAbandoned(behind, new Set(kept), clock());
  const topic = await startTopic(behind, { subscriptions, patience: CONFIRM_WITHIN });
  const linkTemplates = linkTemplatesOf(config ?? { workspaces: [] });
  const endpoints = await startEndpoints(
    { ...behind, topic: topic.topic, journal: looks.journal, linkTemplates },
    wanted,
  );
  const polling = startPolling({ output, snapshots: table.snapshots, clock, passes }, source);
  closers.add(polling.close);
  const page = consoleOf(options);
  const served = options.once
    ? undefined
    : await answerPeople(house, { ...store, ...looks, ...endpoints, source, page });
  if (served) tellConsole({ output, options, address: served.address, directory: house.directory });
  const feed = () => table.feed(topic.publish);
  return {
    once: () => once({ source, topic, endpoints, feed, polling, output }),
    watch: () => {
      for (const label of topic.unconfirmed) output.warn(`${label} gets what happens once it has confirmed.`);
      feed();
      endpoints.watch();
      const onFailure = (error: unknown) =>
        output.warn(`What has expired is not dropped: ${failure(error)}.`);
      closers.add(startHousekeeping({ ...store, clock, sleep, onFailure }).stop);
      const begin = startPasses(house, { source, polling, snapshots: table.snapshots, clock, sleep });
      served?.passesBeginBy(begin);
    },
    stop: () => closers.close(),
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

/** Loaded only when a DynamoDB is used: AWS's clients take time and memory. */
async function openDynamo(house: House, endpoint: string): Promise<Table> {
  const { dynamoTable } = await import('./dynamo-table.ts');
  return dynamoTable(house, endpoint);
}

function takeDirectory(closers: Closers, data: string | undefined, output: Output): DataDirectory {
  const directory = data === undefined ? openScratchDirectory() : openDataDirectory(data, output.warn);
  process.once('exit', directory.release);
  closers.add(() => {
    process.off('exit', directory.release);
    directory.release();
  });
  return directory;
}

async function once(parts: {
  source: Source;
  topic: Topic;
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
  const { drained } = feed();
  const well = await passOnce(processesOf(source), polling.runPass, output, workspacesOf(source));
  await drained();
  await topic.sns.idle();
  await endpoints.tried();
  return [well, !topic.gaveUp(), await endpoints.wellDone()].every(Boolean);
}
