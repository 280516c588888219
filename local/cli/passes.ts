import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import { createPollHandler, type Poll } from '../../functions/handlers/create-poll.ts';
import type { Polled } from '../../functions/handlers/workspace-run.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import type { MoveToFailed } from '../../functions/queue/failed-messages.ts';
import type { SqliteQueue } from '../../functions/queue/sqlite.ts';
import { askedPass, passIn } from '../../functions/schedule/pass-message.ts';
import { ServiceError, ServiceStatusError, TokenError } from '../../functions/service/errors.ts';
import type { KnownProcess } from '../../functions/store/store.ts';
import { Outage, throttled } from '../basics/outage.ts';
import { failure } from '../basics/usage-error.ts';
import { Consumer } from '../loops/consumer.ts';
import type { Source } from '../settings/source.ts';
import type { Output } from '../terminal/output.ts';
import { PASS_MS, type Polling, type RunPass, Stopped } from './polling.ts';

interface Parts {
  readonly source: Pick<Source, 'watched'>;
  readonly polling: Polling;
  readonly queue: SqliteQueue;
  readonly moveToFailed: MoveToFailed;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** The passes of a run. */
export interface Passing {
  /** Reads the queue at once. */
  wake(): void;
  /** Has a `changes` pass of every process made now. */
  askAll(): Promise<unknown>;
}

/** Serves the queue of passes. Each start makes a `changes` pass of every process at once. */
export function startPasses(
  { closers, output }: { readonly closers: AsyncDisposableStack; readonly output: Output },
  { source, polling, queue, moveToFailed, clock, sleep }: Parts,
): Passing {
  const logError = throttled(output.log.error, clock);
  const failures = new PassFailures(output, workspacesOf(source), clock);
  let isStopping = false;
  const ask = (processes: readonly ProcessKey[], mode: Mode) =>
    queue.send(processes.map(process => passIn(askedPass(process, mode, clock()))));
  /** Resolves for a process when its first `changes` pass of this run has ended. */
  const polledOnce = new Map(processesOf(source).map(one => [keyOf(one), Promise.withResolvers<void>()]));
  const poll: Poll = async (request, context) => {
    const { workspace, mode } = request;
    const keyIn = (processId: string) => keyOf({ workspace, processId });
    // Others were watched by an earlier run.
    const processes = request.processes.filter(id => polledOnce.has(keyIn(id)));
    if (processes.length === 0) return { outcome: 'expired', processes: new Map() };
    // After a restore or a long stop, a sweep would find the changes first, without their actors.
    if (mode === 'sweep') for (const id of processes) await polledOnce.get(keyIn(id))?.promise;
    try {
      const polled = await polling.poll({ ...request, processes }, context);
      for (const [processId, one] of polled.processes) await report({ workspace, processId }, mode, one);
      return polled;
    } finally {
      if (mode === 'changes') for (const id of processes) polledOnce.get(keyIn(id))?.resolve();
    }
  };
  const report = async (process: ProcessKey, mode: Mode, polled: Polled): Promise<void> => {
    if ('error' in polled) {
      if (!isStopping) failures.failed({ process, mode }, polled.error);
      return;
    }
    if (polled.report.outcome === 'completed') failures.completed({ process, mode });
    if (hasMore(mode, polled.report)) await ask([process], mode);
  };
  const consumer = new Consumer({
    ...{ queue, batch: 1, timeout: PASS_MS, clock, sleep },
    serve: createPollHandler(poll, moveToFailed, output.log),
    onFailure: error =>
      logError('Could not process messages of the passes queue; will retry.', {
        ...{ code: 'passes.not-processed', error: String(error) },
      }),
  });
  closers.defer(async () => {
    isStopping = true;
    for (const { resolve } of polledOnce.values()) resolve();
    const ended = consumer.stop();
    await polling.close();
    await ended;
  });
  void ask(processesOf(source), 'changes');
  consumer.start();
  return { wake: () => consumer.wake(), askAll: () => ask(processesOf(source), 'changes') };
}

/** Whether to run again at once: to resume a pass or, after a baseline, to find what changed during it. */
function hasMore(wanted: Mode, { mode, outcome }: PassReport): boolean {
  return outcome === 'unfinished' || (wanted === 'changes' && mode === 'baseline' && outcome === 'completed');
}

const keyOf = ({ workspace, processId }: ProcessKey): string => JSON.stringify([workspace, processId]);

/** Every workspace that is watched. */
export function workspacesOf({ watched }: Pick<Source, 'watched'>): WorkspaceSettings[] {
  return watched.map(({ workspace }) => workspace);
}

/** Every process that is watched. */
export function processesOf({ watched }: Pick<Source, 'watched'>): KnownProcess[] {
  return watched.flatMap(({ workspace }) =>
    workspace.processes.map(({ id, changes, ignoreFields }) => ({
      ...{ workspace: workspace.name, processId: id, interval: changes.slowest, ignoreFields },
    })),
  );
}

/** Reports failing passes: for each process and mode the first failure, then at most one line a minute, and the end. */
export class PassFailures {
  readonly #output: Pick<Output, 'info' | 'warn'>;
  readonly #workspaces: readonly WorkspaceSettings[];
  readonly #clock: Clock;
  readonly #outages = new Map<string, Outage>();

  constructor(output: Pick<Output, 'info' | 'warn'>, workspaces: readonly WorkspaceSettings[], clock: Clock) {
    this.#output = output;
    this.#workspaces = workspaces;
    this.#clock = clock;
  }

  failed(job: AboutPass, error: unknown): void {
    const outage = this.#outageOf(job);
    const line = outage.failed(`${failure(error)}. Will retry.`);
    if (line === undefined) return;
    const details = { failures: outage.failures, ...requestDetails(error, job.process, this.#workspaces) };
    this.#output.warn(`${nameOf(job)} failed: ${line}`, {
      ...{ code: 'pass.failing', ...passDetails(job), ...details },
    });
  }

  completed(job: AboutPass): void {
    const outage = this.#outageOf(job);
    const { failures } = outage;
    const line = outage.ended('works again');
    if (line !== undefined)
      this.#output.info(`${nameOf(job)} ${line}`, {
        ...{ code: 'pass.recovered', ...passDetails(job), failures },
      });
  }

  #outageOf({ process, mode }: AboutPass): Outage {
    const key = `${mode} ${keyOf(process)}`;
    const outage = this.#outages.get(key) ?? new Outage(this.#clock);
    this.#outages.set(key, outage);
    return outage;
  }
}

interface AboutPass {
  readonly process: ProcessKey;
  readonly mode: Mode;
}

const NAMES: Readonly<Record<Mode, string>> = {
  changes: 'Polling',
  sweep: 'Sweep of',
};

const nameOf = ({ process, mode }: AboutPass): string => `${NAMES[mode]} ${process.processId}`;

/** The details of a line about a pass. */
function passDetails({ process, mode }: AboutPass): object {
  return { workspace: process.workspace, process: process.processId, mode };
}

/** The HTTP status and the address of the request that failed, as far as they are known. The query is left out: a
 *  cursor may be long and contain personal data. */
function requestDetails(
  error: unknown,
  { workspace: name }: ProcessKey,
  workspaces: readonly WorkspaceSettings[],
): object {
  const workspace = workspaces.find(each => each.name === name);
  if (!workspace || !(error instanceof ServiceError)) return {};
  const answer = error instanceof TokenError ? error.cause : error;
  const { method, path } = /^(?<method>\S+) (?<path>\/[^?]*)/.exec(error.request)?.groups ?? {};
  // Only a token is asked for by POST.
  const { origin } = new URL(method === 'POST' ? workspace.authUrl : workspace.baseUrl);
  return {
    ...(answer instanceof ServiceStatusError && { status: answer.status }),
    ...(path !== undefined && { url: `${origin}${path}` }),
  };
}

/** One `changes` pass of each process, after its baseline if it has none yet. @returns true when all were completed
 *  @throws Stopped */
export async function passOnce(
  processes: readonly ProcessKey[],
  runPass: RunPass,
  output: Output,
  workspaces: readonly WorkspaceSettings[] = [],
): Promise<boolean> {
  let isCompleted = true;
  for (const process of processes) {
    const { processId } = process;
    const details = passDetails({ process, mode: 'changes' });
    try {
      const result = await changesOf(process, runPass);
      output.info(`${processId}: ${result}`, { code: 'pass.ended', ...details });
    } catch (error) {
      if (error instanceof Stopped) throw error;
      isCompleted = false;
      const message = error instanceof Error ? error.message : String(error);
      output.warn(`${processId}: ${message}`, {
        ...{ code: 'pass.failed', ...details, ...requestDetails(error, process, workspaces) },
      });
    }
  }
  return isCompleted;
}

async function changesOf(process: ProcessKey, runPass: RunPass): Promise<string> {
  for (let baselined = false; ; ) {
    const { mode, outcome, events, projects } = await runPass(process, 'changes');
    if (outcome === 'busy') throw new Error('another pass of this process is running; try again in a minute');
    if (outcome === 'unfinished') continue;
    if (mode === 'changes')
      return baselined
        ? 'baseline complete'
        : `${count(projects, 'project')} read, ${count(events, 'event')} emitted`;
    baselined = true;
  }
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
