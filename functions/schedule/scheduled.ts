import type { ProcessKey } from '../basics/process.ts';
import type { WorkspaceSettings } from '../config/workspace.ts';

/** A process, and how often its passes are due. In ms. */
export interface ScheduledProcess extends ProcessKey {
  readonly changes: Rhythm;
  readonly sweep: number;
}

/** The time from one `changes` pass to the next: `fastest` after one that found something, twice as long after each that didn't, `slowest`
 *  at most. Where both are the same it is fixed. In ms. */
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
