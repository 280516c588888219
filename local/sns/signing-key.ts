import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../functions/clock.ts';

/** The RSA key that signs, and the self-signed certificate that receivers verify with; both PEM. */
export interface SigningKey {
  readonly privateKey: string;
  readonly certificate: string;
}

const TEN_YEARS = 10 * 365 * 24 * 3_600_000;
const A_DAY = 24 * 3_600_000;

/** The key kept in `<directory>/sns-signing.pem` (mode 0600), made when there is none or its certificate has run out.
 *  Without a directory the key lives as long as the process. */
export async function signingKey(directory: string | undefined, clock: Clock): Promise<SigningKey> {
  if (directory === undefined) return makeKey(clock);
  const path = join(directory, 'sns-signing.pem');
  const kept = await readKey(path, clock);
  if (kept !== undefined) return kept;
  const made = await makeKey(clock);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Both halves are in one file, on the disk before it is renamed into place: neither a kill nor a power cut leaves a key
  // without its certificate.
  const text = `${made.privateKey.trim()}\n${made.certificate.trim()}\n`;
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  return made;
}

async function makeKey(clock: Clock): Promise<SigningKey> {
  // Hundreds of files, which a start that finds its key needs not.
  const { generate } = await import('selfsigned');
  const pair = await generate([{ name: 'commonName', value: 'sns.localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
    notBeforeDate: new Date(clock() - A_DAY),
    notAfterDate: new Date(clock() + TEN_YEARS),
  });
  return { privateKey: pair.private, certificate: pair.cert };
}

async function readKey(path: string, clock: Clock): Promise<SigningKey | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  await chmod(path, 0o600);
  const key = parseKey(text);
  if (key === undefined) {
    throw new Error(`${path} holds no RSA key with its certificate: delete it, and a new pair is made.`);
  }
  return new X509Certificate(key.certificate).validToDate.getTime() > clock() ? key : undefined;
}

function parseKey(text: string): SigningKey | undefined {
  const privateKey = pemBlock(text, 'PRIVATE KEY');
  const certificate = pemBlock(text, 'CERTIFICATE');
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey))
      ? { privateKey, certificate }
      : undefined;
  } catch {
    return undefined;
  }
}

function pemBlock(text: string, label: string): string {
  const block = new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----`).exec(text)?.[0];
  return block === undefined ? '' : `${block}\n`;
}
