import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../local/basics/usage-error.ts';
import { STORE_FILE } from '../../local/data/store-file.ts';
import { type Address, readAddress } from '../../local/operate/address.ts';

/** Where data directories usually are: those of `npx changewire start`, and the current one, for who works inside a
 *  data directory, as on a server. */
const USUAL = ['.changewire', '.changewire/simulated', '.'];

export interface DataPlace {
  readonly directory: string;
  /** The address that a run has written; the run may have ended. */
  readonly address: Address | undefined;
  /** Whether there is a store, of a run that goes on or has ended. */
  readonly hasStore: boolean;
}

/** The directories that a command line may mean, the likeliest first: those with an address before those without.
 *  @throws UsageError when nothing is there */
export function dataPlaces(data: string | undefined): readonly DataPlace[] {
  const places = (data === undefined ? USUAL : [data])
    .map(directory => ({
      directory,
      address: readAddress(directory),
      hasStore: existsSync(join(directory, STORE_FILE)),
    }))
    .filter(({ address, hasStore }) => address !== undefined || hasStore);
  if (places.length > 0)
    return places.toSorted((a, b) => Number(b.address !== undefined) - Number(a.address !== undefined));
  throw nothingIn(data);
}

/** The error for a directory that holds nothing of a run, or does not any more. */
export function nothingIn(data: string | undefined): UsageError {
  return new UsageError(
    `${data === undefined ? `None of ${USUAL.join(', ')} holds anything` : `${data} holds nothing`} that a run keeps. Start one with npx changewire start, or name its directory with --data DIR; ` +
      'a stack on AWS is asked with --stack NAME.',
  );
}
