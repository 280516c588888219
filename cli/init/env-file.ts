import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { writeWhole } from '../../functions/basics/write-whole.ts';
import { UsageError } from '../../local/basics/usage-error.ts';

/** Prepares to append variables to the file `.env` of a directory, readable by this user only.
 *  @returns a function that writes it
 *  @throws UsageError for a value that the format does not allow */
export function addToEnvFile(directory: string, variables: Readonly<Record<string, string>>): () => void {
  const path = join(directory, '.env');
  const before = textOf(path);
  const added = Object.entries(variables).map(([name, value]) => `${name}=${quoted(name, value)}\n`);
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  return () => writeWhole(targetOf(path), `${before}${gap}${added.join('')}`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The target of a symbolic link, which is replaced instead of the link. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The value in the format of the file: plain, or in the first quotes with which it is parsed unchanged. */
function quoted(name: string, value: string): string {
  if (/^[\w.~+/=:-]+$/.test(value)) return value;
  const text = ["'", '"', '`']
    .map(quote => `${quote}${value}${quote}`)
    .find(text => parseEnv(`${name}=${text}\n`)[name] === value);
  if (text !== undefined) return text;
  throw new UsageError(
    `${name} contains characters that .env does not support. Set it in the environment and use --no-credentials.`,
  );
}
