import type { z } from 'zod';
import type { workspaceSettings } from '../../functions/settings.ts';
import type { Config } from './schema.ts';
import { credentialsName } from './workspace.ts';

type Settings = z.input<typeof workspaceSettings>;

/** `WORKSPACES` of the poll function. What isn't configured is left out: its defaults live in functions/settings.ts. */
export function workspacesJson(config: Config): string {
  const settings = config.workspaces.map((workspace): Settings => {
    const { name, baseUrl, authUrl, audience, concurrency, identifiers, pageSize, dateHeader } = workspace;
    const processes = workspace.processes.map(({ id, overlap, ignoreFields, auditLog, changes, sweep }) => ({
      id,
      ...(overlap === undefined ? {} : { overlap }),
      changes: fixed(changes ?? config.changes),
      sweep: sweep ?? config.sweep,
      ...(ignoreFields === undefined ? {} : { ignoreFields }),
      ...(auditLog === undefined ? {} : { auditLog }),
    }));
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

function fixed(interval: number): { fastest: number; slowest: number } {
  return { fastest: interval, slowest: interval };
}

/** Of Lambda's 4,096 bytes; the other variables and the names take some 300. */
const ALLOWED = 3_700;

/** Settings that don't fit into the environment of the poll function; one line each. */
export function environmentProblems(config: Config): string[] {
  // Lambda measures the environment as JSON, in which every quote of a JSON value takes two bytes.
  const bytes = Buffer.byteLength(JSON.stringify(workspacesJson(config)));
  if (bytes <= ALLOWED) return [];
  return [
    `changewire.workspaces: found ${bytes} bytes of settings; allowed: ${ALLOWED}, because Lambda's environment holds 4 KB. ` +
      'Move some workspaces or processes to a second stack with its own stackName',
  ];
}
