import type { ProcessKey } from '../basics/process.ts';
import type { WorkspaceSettings } from '../config/workspace.ts';

/** A process with the intervals of its passes, in ms. */
export interface ScheduledProcess extends ProcessKey {
  readonly changes: Rhythm;
  readonly sweep: number;
}

/** The interval between `changes` passes: `fastest` after a pass that found something, doubled after each
 *  that didn't, up to `slowest`. If both are equal it is fixed. In ms. */
export interface Rhythm {
  readonly fastest: number;
  readonly slowest: number;
}

/** Every process of a configuration. */
export function scheduledIn(workspaces: readonly WorkspaceSettings[]): ScheduledProcess[] {
  return workspaces.flatMap(({ name: workspace, processes }) =>
    processes.map(({ id: processId, changes, sweep }) => ({ workspace, processId, changes, sweep })),
  );
}

export function isAdaptive({ fastest, slowest }: Rhythm): boolean {
  return fastest < slowest;
}
