import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../functions/basics/clock.ts';
import { writeWhole } from '../../functions/basics/write-whole.ts';

/** The RSA key that signs: kept in `<directory>/sns-signing.pem` (mode 0600), made when there is none. */
export async function signingKey(directory: string): Promise<KeyObject> {
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

const TEN_YEARS = 10 * 365 * 24 * 3_600_000;
const A_DAY = 24 * 3_600_000;

/** The certificate by which receivers verify signatures, as PEM: self-signed, and made when the first
 *  receiver asks for it, because the package that makes it loads hundreds of files. Each process makes
 *  another one for the same key. Its name is made of the key, so a receiver that has one of them need not
 *  ask again. */
export interface Certificate {
  readonly name: string;
  readonly pem: () => Promise<string>;
}

export function certificateOf(privateKey: KeyObject, clock: Clock): Certificate {
  const publicKey = createPublicKey(privateKey);
  const digest = createHash('md5')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  let making: Promise<string> | undefined;
  const make = async () => {
    const { generate } = await import('selfsigned');
    const { cert } = await generate([{ name: 'commonName', value: 'sns.localhost' }], {
      keyPair: {
        privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      },
      algorithm: 'sha256',
      notBeforeDate: new Date(clock() - A_DAY),
      notAfterDate: new Date(clock() + TEN_YEARS),
    });
    return cert;
  };
  return {
    name: `SimpleNotificationService-${digest}.pem`,
    pem: () => {
      making ??= make();
      return making;
    },
  };
}
