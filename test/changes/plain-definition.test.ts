import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../functions/basics/json.ts';
import { compareProject, keepArchived, rulesOf } from '../../functions/changes/compare-project.ts';
import { jsonEqual } from '../../functions/changes/equal.ts';
import { ignoredFields } from '../../functions/changes/ignored-fields.ts';
import type { ProjectContent } from '../../functions/model/snapshot.ts';
import { comparePlainly, keepPlainly } from '../kit/changes/plain-compare.ts';

const field = (externalId: string, type: string, archived = false) => ({
  externalId,
  name: `${externalId}!`,
  type,
  archived,
});
const text = (archived: boolean) => field('text', 'text', archived);
const number = (archived: boolean) => field('number', 'number', archived);
const choices = (archived: boolean) => field('choices', 'multiple-choice', archived);
const RULES = [
  rulesOf({ project: [], task: [number(false)] }, ignoredFields(['text', 'number'])),
  rulesOf(
    {
      project: [text(true), number(false), choices(false)],
      task: [text(false), number(false), choices(false)],
    },
    ignoredFields([]),
  ),
  rulesOf(
    { project: [text(false), number(true), choices(true)], task: [text(true), number(false), choices(true)] },
    ignoredFields([]),
  ),
];

// JSON.parse alone makes a property that is named __proto__.
const NAMES = 'text number choices other memberIds id updatedAt 7 __proto__ toString'.split(' ');
const name = fc.constantFrom(...NAMES);
const leaf = fc.constantFrom<Json>(null, '', 'a', 'b', '1.0', '1.00', '10e-1', 1, '7', 7, 0, -0, false);
const inner = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'id', '__proto__'), leaf, { maxKeys: 2 }) as fc.Arbitrary<JsonObject>,
);
const value = fc.oneof(
  { weight: 3, arbitrary: inner },
  { weight: 1, arbitrary: fc.array(inner, { maxLength: 2 }) },
);
const members = fc.array(fc.tuple(name, value), { maxLength: 6 });
const asRecord = (entries: readonly (readonly [string, Json])[]) => Object.fromEntries(entries) as JsonObject;
/** A record, and one that came of it: some fields changed, some gone, and all in another order when `turned`. */
const states = fc
  .record({
    members,
    changed: fc.array(fc.tuple(name, value), { maxLength: 2 }),
    gone: fc.subarray(NAMES, { maxLength: 2 }),
    turned: fc.boolean(),
  })
  .map(({ members, changed, gone, turned }) => {
    const later = [...members, ...changed].filter(([name]) => !gone.includes(name));
    return [asRecord(members), asRecord(turned ? later.reverse() : later)] as const;
  });
const presence = fc.constantFrom('both', 'both', 'both', 'held', 'read');
const tasks = fc.array(fc.tuple(fc.constantFrom('7', '10', 'b', '__proto__', 'a'), presence, states), {
  maxLength: 5,
});
const contents = fc.tuple(states, tasks, fc.boolean()).map(([[before, after], tasks, turned]) => {
  const held = tasks.filter(([, where]) => where !== 'read').map(([id, , [before]]) => [id, before] as const);
  const read = tasks.filter(([, where]) => where !== 'held').map(([id, , [, after]]) => [id, after] as const);
  return [
    { record: before, tasks: new Map(held) },
    { record: after, tasks: new Map(turned ? read.reverse() : read) },
  ] as const satisfies readonly ProjectContent[];
});
const RUNS = { numRuns: 1_000 };

describe.each(RULES.map((rules, index) => ({ rules, index })))('by rules $index', ({ rules }) => {
  it('invariant 2: two contents differ in what the plain definition says, byte for byte', () => {
    fc.assert(
      fc.property(contents, fc.constantFrom('both', 'held', 'read'), ([held, read], there) => {
        const [from, to] = [there === 'read' ? undefined : held, there === 'held' ? undefined : read];
        const [found, said] = [compareProject, comparePlainly].map(compare =>
          JSON.stringify(compare('7', from, to, rules)),
        );
        expect(found).toBe(said);
      }),
      RUNS,
    );
  });

  it('what archiving took stays as the plain definition says, and so does what differs then', () => {
    fc.assert(
      fc.property(contents, ([held, read]) => {
        const [kept, said] = [keepArchived(held, read, rules), keepPlainly(held, read, rules)];
        expect(jsonEqual(kept.record, said.record)).toBe(true);
        expect([...kept.tasks.keys()]).toEqual([...said.tasks.keys()]);
        for (const [id, task] of kept.tasks) expect(jsonEqual(task, said.tasks.get(id) ?? null)).toBe(true);
        const changes = compareProject('7', held, kept, rules);
        expect(JSON.stringify(changes)).toBe(JSON.stringify(comparePlainly('7', held, said, rules)));
      }),
      RUNS,
    );
  });
});
