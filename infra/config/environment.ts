import type { z } from 'zod';
import type { workspaceSettings } from '../../functions/settings.ts';
import type { Config } from './schema.ts';
import { credentialsName } from './workspace.ts';

type Settings = z.input<typeof workspaceSettings>;

/** `WORKSPACES` of the poll function. What isn't configured is left out: its defaults live in functions/settings.ts. */
export function workspacesJson(config: Config): string {
  const settings = config.workspaces.map((workspace): Settings => {
    const { name, baseUrl, authUrl, audience, concurrency, identifiers } = workspace;
    const processes = workspace.processes.map(({ id, overlap, ignoreFields, changes }) => ({
      id,
      ...(overlap === undefined ? {} : { overlap }),
      ...withInterval(changes ?? config.changes),
      ...(ignoreFields === undefined ? {} : { ignoreFields }),
    }));
    return {
      ...{ name, baseUrl, authUrl, audience, credentials: credentialsName(workspace), processes },
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(identifiers === undefined ? {} : { identifiers }),
    };
  });
  return JSON.stringify(settings);
}

/** The default in functions/settings.ts, in ms. It is left out, for the environment has little room. */
const USUAL_INTERVAL = 60_000;

function withInterval(interval: number): { interval?: number } {
  return interval === USUAL_INTERVAL ? {} : { interval };
}
