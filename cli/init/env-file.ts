import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { writeWhole } from '../../functions/basics/write-whole.ts';
import { UsageError } from '../../local/basics/usage-error.ts';

/** Adds variables to the file `.env` of a directory, and leaves what it holds; the file is for this user alone from then on.
 *  @throws UsageError for a value that the file can not hold */
export function addToEnvFile(directory: string, variables: Readonly<Record<string, string>>): void {
  const path = join(directory, '.env');
  const before = textOf(path);
  const added = Object.entries(variables).map(([name, value]) => `${name}=${quoted(name, value)}\n`);
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  writeWhole(targetOf(path), `${before}${gap}${added.join('')}`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The file behind a link, which is replaced in its place. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The value as the file holds it: plain, or in the first quotes in which it is read as it is. */
function quoted(name: string, value: string): string {
  if (/^[\w.~+/=:-]+$/.test(value)) return value;
  const text = ["'", '"', '`']
    .map(quote => `${quote}${value}${quote}`)
    .find(text => parseEnv(`${name}=${text}\n`)[name] === value);
  if (text !== undefined) return text;
  throw new UsageError(
    `${name} has characters that .env can not hold: set it in the environment, and say --no-credentials.`,
  );
}
