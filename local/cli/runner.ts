import { resolve } from 'node:path';
import type { Clock } from '../../functions/basics/clock.ts';
import { sleep } from '../../functions/basics/system.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { packageVersion } from '../basics/package-file.ts';
import { failure, UsageError } from '../basics/usage-error.ts';
import {
  type DataDirectory,
  openDataDirectory,
  openScratchDirectory,
  type RunContext,
} from '../data/data-directory.ts';
import { diskOf } from '../data/disk.ts';
import { openStore } from '../data/store.ts';
import { STORE_FILE } from '../data/store-file.ts';
import { type Address, formerAddress, removeAddress, writeAddress } from '../operate/address.ts';
import { type HealthParts, healthOf, serveHealth } from '../operate/health.ts';
import { Metrics } from '../operate/metrics.ts';
import { startOperationsServer, userName } from '../operate/server.ts';
import type { Options } from '../settings/options.ts';
import { namesService } from '../settings/watched.ts';
import type { Output } from '../terminal/output.ts';
import { askedBy, banner, bannerDetails, consoleOf, reportConsole } from './banner.ts';
import { Exchange } from './exchange.ts';
import { checkHosts, type Plan, type PlanParts, planOf } from './plan.ts';
import { type Begun, type Machine, type Runtime, startRuntime } from './runtime.ts';
import { resendOf } from './undelivered.ts';

export interface Runner extends Pick<Runtime, 'once' | 'watch' | 'stop'> {
  /** Rejects when the run cannot continue. */
  readonly failed: Promise<never>;
}

interface Parts extends PlanParts {
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

async function start(closers: AsyncDisposableStack, parts: Parts): Promise<Runner> {
  const { options, output, clock } = parts;
  const plan = await planOf(parts);
  const resend = resendOf(options.resend, plan.receivers);
  // The answer may be of a network that is not up yet, or of one endpoint only: each delivery is checked again.
  await checkHosts(plan, text => output.warn(text, { code: 'endpoint.refused-address' }));
  const data = options.memory ? undefined : (options.data ?? plan.data);
  const path = data === undefined ? undefined : resolve(parts.directory ?? '', data);
  const directory = takeDirectory(closers, path, output);
  const store = openStore({ closers, directory }, { clock, keep: plan.config?.keep });
  const metrics = new Metrics(packageVersion(), clock);
  const disk = async () => (directory.lasting ? diskOf(directory.file(STORE_FILE)) : undefined);

  let exchange: Exchange;
  let reloading: Promise<unknown> = Promise.resolve();
  const reload: Machine['reload'] = dryRun => {
    const reloaded = reloading.then(async () => {
      const next = await nextPlan(parts, exchange.plan);
      const answer = { ...differences(exchange.plan, next), config: next.options.config ?? '', dryRun };
      if (dryRun) return answer;
      await exchange.swap(next);
      output.info(`Reloaded ${answer.config}.`, { code: 'run.reloaded', ...answer });
      return answer;
    });
    reloading = reloaded.catch(() => undefined);
    return reloaded;
  };
  const machine: Machine = { directory, output, store, metrics, disk, reload, clock, sleep };

  let about: HealthParts;
  const onBegun = async (begun: Begun) => {
    about = begun.about;
    const health = await serveHealth(closers, options.health, () => healthOf(about), metrics);
    const { wanted: endpoints, subscriptions, config, environment } = plan;
    const started = {
      ...{ ...begun, subscriptions, endpoints, data, health, once: options.once, config: options.config },
      ask: options.once ? undefined : askedBy(directory.path, data),
      leavesService: config !== undefined && namesService(environment),
    };
    output.info(banner(started), bannerDetails(started));
  };
  const runtime = await startRuntime(machine, plan, { resend, onBegun });
  exchange = new Exchange(machine, { plan, runtime }, begun => {
    about = begun.about;
  });
  const { operations, failed } = exchange;
  closers.defer(async () => {
    exchange.refuse();
    await reloading;
    await exchange.runtime.stop();
  });
  if (!options.once) {
    const address = await serveOperations(operations, { closers, directory, output }, options);
    reportConsole({ output, options, address, directory });
  }
  return {
    once: () => exchange.runtime.once(),
    watch: () => exchange.runtime.watch(),
    stop: () => closers.disposeAsync(),
    failed,
  };
}

/** Reads and checks the configuration again. @throws Refused that names what is wrong, or needs a restart */
async function nextPlan(parts: Parts, plan: Plan): Promise<Plan> {
  if (!plan.config)
    throw new Refused('This run has no configuration file to reload: start it again with --config FILE.');
  const refuse = (error: unknown) => {
    throw error instanceof UsageError ? new Refused(`${error.message}\n${UNCHANGED}`) : error;
  };
  const next = await planOf(parts).catch(refuse);
  await checkHosts(next).catch(refuse);
  if (JSON.stringify(next.config?.keep) !== JSON.stringify(plan.config.keep))
    throw new Refused(`keep: restart to change it. ${UNCHANGED}`);
  return next;
}

const UNCHANGED =
  'Nothing was changed. A reload reads the configuration and .env; other variables and the command line need a restart.';

/** How the processes and endpoints of two plans differ. */
function differences(plan: Plan, next: Plan): Pick<AnswerOf<'reload'>, 'processes' | 'endpoints'> {
  const processes = ({ config }: Plan) =>
    (config?.workspaces ?? []).flatMap(({ name, processes }) => processes.map(({ id }) => `${name}/${id}`));
  const endpoints = ({ receivers }: Plan) => receivers.map(({ label }) => label);
  const compared = (before: readonly string[], after: readonly string[]) => ({
    count: after.length,
    added: after.filter(name => !before.includes(name)),
    removed: before.filter(name => !after.includes(name)),
  });
  return {
    processes: compared(processes(plan), processes(next)),
    endpoints: compared(endpoints(plan), endpoints(next)),
  };
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

/** Serves operations until the run stops. The address is in the data directory. */
async function serveOperations(
  operations: Operations,
  { closers, directory, output }: RunContext,
  options: Options,
): Promise<Address> {
  const server = await startOperationsServer(operations, {
    page: consoleOf(options),
    place: options.consolePlace,
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
