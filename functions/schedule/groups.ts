import { hash } from 'node:crypto';
import type { ProcessKey } from '../basics/process.ts';

/** How many processes one message of `changes` passes names at most. */
export const MAX_GROUP = 25;

/** Processes of one workspace whose `changes` passes are started together, by one message. */
export interface Group<Process extends ProcessKey> {
  readonly workspace: string;
  /** Which of its workspace's groups it is; the name of the row with the completions of its idle passes. */
  readonly index: number;
  readonly processes: readonly Process[];
}

/** The groups of these processes. Which group a process is in depends on the processes of its workspace only, so that ticks and runs agree on it; a
 *  process that is added moves others to the next group, which does no harm. */
export function groupsOf<Process extends ProcessKey>(processes: readonly Process[]): Group<Process>[] {
  const byWorkspace = Map.groupBy(processes, ({ workspace }) => workspace);
  return [...byWorkspace].flatMap(([workspace, all]) => {
    const inOrder = all.toSorted((one, other) => (one.processId < other.processId ? -1 : 1));
    const groups = Map.groupBy(inOrder, (_, index) => Math.floor(index / MAX_GROUP));
    return [...groups].map(([index, some]) => ({ workspace, index, processes: some }));
  });
}

/** A number of [0, 1) that is always the same for the same text, and evenly spread over all texts. */
export function spread(...text: readonly unknown[]): number {
  const digest = hash('sha256', JSON.stringify(text));
  return Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48;
}
