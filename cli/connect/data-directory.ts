import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../local/basics/usage-error.ts';
import { STORE_FILE } from '../../local/data/store-file.ts';
import { type Address, readAddress } from '../../local/operate/address.ts';

/** The default data directories of `npx changewire start`, and the current directory, as used on a server. */
const USUAL = ['.changewire', '.changewire/simulated', '.'];

export interface DataPlace {
  readonly directory: string;
  /** The address that a run wrote; the run may have ended. */
  readonly address: Address | undefined;
  /** Whether there is a store, of an active or ended run. */
  readonly hasStore: boolean;
}

/** The data directories that exist, in the order of `USUAL`: a killed run leaves its address, which must not put its
 *  store before the real one. @throws UsageError if none exists */
export function dataPlaces(data: string | undefined): readonly DataPlace[] {
  const places = (data === undefined ? USUAL : [data])
    .map(directory => ({
      directory,
      address: readAddress(directory),
      hasStore: existsSync(join(directory, STORE_FILE)),
    }))
    .filter(({ address, hasStore }) => address !== undefined || hasStore);
  if (places.length > 0) return places;
  throw nothingIn(data);
}

/** The error for a directory without the data of a run. */
export function nothingIn(data: string | undefined): UsageError {
  return new UsageError(
    `No Changewire data found in ${data ?? '.changewire, .changewire/simulated or the current directory'}. ` +
      'Start an instance with "npx changewire start", or use --data DIR, or --stack NAME for a stack on AWS.',
  );
}
