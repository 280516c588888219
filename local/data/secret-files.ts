import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory, writeWhole } from '../../functions/basics/write-whole.ts';
import { ENDPOINT_NAME } from '../../functions/model/endpoint.ts';
import { isSigningSecret, type SecretKeeper } from '../../functions/model/secret.ts';

/** The folder of a data directory with the secrets of endpoints that were added at runtime. */
export const SECRETS_FOLDER = 'endpoints';

/** Endpoints' secrets as files of one directory (mode 0700), each for this user alone (0600). Files are replaced
 *  atomically. Modes have no effect on Windows. */
export function fileSecrets(directory: string): SecretKeeper {
  const nameOf = (endpoint: string) => join(directory, `${checked(endpoint)}.json`);
  return {
    nameOf,
    read: async endpoint => readFileSync(nameOf(endpoint), 'utf8'),
    putting: (endpoint, text) => `write ${text} into the file ${nameOf(endpoint)}`,
    async write(endpoint, text) {
      const path = nameOf(endpoint);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      chmodSync(directory, 0o700);
      writeWhole(path, text);
    },
    async remove(endpoint) {
      const path = nameOf(endpoint);
      rmSync(`${path}.new`, { force: true });
      rmSync(path, { force: true });
      if (existsSync(directory)) syncDirectory(directory);
    },
  };
}

/** Checks that a name can't lead out of the directory. Such names were refused before; this is a second guard. */
function checked(endpoint: string): string {
  if (ENDPOINT_NAME.test(endpoint)) return endpoint;
  throw new Error('The name of an endpoint has 1 to 64 letters, digits, "-" and "_".');
}

/** The signing secret in a file (mode 0600, without effect on Windows); if the file is missing, it is written with a
 *  new secret. @throws if the file has other content, with the remedy */
export function keptSecret(path: string): string {
  const kept = read(path);
  if (kept !== undefined) {
    if (isSigningSecret(kept)) return kept;
    throw new Error(
      `${path} does not contain a signing secret. Delete it, and the next start generates a new one.`,
    );
  }
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  // As a whole: after a full disk or a kill, a file without a secret would fail every later start.
  writeWhole(path, `${secret}\n`);
  return secret;
}

function read(path: string): string | undefined {
  try {
    chmodSync(path, 0o600);
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
