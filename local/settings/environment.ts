import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { secureAddress } from '../../infra/config/values.ts';
import { UsageError } from '../basics/usage-error.ts';

/** A real service, as the environment tells it (service-api.md §1, §5). */
export interface ServiceSettings {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly processes: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = [
  'SERVICE_BASE_URL',
  'SERVICE_AUTH_URL',
  'SERVICE_AUDIENCE',
  'SERVICE_CLIENT_ID',
  'SERVICE_CLIENT_SECRET',
  'SERVICE_PROCESSES',
] as const;
type Name = (typeof NAMES)[number];

/** The environment, with what it lacks from the file `.env` in `directory`. It may have line ends of any system, and the byte
 *  order mark that editors on Windows put first, which would be part of the first name. Names are as they are written, on
 *  Windows, too, where the environment itself has them in either case. */
export function withEnvFile(environment: Environment, directory: string): Environment {
  try {
    const text = readFileSync(join(directory, '.env'), 'utf8').replace(/^\uFEFF/, '');
    return { ...parseEnv(text), ...environment };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return environment;
    throw error;
  }
}

/** undefined when no SERVICE_* variable is set. @throws UsageError that names what is missing or wrong, and no value of
 *  a variable that may hold a secret. */
export function serviceSettings(environment: Environment): ServiceSettings | undefined {
  const value = (name: Name) => environment[name]?.trim() ?? '';
  const missing = NAMES.filter(name => value(name) === '');
  if (missing.length === NAMES.length) return undefined;
  if (missing.length > 0)
    throw new UsageError(
      `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set. To watch a service set all of ` +
        `${NAMES.join(', ')}, in the environment or in .env; to try the simulated one set none.`,
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

/** What `baseUrl` and `authUrl` of cdk.json may be: credentials and records go there. */
function address(name: Name, value: string): string {
  const { success, error } = secureAddress().safeParse(value);
  if (success) return value;
  throw new UsageError(`${name} must be ${error.issues[0]?.message}.`);
}

function processIds(ids: readonly string[]): readonly string[] {
  if (ids.every(id => id !== '')) return [...new Set(ids)];
  throw new UsageError('SERVICE_PROCESSES has an empty id: write the ids with one comma between two.');
}
