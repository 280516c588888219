import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory, writeWhole } from '../../functions/basics/write-whole.ts';
import { ENDPOINT_NAME } from '../../functions/model/endpoint.ts';
import { isSigningSecret, type SecretKeeper } from '../../functions/model/secret.ts';

/** Where a data directory holds the secrets of endpoints that are added while it runs. */
export const SECRETS_FOLDER = 'endpoints';

/** Endpoints' secrets as files of one directory (mode 0700), each for this user alone (0600). A file is replaced as a whole, so that no
 *  crash leaves half of one. Modes do nothing on Windows. */
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

/** Checks that a name can't lead out of the directory. Such names are refused before; this is a second
 *  guard. */
function checked(endpoint: string): string {
  if (ENDPOINT_NAME.test(endpoint)) return endpoint;
  throw new Error('An endpoint has a name of 1 to 64 letters, digits, "-" and "_".');
}

/** The signing secret in a file (mode 0600, which does nothing on Windows), which is made with a new one when it isn't there.
 *  @throws when the file holds something else, naming the remedy */
export function keptSecret(path: string): string {
  const kept = read(path);
  if (kept !== undefined) {
    if (isSigningSecret(kept)) return kept;
    throw new Error(`${path} holds no signing secret. Delete it, and the next start makes a new one.`);
  }
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
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
