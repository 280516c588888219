import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addToEnvFile } from '../../../cli/init/env-file.ts';
import { withEnvFile } from '../../../local/basics/process.ts';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('.env', () => {
  it('is made for its user alone', () => {
    const directory = temporaryDirectory();
    addToEnvFile(directory, { EU_CLIENT_ID: 'id', EU_CLIENT_SECRET: 'a b#c' });
    const path = join(directory, '.env');
    expect([readFileSync(path, 'utf8'), mode(path)]).toEqual([
      "EU_CLIENT_ID=id\nEU_CLIENT_SECRET='a b#c'\n",
      '600',
    ]);
  });

  it('keeps what it has, and is closed to others', () => {
    const directory = temporaryDirectory();
    const path = join(directory, '.env');
    writeFileSync(path, '# Ours\nOTHER="x"');
    chmodSync(path, 0o644);
    addToEnvFile(directory, { EU_CLIENT_ID: 'id' });
    expect([readFileSync(path, 'utf8'), mode(path)]).toEqual(['# Ours\nOTHER="x"\nEU_CLIENT_ID=id\n', '600']);
  });

  it('stays a link to where it is kept', () => {
    const [directory, elsewhere] = [temporaryDirectory(), join(temporaryDirectory(), 'secrets')];
    writeFileSync(elsewhere, 'OTHER=x\n');
    symlinkSync(elsewhere, join(directory, '.env'));
    addToEnvFile(directory, { EU_CLIENT_ID: 'id' });
    expect(lstatSync(join(directory, '.env')).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, 'utf8')).toBe('OTHER=x\nEU_CLIENT_ID=id\n');
  });

  it('gives back every value that it takes, and refuses the others without showing them', () => {
    const directory = temporaryDirectory();
    const text = fc.string({ minLength: 1, unit: fc.constantFrom(...'aZ09 "\'`#$\\=\n{}/+-_.'.split('')) });
    const values: Record<string, string> = {};
    let count = 0;
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ minLength: 1 })), value => {
        const name = `VALUE_${count++}`;
        try {
          addToEnvFile(directory, { [name]: value });
          values[name] = value;
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          expect((error as Error).message).toMatch(
            /^VALUE_\d+ contains characters that \.env does not support/,
          );
        }
        // Each of those before, too.
        expect(withEnvFile({}, directory)).toEqual(values);
      }),
    );
    expect(count).toBeGreaterThan(0);
  });
});
