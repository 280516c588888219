import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadedBy, ROOT } from '../kit/package/loaded.ts';

const text = (path: string) => readFileSync(resolve(ROOT, path), 'utf8');
const { scripts, dependencies, bin } = JSON.parse(text('package.json')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  bin: Record<string, string>;
};

describe('package.json', () => {
  test.each(['local/start.js', 'cli/changewire.js'])(
    'has all that %s loads among its dependencies, so that npm ci --omit=dev is enough for a server',
    entry => {
      const { packages } = loadedBy(entry);
      expect(packages).toContain('zod');
      expect([...packages].filter(name => !Object.hasOwn(dependencies, name))).toEqual([]);
    },
  );

  test('npx finds the command, which is executable', () => {
    expect(bin).toEqual({ changewire: 'cli/changewire.js' });
    expect(statSync(resolve(ROOT, bin.changewire ?? '')).mode & 0o111).toBe(0o111);
    expect(text(bin.changewire ?? '')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  // cmd.exe knows neither of these: VARIABLE=value in front of a command, single quotes, $, ;, rm.
  test.each(Object.entries(scripts))('npm run %s needs no POSIX shell: %s', (_, script) => {
    expect(script).not.toMatch(
      /['$;`\\]|(^|&& )\w+=|(^|&& )(rm|cp|mv|mkdir|sh|bash|export) |(?<!&)&(?!&)|\|/,
    );
  });

  test('is checked out with the same line ends everywhere', () => {
    expect(text('.gitattributes')).toContain('* text=auto eol=lf\n');
  });
});
