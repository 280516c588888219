import { UsageError } from '../../local/basics/usage-error.ts';
import type { Connection, Place } from './connection.ts';
import { dataPlaces, nothingIn } from './data-directory.ts';
import { connectToRun } from './local-server.ts';

/** Connects to whoever answers: a stack on AWS; else a run of this machine; where none lives, what the last one left. Each part is loaded
 *  when it is needed: a command is to answer at once.
 *  @throws UsageError when nobody can be found by what the command line says */
export async function open(place: Place): Promise<Connection> {
  if (place.stack !== undefined) {
    if (place.data !== undefined)
      throw new UsageError('--stack is on AWS and --data on this machine: give one of them.');
    const { openStack } = await import('./stack.ts');
    return openStack(place.stack, place);
  }
  if (place.region !== undefined) throw new UsageError('--region goes with --stack NAME.');
  const places = dataPlaces(place.data);
  for (const { address } of places) {
    const run = address && (await connectToRun(address));
    if (run) return run;
  }
  // One that kept nothing left nothing but its address.
  const left = places.find(({ hasStore }) => hasStore);
  if (!left) throw nothingIn(place.data);
  const { openLocalStore } = await import('./local-store.ts');
  return openLocalStore(left.directory);
}
