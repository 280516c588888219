import { UsageError } from '../../local/basics/usage-error.ts';
import type { Place } from './connection.ts';
import { dataPlaces, nothingIn } from './data-directory.ts';

/** Copies the data directory of a local run to `to`, even while the run is active. @returns the source directory
 *  @throws UsageError without a data directory; an error with a remedy if it cannot be copied */
export async function backUpRun({ stack, region, data }: Place, to: string): Promise<string> {
  if (stack !== undefined || region !== undefined)
    throw new UsageError(
      'backup copies the data directory of a local instance: omit --stack and --region. AWS can restore ' +
        "a stack's table to any time in the last 35 days: see docs/runbook.md.",
    );
  const place = dataPlaces(data).find(({ hasStore }) => hasStore);
  if (!place) throw nothingIn(data);
  const { backUp } = await import('../../local/cli/backup.ts');
  backUp(place.directory, to);
  return place.directory;
}
