import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { isSigningSecret } from '../../functions/model/secret.ts';

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
