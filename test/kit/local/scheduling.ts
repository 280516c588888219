import { onTestFinished } from 'vitest';
import { QUEUE_SCHEMA } from '../../../functions/queue/sqlite.ts';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import type { TickProgresses, WorkspaceRows } from '../../../functions/store/store.ts';
import { startPasses } from '../../../local/cli/passes.ts';
import type { Polling } from '../../../local/cli/polling.ts';
import { startTicks } from '../../../local/cli/ticks.ts';
import { openQueues } from '../../../local/data/store.ts';
import type { Source } from '../../../local/settings/source.ts';
import type { Output } from '../../../local/terminal/output.ts';
import type { ownTime } from './own-time.ts';

const SILENT: Output = {
  event: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  isTerminal: false,
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
};

/** Passes of a run, started by ticks and made by `poll`, in time of its own. */
export async function startScheduling({
  source,
  poll,
  progress,
  rows,
  time: { clock, sleep },
  output = SILENT,
}: {
  readonly source: Pick<Source, 'watched'>;
  readonly poll: Polling['poll'];
  readonly progress: TickProgresses;
  /** What the runs of `poll` share, where they share anything. */
  readonly rows?: WorkspaceRows;
  readonly time: Pick<ReturnType<typeof ownTime>, 'clock' | 'sleep'>;
  readonly output?: Output;
}) {
  const { database, claims, workspaces: own } = openSqliteStore(':memory:', { schemas: [QUEUE_SCHEMA] });
  const queues = openQueues(database.file, clock);
  const closers = new AsyncDisposableStack();
  onTestFinished(() => closers.disposeAsync());
  const polling = {
    poll,
    runPass: () => Promise.reject(new Error('not once')),
    close: async () => undefined,
  };
  const moveToFailed = ({ body }: { readonly body: string }) =>
    Promise.reject(new Error(`malformed: ${body}`));
  const parts = { source, clock, sleep };
  const passing = startPasses({ closers, output }, { ...parts, polling, queue: queues.passes, moveToFailed });
  const none = async () => [];
  const nothing = async () => undefined;
  const ticker = startTicks(
    { closers, output },
    {
      ...{ ...parts, queues, passing, progress, claims, workspaces: rows ?? own },
      endpoints: { list: none, read: nothing, change: nothing },
      deliveries: undefined as never,
      journal: undefined as never,
      snapshots: undefined as never,
      isChanged: () => false,
      configured: [],
      delivering: {
        registry: { read: nothing, all: none, settings: none },
        wakes: { wake: nothing },
        recover: nothing,
        wake: () => undefined,
      },
    },
  );
  return { queues, ticker, stop: () => closers.disposeAsync() };
}
