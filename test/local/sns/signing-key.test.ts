import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { signingKey } from '../../../local/sns/signing-key.ts';
import { afterwards, receiver, startHouse } from './house.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sns-'));
  afterwards(() => rm(directory, { recursive: true }));
});

describe('the signing key', () => {
  it('is made once, kept private, and found again', async () => {
    const data = join(directory, 'data');
    const made = await signingKey(data, Date.now);
    const path = join(data, 'sns-signing.pem');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(data)).toEqual(['sns-signing.pem']);
    await chmod(path, 0o644);
    const found = await signingKey(data, Date.now);
    expect(found.privateKey.trim()).toBe(made.privateKey.trim());
    expect(found.certificate.trim()).toBe(made.certificate.trim());
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is made for the first subscription, and not before', async () => {
    const { sns } = await startHouse({ dataDirectory: directory });
    const files = async () => (await readdir(directory)).filter(name => name.endsWith('.pem'));
    expect(await files()).toEqual([]);
    await sns.subscribe({ url: (await receiver()).url });
    expect(await files()).toEqual(['sns-signing.pem']);
  });

  it('is made anew when its certificate has run out', async () => {
    const long = 11 * 365 * 24 * 3_600_000;
    const old = await signingKey(directory, () => Date.now() - long);
    const renewed = await signingKey(directory, Date.now);
    expect(renewed.certificate).not.toBe(old.certificate);
    expect(new X509Certificate(renewed.certificate).validToDate.getTime()).toBeGreaterThan(Date.now());
  });

  it('that is damaged is an error that names the file and the remedy, and is not overwritten', async () => {
    const path = join(directory, 'sns-signing.pem');
    await writeFile(path, '-----BEGIN PRIVATE KEY-----\nbm9uZQ==\n-----END PRIVATE KEY-----\n');
    await expect(signingKey(directory, Date.now)).rejects.toThrow(
      `${path} holds no RSA key with its certificate: delete it`,
    );
  });
});
