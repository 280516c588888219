import { type WorkspaceSettings, workspaceSettings } from '../../functions/settings/workspaces.ts';
import { PROCESS } from './content.ts';

/** The one workspace of a measurement: what is not said is as it is where nothing is configured. */
export function workspaceAt(origin: string, concurrency?: number): WorkspaceSettings {
  return workspaceSettings.parse({
    name: 'bench',
    baseUrl: `${origin}/api`,
    authUrl: `${origin}/auth`,
    audience: 'https://api.bench.example',
    credentials: 'unused',
    processes: [{ id: PROCESS }],
    ...(concurrency !== undefined && { concurrency }),
  });
}

/** Requests at once, at most, where nothing is configured. */
export const usualConcurrency = (): number => workspaceAt('https://service.example').concurrency;
