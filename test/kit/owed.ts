import { byText } from '../../functions/basics/order.ts';
import type { Recheck } from '../../functions/model/process-state.ts';
import type { World } from './world.ts';

/** The rechecks of a world's process, in the order of the projects' ids. */
export async function owedIn({ snapshots, process }: World): Promise<({ readonly id: string } & Recheck)[]> {
  const { rechecks } = await snapshots.readState(process);
  return [...rechecks]
    .map(([id, recheck]) => ({ id, ...recheck }))
    .sort((one, other) => byText(one.id, other.id));
}

/** The same in short: `1002 unreadable`, with `, told` where subscribers know of it. */
export async function owedInShort(world: World): Promise<string[]> {
  return (await owedIn(world)).map(
    ({ id, cause, isReported }) => `${id} ${cause}${isReported ? ', told' : ''}`,
  );
}

/** The projects that have a snapshot. */
export async function knownIn({ snapshots, process }: World): Promise<string[]> {
  const pages = await Array.fromAsync(snapshots.heads(process));
  return pages.flat().map(({ projectId }) => projectId);
}
