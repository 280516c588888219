import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BUGS } from './bugs.ts';

test.each(BUGS)('the deliberate bug “$name” still fits the code', ({ edits }) => {
  for (const { file, find } of edits) {
    const text = readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8');
    expect(text.split(find), `${file} holds "${find}" once`).toHaveLength(2);
  }
});

test('the tests that deliberate bugs name exist', () => {
  const named = BUGS.flatMap(({ foundBy }) => (typeof foundBy === 'string' ? [foundBy] : []));
  const root = fileURLToPath(new URL('../../', import.meta.url));
  expect(named.filter(file => !existsSync(`${root}${file}`))).toEqual([]);
});
