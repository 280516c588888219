import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { compareProject, inOrder, keepArchived, rulesOf } from '../../functions/changes/compare-project.ts';

/** A map that says what it was asked for by key. */
class Asked<Value> extends Map<string, Value> {
  readonly keysAsked: string[] = [];

  override get(key: string): Value | undefined {
    this.keysAsked.push(key);
    return super.get(key);
  }

  override has(key: string): boolean {
    this.keysAsked.push(key);
    return super.has(key);
  }
}

it('values in order are found by their keys, in any order, and not by any other', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', '1', '__proto__');
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat())), fc.array(key), (entries, asked) => {
      const values = new Map(entries);
      const find = inOrder(values);
      expect(asked.map(find)).toEqual(asked.map(key => values.get(key)));
    }),
  );
});

it('values in order are looked up only where another key is asked for than the next one', () => {
  const values = new Asked([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
  const find = inOrder(values);
  expect(['a', 'x', 'c', 'b'].map(find)).toEqual([1, undefined, 3, 2]);
  expect(values.keysAsked).toEqual(['x', 'b']);
});

const field = { externalId: 'f', name: 'F', type: 'text', archived: true };
const rules = rulesOf({ project: [], task: [field] }, new Set());
const contentOf = (...ids: string[]) => ({
  record: {},
  tasks: new Asked<JsonObject>(ids.map(id => [id, { text: id }])),
});

it('comparing a project looks no task up that comes in its order, and none that may be gone where none can be', () => {
  const [held, read] = [contentOf('a', 'b'), contentOf('a', 'b', 'c')];
  keepArchived(held, read, rules);
  const changes = compareProject('p', held, read, rules);
  expect(changes.map(({ action, id }) => [action, id])).toEqual([['created', 'c']]);
  expect(held.tasks.keysAsked).toEqual(['c', 'c']);
  expect(read.tasks.keysAsked).toEqual([]);
});
