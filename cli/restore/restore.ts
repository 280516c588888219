import { randomUUID } from 'node:crypto';
import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import { RESTORE } from '../../functions/operations/verify.ts';
import { createActions } from '../../functions/store/dynamo/actions.ts';
import { createRoster, restoreProcess } from '../../functions/store/dynamo/processes.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import type { Table, TableTiming } from '../../functions/store/dynamo/table.ts';
import type { Lease, Snapshots } from '../../functions/store/store.ts';

/** Longer than the restore of one process. */
const LEASE_MS = 60 * 60_000;
/** Longer than the lease of any pass. */
const LEASE_TIMEOUT_MS = 20 * 60_000;
const RETRY_MS = 2_000;

interface Restoring {
  /** The stack's table. */
  readonly to: Table;
  /** A table with the content of the stack's table at an earlier time. */
  readonly from: Table;
  readonly report: (text: string) => void;
  /** The name in the action log. */
  readonly who: string;
  /** Stops before the next process, or during the wait for a lease. */
  readonly signal?: AbortSignal;
}

/** Restores snapshots and state of each process, one after the other, while the stack is running.
 *  @throws if a pass does not release a process, or on abort: the remaining processes are unchanged, and the
 *  restore may be repeated */
export async function restoreProcesses({
  to,
  from,
  report,
  who,
  signal = new AbortController().signal,
}: Restoring): Promise<void> {
  const [snapshots, then] = [createSnapshots(to), createSnapshots(from)];
  const present = await processesOf(to);
  for (const [name, process] of new Map([...(await processesOf(from)), ...present])) {
    signal.throwIfAborted();
    // Neither `status` nor `forget` finds the data of a process that is not in the roster.
    if (!present.has(name)) {
      report(
        `${name}: left out, because it is not in the table's list of processes: it was forgotten since, or that row was lost. To restore it, deploy a changed configuration that has it, wait for a tick, and repeat the command.`,
      );
      continue;
    }
    // Without its state the process would start with a new baseline, which emits no changes since then.
    if (!(await then.readState(process)).baselined) {
      report(`${name}: unchanged, because it had no baseline at that time.`);
      continue;
    }
    const projects = await withLeases(snapshots, { ...to.timing, signal }, process, async () => {
      const restored = await restoreProcess({ from, to }, process);
      // Before the next pass: `verify` compares only what is committed after this.
      const action = { operation: RESTORE, subject: { process }, who, isProven: false };
      await createActions(to).note({ ...action, at: to.timing.clock(), details: `${restored} projects` });
      return restored;
    });
    report(`${name}: restored ${projects} projects.`);
  }
}

/** The processes of a table's roster, by workspace and identifier. */
async function processesOf(table: Table): Promise<ReadonlyMap<string, ProcessKey>> {
  const all = await createRoster(table).list();
  return new Map(all.map(process => [`${process.workspace}/${process.processId}`, process]));
}

/** Holds both leases of the process during `work`, so that new passes find it busy and end. Afterwards, even
 *  after an error, an interrupted pass restarts. */
async function withLeases<Result>(
  snapshots: Snapshots,
  { clock, sleep, signal }: TableTiming & { readonly signal: AbortSignal },
  process: ProcessKey,
  work: () => Promise<Result>,
): Promise<Result> {
  const began = clock();
  const owner = `restore-${randomUUID()}`;
  const take = async (mode: Mode): Promise<Lease> => {
    while (clock() - began < LEASE_TIMEOUT_MS) {
      const now = clock();
      const lease = await snapshots.takeLease(process, { mode, owner, now, until: now + LEASE_MS });
      if (lease) return lease;
      await sleep(RETRY_MS, signal);
    }
    throw new Error(`A pass of ${process.processId} is still running. Run this command again later.`);
  };
  const leases: Lease[] = [];
  try {
    for (const mode of ['changes', 'sweep'] as const) leases.push(await take(mode));
    return await work();
  } finally {
    for (const lease of leases) await snapshots.abandon(process, lease);
  }
}
