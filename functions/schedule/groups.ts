import { hash } from 'node:crypto';
import type { ProcessKey } from '../basics/process.ts';

/** The maximum number of processes in one message of `changes` passes. */
export const MAX_GROUP = 25;

/** Processes of one workspace whose `changes` passes are started together, by one message. */
export interface Group<Process extends ProcessKey> {
  readonly workspace: string;
  /** Its number within the workspace, which names the row with the completions of its idle passes. */
  readonly index: number;
  readonly processes: readonly Process[];
}

/** The groups of these processes. The group of a process depends only on the processes of its workspace,
 *  so that ticks and runs agree on it. Adding a process moves others to the next group: until their next pass,
 *  their completions are in the row of the earlier one. */
export function groupsOf<Process extends ProcessKey>(processes: readonly Process[]): Group<Process>[] {
  const byWorkspace = Map.groupBy(processes, ({ workspace }) => workspace);
  return [...byWorkspace].flatMap(([workspace, all]) => {
    const inOrder = all.toSorted((one, other) => (one.processId < other.processId ? -1 : 1));
    const groups = Map.groupBy(inOrder, (_, index) => Math.floor(index / MAX_GROUP));
    return [...groups].map(([index, some]) => ({ workspace, index, processes: some }));
  });
}

/** A number in [0, 1) that is constant for a text, and evenly distributed over all texts. */
export function spread(...text: readonly unknown[]): number {
  const digest = hash('sha256', JSON.stringify(text));
  return Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48;
}
