import { expect, it } from 'vitest';
import { newWithoutTaskList, rememberable } from '../../functions/pass/new-projects.ts';
import type { Pass } from '../../functions/pass/pass.ts';

const named = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({ id: `${name}${index}`, error: new Error(name) }));
const passOf = (skipped: readonly { id: string }[], held: readonly string[] = []) =>
  ({ parts: { state: { skipped }, snapshots: { held: async () => new Set(held) } } }) as unknown as Pass;

it('new are those that nobody holds, nor skipped before, in id order', async () => {
  const pass = passOf([{ id: '2' }], ['3']);
  expect(await newWithoutTaskList(pass, ['3', '2', '10', '1'])).toEqual(['1', '10']);
});

it.each([
  ['beside none', 0, 0, 0, 100],
  ['beside those that are skipped, less those that are so no longer', 60, 10, 0, 50],
  ['beside those that fail now, too', 60, 10, 5, 45],
  ['beside more than there is room for', 120, 0, 0, 0],
])('a hundred are remembered in all: %s', (_, known, well, failing, room) => {
  const skipped = named(known, 'known');
  const done = new Set(skipped.slice(0, well).map(({ id }) => id));
  // One that failed before is counted once.
  const failures = [...named(failing, 'failing'), ...skipped.slice(well, well + 1)];
  const ids = named(200, 'new').map(({ id }) => id);
  const remembered = rememberable(passOf(skipped), ids, { failures, done });
  expect(remembered.map(({ id }) => id)).toEqual(ids.slice(0, room));
});
