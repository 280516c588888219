import type { Mode } from '../../functions/basics/process.ts';
import { SYSTEM } from '../../functions/basics/system.ts';
import { createPoll } from '../../functions/handlers/create-poll.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { connect } from '../../functions/service/client.ts';
import { optionsOfChild, serveParent } from './children.ts';
import { type HeapSeen, watchHeap } from './heap-watch.ts';
import { measured, type Taken } from './processor-time.ts';
import { type Profile, profiled } from './profile.ts';
import { processesOf, workspaceAt } from './settings.ts';
import { openStore, type StoreOptions } from './store.ts';
import type { TableCounts } from './table-counts.ts';

/** The poller, in a process of its own: each message is one run, which makes a pass over each process. It
 *  calls what the poll function calls, and nothing inside a pass. */
export interface PollerOptions {
  readonly origin: string;
  readonly store: StoreOptions;
  /** Requests at once; by default those of a workspace without this setting. */
  readonly concurrency?: number;
  /** How many processes it polls side by side; 1 by default, 25 at most. */
  readonly processes?: number;
}

export interface PassAsked {
  readonly mode: Mode;
  /** How far the clock runs ahead of the machine's, in ms. */
  readonly ahead?: number;
  readonly watchesHeap?: boolean;
  /** Whether it also measures which rooms of the code took how much time. */
  readonly profiles?: boolean;
}

/** What one pass took, and its outcome. */
export interface PassTaken extends Omit<Taken<unknown>, 'result'> {
  /** Of the first process. */
  readonly report?: PassReport;
  /** Why it failed. */
  readonly failed?: string;
  readonly table: TableCounts;
  readonly heap?: HeapSeen;
  readonly profile?: Profile;
}

const { origin, store, concurrency, processes = 1 } = optionsOfChild<PollerOptions>();
const workspace = workspaceAt(origin, concurrency, processes);
let ahead = 0;
const clock = () => Date.now() + ahead;
const { snapshots, rows, takeCounts } = await openStore(store);
const poll = createPoll({
  workspaces: [workspace],
  ...{ snapshots, rows },
  connect: target =>
    connect({
      ...target,
      ...SYSTEM,
      clock,
      credentials: async () => ({ clientId: 'bench', clientSecret: 'bench' }),
    }),
  clock,
  random: SYSTEM.random,
  log: { info: () => {}, warn: () => {}, error: () => {} },
});
let runs = 0;

serveParent(async (asked: PassAsked): Promise<PassTaken> => {
  ahead = asked.ahead ?? 0;
  takeCounts();
  const stopWatching = asked.watchesHeap ? watchHeap() : undefined;
  const run = () => measured(() => pass(asked.mode));
  const { result, ...taken } = asked.profiles ? await profiled(run) : await run();
  return { ...taken, ...result, table: takeCounts(), ...(stopWatching && { heap: stopWatching() }) };
});

async function pass(mode: Mode) {
  const until = performance.now() + 890_000;
  const context = {
    awsRequestId: `bench-${++runs}`,
    getRemainingTimeInMillis: () => Math.max(1, until - performance.now()),
  };
  const ids = processesOf(processes);
  // As an operator asks: also before the baseline, and after a failure.
  const message = { workspace: workspace.name, processes: ids, mode, isAsked: true } as const;
  try {
    const polled = await poll(message, context);
    const reports = ids.map(id => {
      const one = polled.processes.get(id);
      if (!one) throw new Error(`The run is ${polled.outcome}.`);
      if ('error' in one) throw one.error;
      return one.report;
    });
    // One that is not completed stands for all.
    const report = reports.find(({ outcome }) => outcome !== 'completed') ?? reports[0];
    return report && { report };
  } catch (error) {
    return { failed: String(error) };
  }
}
