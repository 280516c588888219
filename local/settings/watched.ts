import type { Credentials } from '../../functions/aws/credentials.ts';
import { shown } from '../../functions/config/problems.ts';
import type { Config } from '../../functions/config/schema.ts';
import { secureAddress } from '../../functions/config/values.ts';
import { processId, type WorkspaceSettings, workspacesOf } from '../../functions/config/workspace.ts';
import { type Environment, textIn } from '../basics/process.ts';
import { UsageError } from '../basics/usage-error.ts';

/** The settings of a real service from the environment (service-api.md §1, §5). */
export interface ServiceSettings {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly processes: readonly string[];
}

const NAMES = [
  'SERVICE_BASE_URL',
  'SERVICE_AUTH_URL',
  'SERVICE_AUDIENCE',
  'SERVICE_CLIENT_ID',
  'SERVICE_CLIENT_SECRET',
  'SERVICE_PROCESSES',
] as const;
type Name = (typeof NAMES)[number];

/** Whether any SERVICE_* variable is set. */
export function namesService(environment: Environment): boolean {
  return NAMES.some(name => textIn(environment, name) !== '');
}

/** The service of the environment; undefined when no SERVICE_* variable is set.
 *  @throws UsageError that names missing or wrong variables, without values that may be secret */
export function serviceSettings(environment: Environment): ServiceSettings | undefined {
  const value = (name: Name) => textIn(environment, name);
  if (!namesService(environment)) return undefined;
  const missing = NAMES.filter(name => value(name) === '');
  if (missing.length > 0)
    throw new UsageError(
      `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set. To watch a service, set all of ` +
        `${NAMES.join(', ')} in the environment or in .env; to use the simulated service, set none of them.`,
    );
  const processes = value('SERVICE_PROCESSES').split(',');
  return {
    baseUrl: address('SERVICE_BASE_URL', value('SERVICE_BASE_URL')),
    authUrl: address('SERVICE_AUTH_URL', value('SERVICE_AUTH_URL')),
    audience: value('SERVICE_AUDIENCE'),
    clientId: value('SERVICE_CLIENT_ID'),
    clientSecret: value('SERVICE_CLIENT_SECRET'),
    processes: processIds(processes.map(id => id.trim())),
  };
}

/** Checks an address like `baseUrl` and `authUrl` of cdk.json: credentials and records are sent there. */
function address(name: Name, value: string): string {
  const { success, error } = secureAddress().safeParse(value);
  if (success) return value;
  throw new UsageError(`${name} must be ${error.issues[0]?.message}.`);
}

function processIds(ids: readonly string[]): readonly string[] {
  if (ids.includes(''))
    throw new UsageError('SERVICE_PROCESSES has an empty id: separate the ids by single commas.');
  for (const id of ids) {
    const { error } = processId().safeParse(id);
    if (error)
      throw new UsageError(`SERVICE_PROCESSES: found ${shown(id)}; allowed: ${error.issues[0]?.message}.`);
  }
  return [...new Set(ids)];
}

/** A workspace that is polled in this run. */
export interface Watched {
  readonly workspace: WorkspaceSettings;
  readonly credentials: Credentials;
}

/** The workspaces of a configuration file, with their credentials from the environment.
 *  @throws UsageError that names every missing variable */
export function watchedOf(config: Config, environment: Environment): Watched[] {
  const settings = workspacesOf(config);
  refuseAlike(settings.map(({ name }) => name));
  const missing = settings.flatMap(({ name }) =>
    Object.values(credentialVariables(name)).filter(variable => textIn(environment, variable) === ''),
  );
  if (missing.length > 0)
    throw new UsageError(
      `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set. Set the credentials of each workspace in the ` +
        'environment or in .env; the variables start with the name of the workspace.',
    );
  return settings.map(workspace => {
    const { clientId, clientSecret } = credentialVariables(workspace.name);
    const value = (variable: string) => textIn(environment, variable);
    return { workspace, credentials: { clientId: value(clientId), clientSecret: value(clientSecret) } };
  });
}

/** Refuses workspaces whose names give the same variables: they would silently share credentials. */
function refuseAlike(names: readonly string[]): void {
  const alike = names.find(name =>
    names.some(other => other !== name && variablePrefix(other) === variablePrefix(name)),
  );
  if (alike === undefined) return;
  throw new UsageError(
    `The name of another workspace differs from ${alike} only in case, "-" and "_": both would take their credentials from ` +
      `${credentialVariables(alike).clientId}. Rename one of them.`,
  );
}

/** The environment's names for a workspace's credentials: EXAMPLE_EU_CLIENT_ID of the workspace example-eu. */
export function credentialVariables(workspace: string): { clientId: string; clientSecret: string } {
  const prefix = variablePrefix(workspace);
  return { clientId: `${prefix}_CLIENT_ID`, clientSecret: `${prefix}_CLIENT_SECRET` };
}

/** A name in the form of an environment variable: `example-eu` becomes EXAMPLE_EU. */
export function variablePrefix(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}
