import { UsageError } from '../../local/basics/usage-error.ts';
import type { Place } from './connection.ts';
import { dataPlaces, nothingIn } from './data-directory.ts';

/** A restore that was checked; its time is that of the last event in the backup, in ms since 1970. */
export interface PlannedRestore {
  readonly from: string;
  readonly to: string;
  readonly replaces: boolean;
  readonly lastEventAt: number | undefined;
  /** @returns where the replaced directory is; undefined if there was none */
  apply(now: number): string | undefined;
}

/** Copies the data directory of a local run to `to`, even while the run is active. @returns the source directory
 *  @throws UsageError without a data directory; an error with a remedy if it cannot be copied */
export async function backUpRun({ stack, region, data }: Place, to: string): Promise<string> {
  if (stack !== undefined || region !== undefined)
    throw new UsageError(
      'backup copies the data directory of a local instance: omit --stack and --region. AWS can restore ' +
        "a stack's table to any time in the last 35 days: see docs/runbook.md.",
    );
  const from = storeIn(data);
  const { backUp } = await import('../../local/cli/backup.ts');
  backUp(from, to);
  return from;
}

/** Checks the backup in `from`, and the data directory that it goes to, which need not exist if it is named.
 *  @throws UsageError without a data directory; an error with a remedy if it cannot be restored */
export async function planRestore({ stack, region, data }: Place, from: string): Promise<PlannedRestore> {
  if (stack !== undefined || region !== undefined)
    throw new UsageError(
      'restore puts a backup into the data directory of a local instance: omit --stack and --region. For a stack: ' +
        'npx changewire restore-table',
    );
  const { restorable, restoreBackup } = await import('../../local/cli/restore.ts');
  const to = data ?? storeIn(undefined);
  return { ...restorable(from, to), apply: now => restoreBackup(from, to, now) };
}

/** @throws UsageError without a store, or with several: the data of one must not replace that of another */
function storeIn(data: string | undefined): string {
  const stores = dataPlaces(data).flatMap(({ directory, hasStore }) => (hasStore ? [directory] : []));
  if (stores[0] === undefined) throw nothingIn(data);
  if (stores.length > 1)
    throw new UsageError(`There is Changewire data in ${stores.join(' and ')}. Choose one with --data DIR.`);
  return stores[0];
}
