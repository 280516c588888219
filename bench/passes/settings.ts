import { workspaceSettings } from '../../functions/config/read.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import { PROCESS } from './content.ts';

/** The processes of a workspace; the service has the same records in each. */
export const processesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? PROCESS : `${PROCESS}-${index + 1}`));

/** The one workspace of a measurement, with the default of every setting that is not given. */
export function workspaceAt(origin: string, concurrency?: number, processes = 1): WorkspaceSettings {
  return workspaceSettings({
    name: 'bench',
    baseUrl: `${origin}/api`,
    authUrl: `${origin}/auth`,
    audience: 'https://api.bench.example',
    credentials: 'unused',
    processes: processesOf(processes).map(id => ({ id })),
    ...(concurrency !== undefined && { concurrency }),
  });
}

/** The default of the most requests at once. */
export const usualConcurrency = (): number => workspaceAt('https://service.example').concurrency;
