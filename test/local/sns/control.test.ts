import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { certificateOf, signingKey, startControl } from '../../../local/sns/control.ts';
import { receiver, startSns } from '../../kit/local/sns.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

async function control(pem = async () => 'certificate') {
  const started = await startControl(
    { name: 'c.pem', pem },
    { confirm: async () => 'arn', unsubscribe: async () => true },
  );
  onTestFinished(started.close);
  return started;
}

/** Sends a request target as it stands, which `fetch` does for none of these. @returns the status of the answer */
function statusOf(base: string, target: string, host = new URL(base).host): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', chunk => (text += chunk));
    socket.once('error', reject).once('close', () => resolve(Number(text.split(' ')[1])));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}

const TARGETS = ['//', '///', '/\\', '//[', 'http://', 'http://[', '//a:b'];
it.each(TARGETS)('refuses the request target %s, which is no URL, and goes on', async target => {
  const { signingCertUrl } = await control();
  expect(await statusOf(signingCertUrl, target)).toBe(400);
  expect(await (await fetch(signingCertUrl)).text()).toBe('certificate');
});

it('answers no request for another host, which a web page could make by DNS', async () => {
  const { signingCertUrl } = await control();
  const { host, pathname } = new URL(signingCertUrl);
  expect(await statusOf(signingCertUrl, pathname)).toBe(200);
  for (const foreign of ['evil.example.com', host.replace('127.0.0.1', 'evil.example.com'), '127.0.0.1', '['])
    expect(await statusOf(signingCertUrl, pathname, foreign)).toBe(403);
});

it('answers 500 when an action throws', async () => {
  const { signingCertUrl } = await control(() => {
    throw new Error('disk');
  });
  expect((await fetch(signingCertUrl)).status).toBe(500);
});

let directory: string;

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ec = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

beforeEach(() => {
  directory = temporaryDirectory();
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
