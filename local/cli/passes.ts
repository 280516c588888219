import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import { createPollHandler, type Poll, type PollReport } from '../../functions/handlers/create-poll.ts';
import type { SetAside } from '../../functions/queue/set-aside.ts';
import type { SqliteQueue } from '../../functions/queue/sqlite.ts';
import { askedPass, passIn } from '../../functions/schedule/pass-message.ts';
import type { KnownProcess } from '../../functions/store/store.ts';
import type { Closers } from '../basics/closers.ts';
import { throttled } from '../basics/outage.ts';
import type { Output } from '../basics/output.ts';
import { Consumer } from '../loops/consumer.ts';
import type { Source } from '../source/source.ts';
import { PassFailures } from './pass-failures.ts';
import { PASS_MS, type Polling } from './polling.ts';

interface Parts {
  readonly source: Pick<Source, 'watched'>;
  readonly polling: Polling;
  readonly queue: SqliteQueue;
  readonly setAside: SetAside;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** The passes of a run. */
export interface Passing {
  /** Looks at the queue at once. */
  wake(): void;
  /** Has a `changes` pass of every process made now. */
  askAll(): Promise<unknown>;
}

/** Serves the queue of passes. Each start makes a `changes` pass of every process at once. */
export function startPasses(
  { closers, output }: { readonly closers: Closers; readonly output: Output },
  { source, polling, queue, setAside, clock, sleep }: Parts,
): Passing {
  const report = throttled(output.log.error, clock);
  const failures = new PassFailures(output, workspacesOf(source), clock);
  let isStopping = false;
  const ask = (processes: readonly ProcessKey[], mode: Mode) =>
    queue.send(processes.map(process => passIn(askedPass(process, mode, clock()))));
  const turns = new Turns();
  /** Resolves for a process when its first `changes` pass of this run was tried. */
  const looked = new Map(processesOf(source).map(one => [keyOf(one), Promise.withResolvers<void>()]));
  const poll: Poll = async (request, context) => {
    const { workspace, processId, mode } = request;
    const process = { workspace, processId };
    const key = keyOf(process);
    const first = looked.get(key);
    // An earlier run watched it.
    if (!first) return { mode, outcome: 'expired', projects: 0, commits: 0, events: 0 };
    // After a restore or a long stop a sweep would find the changes first, and a sweep does not know who made them.
    if (mode === 'sweep') await first.promise;
    try {
      const report = await turns.take(`${mode} ${key}`, () => polling.poll(request, context));
      if (report.outcome === 'completed') failures.completed({ process, mode });
      if (hasMore(mode, report)) await ask([process], mode);
      return report;
    } catch (error) {
      if (!isStopping) failures.failed({ process, mode }, error);
      throw error;
    } finally {
      if (mode === 'changes') first.resolve();
    }
  };
  const consumer = new Consumer({
    ...{ queue, batch: 1, timeout: PASS_MS, clock, sleep },
    serve: createPollHandler(poll, setAside, output.log),
    onFailure: error => report('Passes could not be received.', { error: String(error) }),
  });
  closers.add(async () => {
    isStopping = true;
    for (const { resolve } of looked.values()) resolve();
    const ended = consumer.stop();
    await polling.close();
    await ended;
  });
  void ask(processesOf(source), 'changes');
  consumer.start();
  return { wake: () => consumer.wake(), askAll: () => ask(processesOf(source), 'changes') };
}

/** Work of one name, one after the other: no process has two passes of one mode at once, which would share a lease. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    const mine = (before ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }
}

/** Whether to run again at once: to resume a pass, or after a baseline, to find what changed while it was
 *  made. */
function hasMore(wanted: Mode, { mode, outcome }: PollReport): boolean {
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
    workspace.processes.map(({ id, changes }) => ({
      ...{ workspace: workspace.name, processId: id, interval: changes.slowest },
    })),
  );
}
