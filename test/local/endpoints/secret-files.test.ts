import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileSecrets } from '../../../local/data/secret-files.ts';

describe('secrets in files', () => {
  let root: string;
  let directory: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'secrets-'));
    directory = join(root, 'secrets');
  });
  afterEach(() => rmSync(root, { recursive: true }));
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

  it.each(['../x', 'a/b', '', '.', 'a'.repeat(65)])(
    'of %j are never touched: they would be elsewhere',
    async name => {
      const keeper = fileSecrets(directory);
      for (const touched of [keeper.read(name), keeper.write(name, 'x'), keeper.remove(name)])
        await expect(touched).rejects.toThrow('The name of an endpoint has');
      expect(existsSync(directory)).toBe(false);
    },
  );
});
