import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prebuiltBundle } from '../../infra/bundle/prebuilt.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

function handlers(): string {
  const root = temporaryDirectory();
  for (const name of ['poll', 'tick']) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'index.mjs'), `// ${name}`);
  }
  return root;
}

test('a function of the package has the bundle of its entry, and the files beside it', () => {
  const folder = prebuiltBundle('functions/poll.ts', { 'configuration.json': '{}' }, handlers()) ?? '';
  const texts = readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]);
  expect(Object.fromEntries(texts)).toEqual({ 'index.mjs': '// poll', 'configuration.json': '{}' });
});

test('two functions of one entry have each its bundle, and their own files', () => {
  const root = handlers();
  const texts = ['[1]', '[2]'];
  const made = texts.map(text => prebuiltBundle('functions/tick.ts', { 'a.json': text }, root) ?? '');
  expect(made.map(folder => readFileSync(join(folder, 'a.json'), 'utf8'))).toEqual(texts);
  for (const folder of made) expect(readFileSync(join(folder, 'index.mjs'), 'utf8')).toBe('// tick');
});

test('a checkout has no bundles, and makes them', () => {
  expect(prebuiltBundle('functions/poll.ts', {})).toBe(undefined);
});
