import type { z } from 'zod';
import type { workspaceSettings } from './deployed/workspaces.ts';
import type { Config } from './schema.ts';
import { credentialsName } from './workspace.ts';

type Settings = z.input<typeof workspaceSettings>;

/** The file with the workspaces, beside the bundled code of the functions that poll, or that must know
 *  what is polled. */
export const WORKSPACES = 'workspaces.json';

/** The content of that file: workspaces and processes as `functions/config/deployed/workspaces.ts` reads them.
 *  What isn't configured is left out, because that module has the defaults. Only how often each process
 *  is polled is written out: its default is the stack's setting. */
export function workspacesJson(config: Config): string {
  const settings = config.workspaces.map((workspace): Settings => {
    const { name, baseUrl, authUrl, audience, concurrency, identifiers, pageSize, dateHeader } = workspace;
    const processes = workspace.processes.map(
      ({ id, overlap, ignoreFields, auditLog, audit, changes, sweep }) => ({
        id,
        ...(overlap === undefined ? {} : { overlap }),
        changes: changes ?? config.changes,
        sweep: sweep ?? config.sweep,
        ...(ignoreFields === undefined ? {} : { ignoreFields }),
        ...(auditLog === undefined ? {} : { auditLog }),
        ...(audit === undefined ? {} : { audit }),
      }),
    );
    return {
      ...{ name, baseUrl, authUrl, audience, credentials: credentialsName(workspace), processes },
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(identifiers === undefined ? {} : { identifiers }),
      ...(pageSize === undefined ? {} : { pageSize }),
      ...(dateHeader === undefined ? {} : { dateHeader }),
    };
  });
  return JSON.stringify(settings);
}
