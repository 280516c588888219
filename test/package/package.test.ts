import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDocument } from '../kit/docs/documents.ts';
import { loadedBy, ROOT } from '../kit/package/loaded.ts';

const { scripts, dependencies, devDependencies, bin } = JSON.parse(readDocument('package.json')) as {
  scripts: Record<string, string>;
  devDependencies: Record<string, string>;
  dependencies: Record<string, string>;
  bin: Record<string, string>;
};
/** The build bundles what `cli/mcp/sdk.ts` exports of it. */
const BUNDLED = '@modelcontextprotocol/server';

describe('package.json', () => {
  test.each(['local/start.js', 'cli/program.ts', 'receiver/index.ts'])(
    'has all that %s loads among its dependencies, so that npm ci --omit=dev is enough for a server',
    entry => {
      const { packages } = loadedBy(entry);
      expect(packages.size).toBeGreaterThan(0);
      const missing = [...packages].filter(name => !Object.hasOwn(dependencies, name));
      expect(missing).toEqual(entry === 'cli/program.ts' ? [BUNDLED] : []);
    },
  );

  test('has the SDK that the build bundles for `changewire mcp` among the tools, imported by the bundled file alone', () => {
    expect([...loadedBy('cli/mcp/sdk.ts').packages]).toEqual([BUNDLED]);
    expect(devDependencies).toHaveProperty([BUNDLED]);
    const importers = [...loadedBy('cli/program.ts').files].filter(file =>
      readDocument(file).match(/^(?:import|export) \{[^}]*\} from '@modelcontextprotocol\//m),
    );
    expect(importers).toEqual(['cli/mcp/sdk.ts']);
  });

  test('npx finds the command, which is executable', () => {
    expect(bin).toEqual({ changewire: 'cli/changewire.js' });
    expect(statSync(resolve(ROOT, bin.changewire ?? '')).mode & 0o111).toBe(0o111);
    expect(readDocument(bin.changewire ?? '')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  // cmd.exe knows neither of these: VARIABLE=value in front of a command, single quotes, $, ;, rm.
  test.each(Object.entries(scripts))('npm run %s needs no POSIX shell: %s', (_, script) => {
    expect(script).not.toMatch(
      /['$;`\\]|(^|&& )\w+=|(^|&& )(rm|cp|mv|mkdir|sh|bash|export) |(?<!&)&(?!&)|\|/,
    );
  });

  test('has a reason for each dependency and for what is bundled, and none that is not used', () => {
    const [, table = ''] =
      /reason \|\n\|---\|---\|\n([\s\S]*?)\n(?:\n|$)/.exec(readDocument('docs/performance.md')) ?? [];
    const told = table
      .split('\n')
      .flatMap(row => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(told.toSorted()).toEqual([...Object.keys(dependencies), BUNDLED].toSorted());
    const used = new Set(
      ['local/main.ts', 'cli/program.ts', 'receiver/index.ts'].flatMap(entry => [
        ...loadedBy(entry).packages,
      ]),
    );
    expect(Object.keys(dependencies).filter(name => !used.has(name))).toEqual([]);
  });

  test('is checked out with the same line ends everywhere', () => {
    expect(readDocument('.gitattributes')).toContain('* text=auto eol=lf\n');
  });
});
