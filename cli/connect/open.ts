import { UsageError } from '../../local/basics/usage-error.ts';
import type { Connection, Place } from './connection.ts';
import { dataPlaces, nothingIn } from './data-directory.ts';
import { connectToRun } from './local-server.ts';

/** Connects to a stack on AWS if one is named, else to a run on this machine, or, if none goes on, to the
 *  store that the last one left. Each of these is loaded only when needed, because a command is to answer
 *  at once.
 *  @throws UsageError when the command line leads to none of them */
export async function open(place: Place): Promise<Connection> {
  if (place.stack !== undefined) {
    if (place.data !== undefined)
      throw new UsageError('--stack is on AWS and --data on this machine: give one of them.');
    const { openStack } = await import('./stack.ts');
    return openStack(place.stack, place);
  }
  if (place.region !== undefined) throw new UsageError('--region goes with --stack NAME.');
  const places = dataPlaces(place.data);
  for (const { address, directory } of places) {
    const run = address && (await connectToRun(address));
    if (run) return { ...run, directory };
  }
  // A run that kept nothing left only its address.
  const left = places.find(({ hasStore }) => hasStore);
  if (!left) throw nothingIn(place.data);
  const { openLocalStore } = await import('./local-store.ts');
  return openLocalStore(left.directory);
}
