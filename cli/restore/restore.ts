import { randomUUID } from 'node:crypto';
import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import { createRoster, restoreProcess } from '../../functions/store/dynamo/processes.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import type { Table, TableTiming } from '../../functions/store/dynamo/table.ts';
import type { Lease, Snapshots } from '../../functions/store/store.ts';

/** How long the lease is taken for: longer than a process takes to be restored. */
const LEASE_MS = 60 * 60_000;
/** How long the lease of a pass is waited for: longer than any pass holds one. */
const TIMEOUT_MS = 20 * 60_000;
const ASK_AGAIN_MS = 2_000;

interface Restoring {
  /** The stack's table. */
  readonly to: Table;
  /** Another table, with the content that the stack's had at an earlier time. */
  readonly from: Table;
  readonly say: (text: string) => void;
  /** Ends it before the next process, or while a lease is waited for. */
  readonly signal?: AbortSignal;
}

/** Restores snapshots and state of each process as they were, one process after the other, while the
 *  stack goes on.
 *  @throws when a pass holds a process for longer than passes do, or somebody ends it: the processes after it
 *  are left as they are, and all of it may be repeated */
export async function restoreProcesses({
  to,
  from,
  say,
  signal = new AbortController().signal,
}: Restoring): Promise<void> {
  const [snapshots, then] = [createSnapshots(to), createSnapshots(from)];
  for (const process of await processesOf(from, to)) {
    signal.throwIfAborted();
    const name = `${process.workspace}/${process.processId}`;
    // A process that had no baseline then is left alone: taking its state away would mean a new baseline,
    // which tells nothing of what changed since.
    if (!(await then.readState(process)).baselined) {
      say(`${name}: had no baseline then, and stays as it is.`);
      continue;
    }
    const projects = await held(snapshots, { ...to.timing, signal }, process, () =>
      restoreProcess({ from, to }, process),
    );
    say(`${name}: as it was, with ${projects} projects.`);
  }
}

async function processesOf(...tables: readonly Table[]): Promise<Iterable<ProcessKey>> {
  const all = await Promise.all(tables.map(table => createRoster(table).list()));
  return new Map(all.flat().map(each => [JSON.stringify([each.workspace, each.processId]), each])).values();
}

/** Does this while it holds the lease of the process, so that passes that come meanwhile find it busy,
 *  and end. Afterwards, even after an error, a pass that was under way begins anew. */
async function held<Result>(
  snapshots: Snapshots,
  { clock, sleep, signal }: TableTiming & { readonly signal: AbortSignal },
  process: ProcessKey,
  work: () => Promise<Result>,
): Promise<Result> {
  const began = clock();
  const owner = `restore-${randomUUID()}`;
  const take = async (mode: Mode): Promise<Lease> => {
    while (clock() - began < TIMEOUT_MS) {
      const now = clock();
      const lease = await snapshots.takeLease(process, { mode, owner, now, until: now + LEASE_MS });
      if (lease) return lease;
      await sleep(ASK_AGAIN_MS, signal);
    }
    throw new Error(`A pass holds the process ${process.processId} for very long. Repeat this later.`);
  };
  const leases: Lease[] = [];
  try {
    for (const mode of ['changes', 'sweep'] as const) leases.push(await take(mode));
    return await work();
  } finally {
    for (const lease of leases) await snapshots.abandon(process, lease);
  }
}
