import { workspaceSettings } from '../../functions/config/read.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import { PROCESS } from './content.ts';

/** The one workspace of a measurement, with the default of every setting that is not given. */
export function workspaceAt(origin: string, concurrency?: number): WorkspaceSettings {
  return workspaceSettings({
    name: 'bench',
    baseUrl: `${origin}/api`,
    authUrl: `${origin}/auth`,
    audience: 'https://api.bench.example',
    credentials: 'unused',
    processes: [{ id: PROCESS }],
    ...(concurrency !== undefined && { concurrency }),
  });
}

/** The default of the most requests at once. */
export const usualConcurrency = (): number => workspaceAt('https://service.example').concurrency;
