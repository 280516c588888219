import type { Config } from './config/schema.ts';

/** What one schedule starts, and what one staleness alarm watches. */
export interface ScheduledPass {
  readonly workspace: string;
  readonly processId: string;
  readonly mode: 'changes' | 'sweep';
  /** In ms: whole minutes. */
  readonly interval: number;
  /** Names this pass among all others; fit for a construct's id. */
  readonly key: string;
}

/** Every process in both modes. */
export function passes(config: Config): ScheduledPass[] {
  return config.workspaces.flatMap(({ name: workspace, processes }) =>
    processes.flatMap(process =>
      (['changes', 'sweep'] as const).map(mode => ({
        workspace,
        processId: process.id,
        mode,
        interval: process[mode] ?? config[mode],
        key: `${workspace}.${encodeURIComponent(process.id)}.${mode}`,
      })),
    ),
  );
}
