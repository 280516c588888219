import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadedBy, ROOT } from './loaded.ts';

const text = (path: string) => readFileSync(resolve(ROOT, path), 'utf8');
const { scripts, dependencies } = JSON.parse(text('package.json')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
};

describe('package.json', () => {
  test('has all that a run loads among its dependencies, so that npm ci --omit=dev is enough for a server', () => {
    const { packages } = loadedBy('local/start.js');
    expect(packages).toContain('zod');
    expect([...packages].filter(name => !Object.hasOwn(dependencies, name))).toEqual([]);
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
