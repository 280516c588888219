import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(resolve(ROOT, path), 'utf8');
const { scripts, dependencies } = JSON.parse(text('package.json')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
};

/** Packages that `file` loads when it runs, at once or later, with all that it imports. */
function loadedBy(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const statements = text(file).matchAll(
    /^(?:import|export)\s(?!type\s)([^'";]*?)from\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...statements].flatMap(([, names = '', from, later]) => {
    const module = from ?? later ?? '';
    if (module.startsWith('.'))
      return loadedBy(relative(ROOT, resolve(ROOT, dirname(file), module)).replaceAll('\\', '/'), seen);
    return module.startsWith('node:') || isTypesOnly(names) ? [] : [module];
  });
}

/** `{ type A, type B }`: nothing is left of it at run time. */
function isTypesOnly(names: string): boolean {
  const inBraces = /^\{([^}]*)\}\s*$/.exec(names.trim())?.[1]?.split(',');
  return inBraces?.every(name => /^\s*(type\s|$)/.test(name)) ?? false;
}

describe('package.json', () => {
  test('has all that a run loads among its dependencies, so that npm ci --omit=dev is enough for a server', () => {
    const loaded = new Set(loadedBy('local/start.js'));
    expect(loaded).toContain('zod');
    expect([...loaded].filter(name => !Object.hasOwn(dependencies, name))).toEqual([]);
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
