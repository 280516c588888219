import { type Environment, withEnvFile } from '../../local/basics/process.ts';
import { credentialVariables } from '../../local/settings/watched.ts';
import type { Input } from '../context/input.ts';

/** What was given on the command line; `-` is read from stdin, or asked for. */
export interface GivenCredentials {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** False: they are put elsewhere. */
  readonly credentials: boolean;
}

export interface Credentials {
  /** Variables for `.env`, with their values. */
  readonly added: Readonly<Record<string, string>>;
  /** Variables that have a value nowhere. */
  readonly missing: readonly string[];
  /** The environment with all that is known. */
  readonly environment: Environment;
}

const PARTS = [
  ['clientId', 'Client id'],
  ['clientSecret', 'Client secret'],
] as const;

/** The credentials of a workspace: those that the environment or `.env` has already stay; others are given, or typed without being
 *  shown. */
export async function credentialsOf(
  workspace: string,
  given: GivenCredentials,
  { input, env, directory }: { readonly input: Input; readonly env: Environment; readonly directory: string },
): Promise<Credentials> {
  const environment = withEnvFile(env, directory);
  const variables = credentialVariables(workspace);
  const added: Record<string, string> = {};
  for (const [part, what] of PARTS) {
    const isSet = (environment[variables[part]]?.trim() ?? '') !== '';
    const value = isSet || !given.credentials ? '' : await givenOrTyped(given[part], what, input);
    if (value !== '') added[variables[part]] = value;
  }
  const whole = { ...environment, ...added };
  const missing = Object.values(variables).filter(name => (whole[name]?.trim() ?? '') === '');
  return { added, missing, environment: whole };
}

async function givenOrTyped(given: string | undefined, what: string, input: Input): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  if (given === '-') return input.secret(what);
  return input.canAsk ? input.secret(`${what}; Enter leaves it for later`) : '';
}
