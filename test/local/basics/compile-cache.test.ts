import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../kit/temporary.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const SOURCE = join(ROOT, 'local/basics/package-file.ts');

/** Where a process that loads this file keeps compiled code. */
function cacheOf(file: string): string {
  const script = `import { getCompileCacheDir } from 'node:module';
    import { keepCompiledCode } from ${JSON.stringify(pathToFileURL(file).href)};
    keepCompiledCode();
    console.log(getCompileCacheDir());`;
  const { PATH = '' } = process.env;
  const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: { PATH },
  });
  expect(ended.stderr).toBe('');
  return dirname(ended.stdout.trim());
}

test('compiled code of a checkout is kept in its node_modules', () => {
  expect(cacheOf(SOURCE)).toBe(join(ROOT, 'node_modules/.cache/changewire'));
});

test('compiled code of the package is kept in the node_modules into which it was installed', () => {
  const modules = join(temporaryDirectory(), 'node_modules');
  const file = join(modules, 'changewire/dist/local/basics/package-file.js');
  for (const folder of [dirname(file), join(modules, 'zod')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(modules, 'changewire/package.json'), '{"type": "module"}');
  writeFileSync(file, stripTypeScriptTypes(readFileSync(SOURCE, 'utf8')));
  writeFileSync(join(modules, 'zod/index.js'), '');
  expect(cacheOf(file)).toBe(join(modules, '.cache/changewire'));
});
