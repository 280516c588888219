import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { certificateOf, signingKey } from '../../../local/sns/control.ts';
import { afterwards, receiver, startSns } from '../../kit/local/sns.ts';

let directory: string;

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sns-'));
  afterwards(() => rm(directory, { recursive: true }));
});

describe('the signing key', () => {
  it('is made once, kept private, and found again', async () => {
    const data = join(directory, 'data');
    const made = await signingKey(data);
    const path = join(data, 'sns-signing.pem');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(data)).toEqual(['sns-signing.pem']);
    await chmod(path, 0o644);
    expect((await signingKey(data)).equals(made)).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is made for the first subscription, and not before', async () => {
    const { sns } = await startSns({ dataDirectory: directory });
    const files = async () => (await readdir(directory)).filter(name => name.endsWith('.pem'));
    expect(await files()).toEqual([]);
    await sns.subscribe({ url: (await receiver()).url });
    expect(await files()).toEqual(['sns-signing.pem']);
  });

  it.each([
    ['is damaged', '-----BEGIN PRIVATE KEY-----\nbm9uZQ==\n-----END PRIVATE KEY-----\n'],
    ['is of another kind', ec],
  ])('that %s is an error that names the file and the remedy, and is not overwritten', async (_, text) => {
    const path = join(directory, 'sns-signing.pem');
    await writeFile(path, text);
    await expect(signingKey(directory)).rejects.toThrow(`${path} does not contain an RSA key. Delete it`);
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});

describe('the certificate', () => {
  it('is the key’s, valid now and for years, and made once', async () => {
    const key = await signingKey(directory);
    const { name, pem } = certificateOf(key, Date.now);
    const [one, two] = await Promise.all([pem(), pem()]);
    expect(two).toBe(one);
    const certificate = new X509Certificate(one);
    expect(certificate.checkPrivateKey(key)).toBe(true);
    expect(certificate.validFromDate.getTime()).toBeLessThan(Date.now());
    expect(certificate.validToDate.getTime()).toBeGreaterThan(Date.now() + 9 * 365 * 86_400_000);
    expect(name).toMatch(/^SimpleNotificationService-[0-9a-f]{32}\.pem$/);
  });

  it('has the name of its key in every process, and another with another key', async () => {
    const key = await signingKey(directory);
    const again = await signingKey(directory);
    expect(certificateOf(again, Date.now).name).toBe(certificateOf(key, Date.now).name);
    expect(certificateOf(await signingKey(join(directory, 'other')), Date.now).name).not.toBe(
      certificateOf(key, Date.now).name,
    );
  });
});
