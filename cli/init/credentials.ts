import { type Environment, withEnvFile } from '../../local/basics/process.ts';
import { credentialVariables } from '../../local/settings/watched.ts';
import type { Input } from '../context/input.ts';

/** Options of the command line; `-` is read from stdin or a prompt. */
export interface GivenCredentials {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** False: the user stores them elsewhere. */
  readonly credentials: boolean;
}

export interface Credentials {
  /** Variables for `.env` with their values. */
  readonly added: Readonly<Record<string, string>>;
  /** Variables without a value. */
  readonly missing: readonly string[];
  /** The environment with `.env` and the added variables. */
  readonly environment: Environment;
}

const PARTS = [
  ['clientId', 'Client id'],
  ['clientSecret', 'Client secret'],
] as const;

/** The credentials of a workspace: existing ones of the environment or `.env` are kept; others come from options or
 *  hidden prompts. */
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
  return whole(environment, added, Object.values(variables));
}

/** Prompts again for the credentials that are not in the environment or `.env`; Enter keeps one. */
export async function credentialsAgain(
  workspace: string,
  { added, environment }: Credentials,
  { input, note }: { readonly input: Input; readonly note: (text: string) => void },
): Promise<Credentials> {
  const variables = credentialVariables(workspace);
  const changed = { ...added };
  for (const [part, what] of PARTS) {
    const name = variables[part];
    if (added[name] === undefined) note(`${name} is set in the environment or .env: to change it, cancel.`);
    else changed[name] = (await input.secret(`${what}, or press Enter to keep it`)) || added[name];
  }
  return whole(environment, changed, Object.values(variables));
}

function whole(before: Environment, added: Credentials['added'], variables: readonly string[]): Credentials {
  const environment = { ...before, ...added };
  const missing = variables.filter(name => (environment[name]?.trim() ?? '') === '');
  return { added, missing, environment };
}

async function givenOrTyped(given: string | undefined, what: string, input: Input): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  if (given === '-') return input.secret(what);
  return input.canAsk ? input.secret(`${what}, or press Enter to skip`) : '';
}
