import { UsageError } from '../../local/basics/usage-error.ts';
import type { Place } from './connection.ts';
import { dataPlaces, nothingIn } from './data-directory.ts';

/** Copies the data directory of a run of this machine into `to`, also while the run goes on. @returns the directory that was copied
 *  @throws UsageError when there is none; an error that says what to do when it can't be copied */
export async function backUpRun({ stack, region, data }: Place, to: string): Promise<string> {
  if (stack !== undefined || region !== undefined)
    throw new UsageError(
      'What is copied is the data directory of a run: give no --stack and no --region. AWS itself can ' +
        "restore a stack's table as it was at any time of the last 35 days: docs/runbook.md tells how.",
    );
  const place = dataPlaces(data).find(({ hasStore }) => hasStore);
  if (!place) throw nothingIn(data);
  const { backUp } = await import('../../local/cli/backup.ts');
  backUp(place.directory, to);
  return place.directory;
}
