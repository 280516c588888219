import type { Registered } from '../delivery/registry.ts';
import { Refused } from './refused.ts';
import { type ReplayHouse, workOffReplay } from './replay.ts';

/** Works off the replays of those endpoints that have one, while `hasTime`. */
export type Replays = (endpoints: readonly Registered[], hasTime: () => boolean) => Promise<void>;

/** Works off the replays of these endpoints in turn, a slice of each, while `hasTime`. One that fails is left
 *  for the next tick, and holds up no other. */
export async function workOffReplays(
  endpoints: readonly Registered[],
  house: ReplayHouse,
  hasTime: () => boolean,
): Promise<void> {
  let names = endpoints.filter(({ row }) => row?.replay).map(({ endpoint }) => endpoint.name);
  while (names.length > 0) {
    const left: string[] = [];
    for (const name of names) {
      if (!hasTime()) return;
      if (await workOffSlice(name, house)) left.push(name);
    }
    names = left;
  }
}

async function workOffSlice(name: string, house: ReplayHouse): Promise<boolean> {
  try {
    return await workOffReplay(name, house);
  } catch (error) {
    // The endpoint was removed meanwhile.
    if (error instanceof Refused) return false;
    house.log.error('A replay stands still; it goes on in a minute.', {
      endpoint: name,
      error: String(error),
    });
    return false;
  }
}
