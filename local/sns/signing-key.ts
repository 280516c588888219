import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeWhole } from '../../functions/basics/write-whole.ts';

/** The RSA key that signs: kept in `<directory>/sns-signing.pem` (mode 0600), made when there is none. Without a directory
 *  it lives as long as the process. */
export async function signingKey(directory: string | undefined): Promise<KeyObject> {
  if (directory === undefined) return makeKey();
  const path = join(directory, 'sns-signing.pem');
  const kept = await readKey(path);
  if (kept !== undefined) return kept;
  const made = await makeKey();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  writeWhole(path, made.export({ type: 'pkcs8', format: 'pem' }).toString());
  return made;
}

async function makeKey(): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey;
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  await chmod(path, 0o600);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The error is thrown below.
  }
  throw new Error(`${path} holds no RSA key: delete it, and a new one is made.`);
}
