import type { Clock } from '../../functions/clock.ts';
import type { Feed } from '../feed/journal-feed.ts';
import { banner } from './banner.ts';
import { Closers } from './closers.ts';
import { type DataDirectory, openDataDirectory, openScratchDirectory } from './data-directory.ts';
import { type Endpoints, startEndpoints } from './endpoints.ts';
import { type Environment, type ServiceSettings, serviceSettings } from './environment.ts';
import { jobsOf } from './jobs.ts';
import { passOnce } from './once.ts';
import type { Options } from './options.ts';
import type { Output } from './output.ts';
import { type Polling, startPolling } from './polling.ts';
import { type Job, startScheduler } from './scheduler.ts';
import { sleep } from './sleep.ts';
import { polledEvery, realSource, type Source, simulatedSource } from './source.ts';
import { openStore } from './store.ts';
import { fileSweepTimes } from './sweep-times.ts';
import { dynamoTable, sqliteTable } from './table.ts';
import { startTopic, type Topic } from './topic.ts';
import { wantedEndpoints } from './wanted-endpoints.ts';

export interface Runner {
  /** One pass of each process, and all of its events delivered. @returns true when all went well. */
  once(): Promise<boolean>;
  /** Goes on until it is stopped. */
  watch(): void;
  /** Stops everything that was started, whatever its state. */
  stop(): Promise<void>;
}

/** How lively the simulated service is: changes come this often, and are looked for as often, in ms. */
const LIVELY = 2000;
const CONFIRM_WITHIN = 10_000;

interface Parts {
  readonly options: Options;
  readonly environment: Environment;
  readonly output: Output;
  readonly clock: Clock;
}

/** Starts every part; when one doesn't start, those before it are stopped again. */
export async function startRunner(parts: Parts): Promise<Runner> {
  const closers = new Closers();
  try {
    return await start(closers, parts);
  } catch (error) {
    await closers.close().catch(() => undefined);
    throw error;
  }
}

async function start(closers: Closers, parts: Parts): Promise<Runner> {
  const { options, environment, output, clock } = parts;
  const settings = serviceSettings(environment);
  const wanted = wantedEndpoints(options, environment);
  // What one service left to be sent must never reach those who watch another.
  const data = options.data ?? (settings ? '.changewire' : '.changewire/simulated');
  const directory = await takeDirectory(closers, options.memory ? undefined : data);
  const house = { closers, directory, output };
  const store = openStore(house);
  const dynamodb = environment.DYNAMODB_ENDPOINT;
  const table = dynamodb ? await dynamoTable(house, dynamodb) : sqliteTable(house, store);
  const opened = await openSource(house, options, settings);
  const interval = options.interval ?? (opened.simulated ? LIVELY : 60_000);
  const source = polledEvery(opened, interval);
  const kept = options.memory ? undefined : data;
  output.say(
    banner({ ...options, source, interval, subscribers: options.subscribe, endpoints: wanted, data: kept }),
  );
  const behind = { ...house, ...store };
  const topic = await startTopic(behind, {
    endpoints: options.subscribe,
    raw: options.raw,
    patience: CONFIRM_WITHIN,
  });
  const endpoints = await startEndpoints({ ...behind, topic: topic.topic }, wanted);
  const polling = startPolling({ output, snapshots: table.snapshots, clock }, source);
  closers.add(polling.close);
  const feed = () => table.feed(topic.publish);
  return {
    once: () => once({ source, topic, endpoints, feed, polling, output }),
    watch: () => {
      for (const origin of topic.unconfirmed)
        output.warn(`${origin} gets what happens once it has confirmed.`);
      feed();
      const sweeps = fileSweepTimes(directory.file('sweeps.json'));
      const jobs = jobsOf(source.workspace, { ...options, interval }, { ...polling, sweeps, clock });
      const onFailure = (job: Job, error: unknown) =>
        output.warn(`${job.name}: ${failure(error)}. It is tried again.`);
      const scheduler = startScheduler(jobs, { clock, sleep, onFailure });
      closers.add(async () => {
        const ended = scheduler.stop();
        await polling.close();
        await ended;
      });
    },
    stop: () => closers.close(),
  };
}

async function takeDirectory(closers: Closers, data: string | undefined): Promise<DataDirectory> {
  const directory = data === undefined ? openScratchDirectory() : openDataDirectory(data);
  process.once('exit', directory.release);
  closers.add(() => {
    process.off('exit', directory.release);
    directory.release();
  });
  return directory;
}

async function openSource(
  { closers, directory, output }: { closers: Closers; directory: DataDirectory; output: Output },
  { overlap, once }: Options,
  settings: ServiceSettings | undefined,
): Promise<Source> {
  if (settings !== undefined) return realSource(settings, overlap);
  const source = await simulatedSource({
    file: directory.file('service.json'),
    overlap,
    every: once ? undefined : LIVELY,
    onError: error => output.warn(`The simulated service can't change: ${failure(error)}.`),
  });
  closers.add(source.stop);
  return source;
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
  const well = await passOnce(
    source.workspace.processes.map(({ id }) => id),
    polling.runPass,
    output,
  );
  await drained();
  await topic.sns.idle();
  await endpoints.tried();
  return [well, !topic.gaveUp(), await endpoints.wellDone()].every(Boolean);
}

function failure(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
