import type { Credentials } from '../../functions/aws/credentials.ts';
import type { Config } from '../../functions/config/schema.ts';
import { type WorkspaceSettings, workspacesOf } from '../../functions/config/workspace.ts';
import type { Environment } from '../basics/environment.ts';
import { UsageError } from '../basics/usage-error.ts';

/** A workspace that is polled in this run. */
export interface Watched {
  readonly workspace: WorkspaceSettings;
  readonly credentials: Credentials;
}

/** The workspaces of a configuration file, with the credentials that the environment has for them.
 *  @throws UsageError that names every variable that is missing */
export function watchedOf(config: Config, environment: Environment): Watched[] {
  const settings = workspacesOf(config);
  refuseAlike(settings.map(({ name }) => name));
  const missing = settings.flatMap(({ name }) =>
    Object.values(credentialVariables(name)).filter(variable => textIn(variable, environment) === ''),
  );
  if (missing.length > 0)
    throw new UsageError(
      `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set. The credentials of each workspace come from ` +
        'the environment or from .env, under the name of the workspace.',
    );
  return settings.map(workspace => {
    const { clientId, clientSecret } = credentialVariables(workspace.name);
    return {
      workspace,
      credentials: {
        clientId: textIn(clientId, environment),
        clientSecret: textIn(clientSecret, environment),
      },
    };
  });
}

/** Refuses workspaces whose names stand for the same variables: they would share credentials without a
 *  word. */
function refuseAlike(names: readonly string[]): void {
  const alike = names.find(name =>
    names.some(other => other !== name && variablePrefix(other) === variablePrefix(name)),
  );
  if (alike === undefined) return;
  throw new UsageError(
    `Another workspace has the name ${alike}, but for capital letters, "-" and "_": both would take their credentials from ` +
      `${credentialVariables(alike).clientId}. Rename one of them.`,
  );
}

/** The environment's names for a workspace's credentials: EXAMPLE_EU_CLIENT_ID of the workspace example-eu. */
export function credentialVariables(workspace: string): { clientId: string; clientSecret: string } {
  const prefix = variablePrefix(workspace);
  return { clientId: `${prefix}_CLIENT_ID`, clientSecret: `${prefix}_CLIENT_SECRET` };
}

/** A name as an environment variable may have it: `example-eu` becomes EXAMPLE_EU. */
export function variablePrefix(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}

function textIn(variable: string, environment: Environment): string {
  return environment[variable]?.trim() ?? '';
}
