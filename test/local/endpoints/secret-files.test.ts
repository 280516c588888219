import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileSecrets, keptSecret } from '../../../local/data/secret-files.ts';
import { moduleUrl, temporaryDirectory } from '../../kit/temporary.ts';

describe('secrets in files', () => {
  let directory: string;
  beforeEach(() => {
    directory = join(temporaryDirectory(), 'secrets');
  });
  const modeOf = (path: string) => statSync(path).mode & 0o777;

  it('are read back as they were written, each for this user alone', async () => {
    const keeper = fileSecrets(directory);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async text => {
        await keeper.write('crm', text);
        expect(await keeper.read('crm')).toBe(text);
        expect([modeOf(directory), modeOf(join(directory, 'crm.json'))]).toEqual([0o700, 0o600]);
      }),
      { numRuns: 20 },
    );
    expect(readdirSync(directory)).toEqual(['crm.json']);
  });

  it('invariant 10: are closed to others also where a directory, or what a crash left, was open', async () => {
    const keeper = fileSecrets(directory);
    await keeper.write('crm', 'one');
    chmodSync(directory, 0o755);
    writeFileSync(join(directory, 'crm.json.new'), 'half', { mode: 0o644 });
    await keeper.write('crm', 'two');
    expect([modeOf(directory), modeOf(join(directory, 'crm.json'))]).toEqual([0o700, 0o600]);
    expect(await keeper.read('crm')).toBe('two');
  });

  it('are removed, also those that are not there', async () => {
    const keeper = fileSecrets(directory);
    await keeper.remove('crm');
    await keeper.write('crm', 'one');
    await keeper.write('chat', 'two');
    await keeper.remove('crm');
    await expect(keeper.read('crm')).rejects.toThrow('ENOENT');
    expect(await keeper.read('chat')).toBe('two');
  });

  it.each(['../x', 'a/b', '', '.', 'a'.repeat(65)])('of %j lie elsewhere and are not touched', async name => {
    const keeper = fileSecrets(directory);
    for (const touched of [keeper.read(name), keeper.write(name, 'x'), keeper.remove(name)])
      await expect(touched).rejects.toThrow('The name of an endpoint has');
    expect(existsSync(directory)).toBe(false);
  });
});

describe('the secret that is made for a webhook', () => {
  it('can sign, is another for each file, and stays, for its user alone', () => {
    const directory = temporaryDirectory();
    const [one, two] = [join(directory, 'one.secret'), join(directory, 'two.secret')];
    const secret = keptSecret(one);
    expect(() => new Webhook(secret)).not.toThrow();
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(keptSecret(two)).not.toBe(secret);
    chmodSync(one, 0o644);
    expect(keptSecret(one)).toBe(secret);
    expect(statSync(one).mode & 0o777).toBe(0o600);
  });

  it('leaves no empty file where the disk is full or the process is killed', () => {
    const file = join(temporaryDirectory(), 'one.secret');
    const write = `import('${moduleUrl('local/data/secret-files.ts')}').then(it => it.keptSecret('${file}'))`;
    spawnSync('sh', ['-c', 'ulimit -f 0; exec "$@"', '', process.execPath, '--eval', write]);
    expect(existsSync(`${file}.new`)).toBe(true);
    expect(() => new Webhook(keptSecret(file))).not.toThrow();
  });

  it('is refused when its file holds something else, which is not shown', () => {
    const file = join(temporaryDirectory(), 'one.secret');
    writeFileSync(file, 'whsec_hush\n');
    expect(() => keptSecret(file)).toThrow(
      new Error(
        `${file} does not contain a signing secret. Delete it, and the next start generates a new one.`,
      ),
    );
    expect(readFileSync(file, 'utf8')).toBe('whsec_hush\n');
  });
});
