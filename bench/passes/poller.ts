import type { Mode } from '../../functions/basics/process.ts';
import { SYSTEM } from '../../functions/basics/system.ts';
import { createPoll, type PollReport } from '../../functions/handlers/create-poll.ts';
import { connect } from '../../functions/service/client.ts';
import { optionsOfChild, serveParent } from './children.ts';
import { PROCESS } from './content.ts';
import { type HeapSeen, watchHeap } from './heap-watch.ts';
import { measured, type Taken } from './processor-time.ts';
import { type Profile, profiled } from './profile.ts';
import { workspaceAt } from './settings.ts';
import { openStore, type StoreOptions } from './store.ts';
import type { TableCounts } from './table-counts.ts';

/** The poller, in a process of its own: each message is one pass. It calls what the poll function calls,
 *  and nothing inside a pass. */
export interface PollerOptions {
  readonly origin: string;
  readonly store: StoreOptions;
  /** Requests at once; by default those of a workspace without this setting. */
  readonly concurrency?: number;
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
  readonly report?: PollReport;
  /** Why it failed. */
  readonly failed?: string;
  readonly table: TableCounts;
  readonly heap?: HeapSeen;
  readonly profile?: Profile;
}

const { origin, store, concurrency } = optionsOfChild<PollerOptions>();
const workspace = workspaceAt(origin, concurrency);
let ahead = 0;
const clock = () => Date.now() + ahead;
const { snapshots, takeCounts } = await openStore(store);
const poll = createPoll({
  workspaces: [workspace],
  snapshots,
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
  try {
    return {
      report: await poll({ workspace: workspace.name, processId: PROCESS, mode }, context),
    };
  } catch (error) {
    return { failed: String(error) };
  }
}
