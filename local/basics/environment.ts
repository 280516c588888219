import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** The variables of a run on one machine. Those of the functions on AWS stand in `functions/config/environments.ts`. */
export type Environment = Readonly<Record<string, string | undefined>>;

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
