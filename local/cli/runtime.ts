import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import { linkTemplatesOf } from '../../functions/config/workspace.ts';
import type { SenderOptions } from '../../functions/delivery/sender.ts';
import type { Disk } from '../../functions/model/disk.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { MoveToFailed } from '../../functions/queue/failed-messages.ts';
import { sendOne } from '../../functions/queue/queue.ts';
import { askedPass, passIn } from '../../functions/schedule/pass-message.ts';
import { failure } from '../basics/usage-error.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { openQueues, type Store } from '../data/store.ts';
import { Feed, waking } from '../loops/feed.ts';
import type { Ticker } from '../loops/ticker.ts';
import { connectTo, doctorOf } from '../operate/doctor.ts';
import { type HealthParts, healthOf, PassWatch } from '../operate/health.ts';
import { startHeartbeat } from '../operate/heartbeat.ts';
import type { Metrics } from '../operate/metrics.ts';
import { localOperations } from '../operate/operations.ts';
import type { Source } from '../settings/source.ts';
import type { SnsConnections } from '../sns/sns.ts';
import type { Output } from '../terminal/output.ts';
import { startEndpoints } from './endpoints.ts';
import { diskWatch, dropExpired, startHousekeeping } from './housekeeping.ts';
import { passOnce, processesOf, startPasses, workspacesOf } from './passes.ts';
import type { Plan } from './plan.ts';
import { startPolling } from './polling.ts';
import { startTicks } from './ticks.ts';
import { keepRejected, startTopic } from './topic.ts';
import { reportAbandoned, resumePending } from './undelivered.ts';

const CONFIRM_TIMEOUT_MS = 10_000;

/** The parts of a run that stay when its configuration is reloaded. */
export interface Machine {
  readonly directory: DataDirectory;
  readonly output: Output;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly disk: () => Promise<Disk | undefined>;
  readonly reload: (dryRun: boolean) => Promise<AnswerOf<'reload'>>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** The connections to receivers, by default over the network of this machine. */
  readonly connections?: SnsConnections & Pick<SenderOptions, 'openAgent'>;
}

/** What is known before anything is polled or sent. */
export interface Begun {
  readonly source: Source;
  /** Endpoints that were added at runtime. */
  readonly added: readonly EndpointSettings[];
  /** The parts of the run's health. */
  readonly about: HealthParts;
}

/** Everything that runs by one reading of the configuration. */
export interface Runtime {
  readonly operations: Operations;
  /** One pass of each process, and the delivery of all its events. @returns false if anything failed */
  once(): Promise<boolean>;
  /** Polls until it is stopped. */
  watch(): void;
  /** Stops everything that was started, in any state. */
  stop(): Promise<void>;
  /** Resolves when the deliveries that were running at the stop have ended. */
  ended(): Promise<void>;
}

export interface Beginning {
  /** Receivers whose dead letters are sent again. */
  readonly resend: ReadonlySet<string>;
  /** Called before anything is polled or sent. */
  readonly onBegun: (begun: Begun) => void | Promise<void>;
}

/** Starts every part; if one fails to start, the parts that were started are stopped again. */
export async function startRuntime(machine: Machine, plan: Plan, beginning: Beginning): Promise<Runtime> {
  const closers = new AsyncDisposableStack();
  try {
    return await start(closers, machine, { plan, ...beginning });
  } catch (error) {
    await closers.disposeAsync().catch(() => undefined);
    throw error;
  }
}

async function start(
  closers: AsyncDisposableStack,
  { store: opened, ...machine }: Machine,
  { plan, resend, onBegun }: { readonly plan: Plan } & Beginning,
): Promise<Runtime> {
  const { directory, output, metrics, disk, clock, sleep, connections } = machine;
  const { config, networks, wanted, subscriptions, receivers, heartbeat } = plan;
  const run = { closers, directory, output };
  // Of its own, because consumers of an earlier runtime listen to the former ones.
  const store: Store = { ...opened, queues: openQueues(opened.database.file, clock) };
  const source = await plan.open(run);
  const passes = new PassWatch(clock());
  const about = { ...store, ...source, passes, disk, clock, receivers };
  const added = (await store.endpoints.list()).flatMap(({ name, settings }) =>
    settings && !wanted.some(one => one.name === name) ? [settings] : [],
  );
  await onBegun({ source, added, about });
  await store.roster.remember(processesOf(source));
  const parts = { ...run, ...store, resend, metrics, clock, sleep, connections };
  const served = [...receivers, ...added.map(({ name }) => ({ label: name, kept: name }))];
  await reportAbandoned(parts, served, clock());
  const undelivered = await resumePending(parts, served, clock());
  const topic = await startTopic(parts, { subscriptions, confirmWithin: CONFIRM_TIMEOUT_MS });
  const linkTemplates = linkTemplatesOf(config ?? { workspaces: [] });
  const moveToFailed: MoveToFailed = async ({ body }, queue, reason) =>
    keepRejected(directory, { reason, queue, body });
  const endpoints = await startEndpoints(
    {
      ...parts,
      linkTemplates,
      networks,
      proxy: config?.proxy,
      moveToFailed,
      openAgent: connections?.openAgent,
    },
    wanted,
  );
  let wakeFeed = () => {};
  const snapshots = waking(store.snapshots, () => wakeFeed());
  const polled = { output, snapshots, rows: store.workspaces, filters: wanted, clock, passes, metrics };
  const polling = startPolling(polled, source);
  closers.defer(polling.close);
  let ticker: Ticker | undefined;
  const { delivering, ...endpointParts } = endpoints;
  const { queues, ...storeParts } = store;
  const operations = localOperations({
    ...{ ...storeParts, ...endpointParts, networks, disk, isRunning: true },
    toApply: config ? 'reload' : 'start again',
    reload: machine.reload,
    ...{ log: output.log, queues: delivering.wakes, sender: delivering.sender },
    ...{ doctor: doctorOf(source), connectService: connectTo(source) },
    processes: async () => processesOf(source),
    startPass: (process, mode) => sendOne(queues.passes, passIn(askedPass(process, mode, clock()))),
    onAct: () => ticker?.now(),
  });
  const onNotExpired = (error: unknown) =>
    output.warn(`Could not delete expired data: ${failure(error)}. Will retry.`, {
      code: 'housekeeping.failed',
    });
  const startFeed = (): Feed => {
    const feed = new Feed({ journal: store.feed, publish: topic.publish, sleep, onNotice: output.warn });
    wakeFeed = () => feed.wake();
    closers.defer(() => feed.stop());
    return feed;
  };
  return {
    operations,
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
      await delivering.tried();
      const isEmpty = await undelivered.isEmpty();
      await dropExpired(store, clock(), () => sleep(0), new AbortController().signal).catch(onNotExpired);
      return isEmpty && isCompleted;
    },
    watch: () => {
      for (const label of topic.unconfirmed)
        output.warn(`${label} receives events once it confirms its subscription.`, {
          code: 'subscription.unconfirmed',
        });
      startFeed();
      const watchDisk = diskWatch(disk, output);
      closers.defer(startHousekeeping({ ...store, watchDisk, clock, sleep, onFailure: onNotExpired }));
      if (heartbeat !== undefined) {
        const isHealthy = async () => (await healthOf(about)).status === 'ok';
        const arePolled = () => passes.arePolled(processesOf(source), clock());
        const network = { url: heartbeat, networks, proxy: config?.proxy };
        const { warn } = output;
        closers.defer(startHeartbeat({ ...network, isHealthy, arePolled, clock, sleep, warn }));
      }
      const common = { source, clock, sleep };
      const passing = startPasses(run, { ...common, polling, moveToFailed, queue: queues.passes });
      ticker = startTicks(run, { ...common, ...store, ...endpoints, passing });
    },
    stop: () => closers.disposeAsync(),
    ended: () => delivering.ended(),
  };
}
