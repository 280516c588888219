import type { Registered } from '../delivery/registry.ts';
import { Refused } from './refused.ts';
import { type ReplayHouse, workOffReplay } from './replay.ts';

/** Works off the replays of those of these endpoints that have one, as long as `hasTime`. */
export type Replays = (endpoints: readonly Registered[], hasTime: () => boolean) => Promise<void>;

/** Works off the replays of these endpoints in turn, a slice of each, as long as there is time (`hasTime`). One that fails is left to
 *  the next time, and keeps none of the others waiting. */
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
    // It was removed meanwhile.
    if (error instanceof Refused) return false;
    house.log.error('A replay stands still; it goes on in a minute.', {
      endpoint: name,
      error: String(error),
    });
    return false;
  }
}
