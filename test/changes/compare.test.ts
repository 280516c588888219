import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEmpty } from '../../functions/basics/empty.ts';
import { isJsonObject, type Json, type JsonObject } from '../../functions/basics/json.ts';
import {
  applyChanges,
  compareProject,
  keepArchived,
  rulesOf,
} from '../../functions/changes/compare-project.ts';
import { compareRecord } from '../../functions/changes/compare-record.ts';
import { ignoredFields } from '../../functions/changes/ignored-fields.ts';
import type { ProjectContent } from '../../functions/model/snapshot.ts';
import { meaningOf as valuesOf } from '../../functions/pass/reading/digest.ts';

const definition = (externalId: string, type: string, more = {}) => ({
  externalId,
  name: `${externalId}!`,
  type,
  ...more,
});
const choices = ['single', 'multiple'].map(name => definition(name, `${name}-choice`));
const fields = [...['text', 'number', 'date'].map(name => definition(name, name)), ...choices];
const rules = rulesOf({ project: fields, task: fields }, ignoredFields([]));
/** A custom field that is named like a timestamp. */
const named = rulesOf({ project: [definition('updated', 'text')], task: [] }, ignoredFields([]));
const compare = (before: JsonObject | undefined, after: JsonObject) =>
  compareRecord(before, after, rules.projectFields, rules.ignored);

describe('comparing a record', () => {
  it('tells what a multiple choice gained and lost', () => {
    const from = ['a', 'b'];
    const to = ['c', 'b'];
    const changed = { from, to, added: ['c'], removed: ['a'] };
    expect(compare({ multiple: from }, { multiple: to })).toMatchObject([changed]);
    expect(compare({}, { multiple: ['a'] })).toMatchObject([{ from: null, added: ['a'], removed: [] }]);
    expect(compare({ multiple: 'a' }, { multiple: [] })).toMatchObject([{ added: [], removed: ['a'] }]);
  });

  it('compares a number of more than 1,000 characters as text', () => {
    const long = (zeros: number) => `1.${'0'.repeat(zeros)}`;
    expect(compare({ number: long(997) }, { number: long(998) })).toEqual([]);
    expect(compare({ number: long(998) }, { number: long(999) })).toMatchObject([{ field: 'number' }]);
  });

  it('compares built-in values as they stand: order in arrays counts, "1.0" is not "1.00"', () => {
    for (const [name, before, after, more] of [
      ['tags', ['a', 'b'], ['b', 'a'], { kind: 'builtin', type: 'array' }],
      ['version', '1.0', '1.00', { type: 'string', name: 'version' }],
      ['number', 'x', 'y', {}],
      ['number', { a: 1 }, '1', {}],
      ['number', ['1'], '1', {}],
      ['text', '1.0', '1.00', {}],
      ['size', '1.0', 1, { kind: 'builtin', type: 'number' }],
    ] satisfies [string, Json, Json, object][])
      expect(compare({ [name]: before }, { [name]: after })).toMatchObject([more]);
  });

  it.each([
    [{ a: 1 }, 'object'],
    [7, 'number'],
    [true, 'boolean'],
    ['x', 'string'],
  ])('names the JSON type of a built-in %j, also when it goes', (value, type) => {
    expect(compare({ it: value as Json }, {})).toMatchObject([{ type, from: value, to: null }]);
  });

  it('tells of a custom field that is named like a timestamp', () => {
    const changes = compareRecord({ updated: 'a' }, { updated: 'b' }, named.projectFields, named.ignored);
    expect(changes).toHaveLength(1);
  });
});

const value = fc.oneof(
  fc.constantFrom(null, '', 'a', 'b', '1.0', '1.00', 3),
  fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
);
const record = fc.dictionary(
  fc.constantFrom('text', 'number', 'multiple', 'builtin', 'updatedAt', '__proto__', 'name'),
  value,
) as fc.Arbitrary<JsonObject>;
const content = fc
  .record({ record, tasks: fc.dictionary(fc.constantFrom('t1', 't2', '10', '9', '__proto__'), record) })
  .map(({ record, tasks }): ProjectContent => ({ record, tasks: new Map(Object.entries(tasks)) }));
const maybe = fc.option(content, { nil: undefined });

/** What a receiver can know of a record: its non-empty fields, multiple choices as sets, decimals by value. */
function meaning(record: JsonObject): Record<string, Json> {
  const known = Object.entries(record).filter(([name, value]) => name !== 'updatedAt' && !isEmpty(value));
  return Object.fromEntries(
    known.map(([name, value]) => [name, name === 'multiple' ? asSet(value) : asNumber(name, value)]),
  );
}
const asSet = (value: Json) => [...new Set(Array.isArray(value) ? value : [value])].sort() as Json;
const asNumber = (name: string, value: Json) =>
  name === 'number' && /^1\.0+$/.test(String(value)) ? '1' : isJsonObject(value) ? value : value;
const meaningOf = (content: ProjectContent | undefined) =>
  content && [meaning(content.record), [...content.tasks].map(([id, task]) => [id, meaning(task)]).sort()];

describe('comparing projects', () => {
  it('invariant 4: applying the changes to the old content gives the new one, by meaning', () => {
    fc.assert(
      fc.property(maybe, maybe, (held, read) => {
        const changes = compareProject('p', held, read, rules);
        expect(meaningOf(applyChanges(held, changes))).toEqual(meaningOf(read));
      }),
    );
  });

  it('any prefix of the changes leads to a content from which the rest leads on', () => {
    fc.assert(
      fc.property(maybe, maybe, fc.nat(10), (held, read, count) => {
        const between = applyChanges(held, compareProject('p', held, read, rules).slice(0, count));
        const rest = compareProject('p', between, read, rules);
        expect(meaningOf(applyChanges(between, rest))).toEqual(meaningOf(read));
      }),
    );
  });

  it('invariant 5: equal contents differ in nothing, whatever the order of keys and tasks', () => {
    fc.assert(
      fc.property(content, one => {
        const tasks = new Map([...one.tasks].reverse());
        const record = Object.fromEntries(Object.entries(one.record).reverse()) as JsonObject;
        expect(compareProject('p', one, { record, tasks }, rules)).toEqual([]);
      }),
    );
  });
});

describe('a field that is archived', () => {
  const text = [definition('text', 'text', { archived: true })];
  const archived = rulesOf({ project: text, task: text }, ignoredFields([]));
  const held: ProjectContent = { record: { text: 'x', gone: 'y' }, tasks: new Map([['t', { text: 'x' }]]) };

  it('takes its value from no record, and copies none that differs in nothing else: the definition changed', () => {
    const kept = keepArchived(held, { record: { gone: 'y' }, tasks: new Map([['t', {}]]) }, archived);
    expect(compareProject('p', held, kept, archived)).toEqual([]);
    expect(kept.record).toEqual({ text: 'x', gone: 'y' });
    expect(kept.tasks.get('t')).toEqual({ text: 'x' });
    expect(kept.record).toBe(held.record);
    expect(kept.tasks.get('t')).toBe(held.tasks.get('t'));
    const same: ProjectContent = { record: { ...held.record }, tasks: new Map([['t', { text: 'x' }]]) };
    expect(keepArchived(held, same, archived).record).toBe(held.record);
    expect(keepArchived(held, same, archived).tasks.get('t')).toBe(held.tasks.get('t'));
  });

  it('copies no tasks where no field is archived, and changes nothing for a project that is new', () => {
    const read: ProjectContent = { record: { text: 'z' }, tasks: new Map([['t', {}]]) };
    expect(keepArchived(held, read, rules).tasks).toBe(read.tasks);
    expect(keepArchived(undefined, read, archived)).toBe(read);
  });
});

describe('the meaning of a content', () => {
  const shuffled = (record: JsonObject) =>
    Object.fromEntries(Object.entries({ ...record, updatedAt: 'later' }).reverse()) as JsonObject;
  const alike = ({ record, tasks }: ProjectContent): ProjectContent => ({
    record: shuffled(record),
    tasks: new Map([...tasks].map(([id, task]) => [id, shuffled(task)])),
  });
  const textOf = (one: ProjectContent) => JSON.stringify(valuesOf(one, rules));

  it('is the same in another order of keys, and with other values of ignored fields', () => {
    fc.assert(
      fc.property(content, one => {
        expect(textOf(alike(one))).toBe(textOf(one));
      }),
    );
  });

  it('is another one where a value moves to another field, and where a custom field is named as an ignored one', () => {
    const text = (record: JsonObject, by = rules) =>
      JSON.stringify(valuesOf({ record, tasks: new Map() }, by));
    expect(text({ text: 'a' })).not.toBe(text({ name: 'a' }));
    expect(text({ updated: 'a' }, named)).not.toBe(text({ updated: 'b' }, named));
  });

  it('invariant 1: is another one wherever comparing finds a change', () => {
    const edited = fc.tuple(content, content, fc.nat(5)).map(([one, other, kept]) => {
      const tasks = [...alike(one).tasks].slice(0, kept).concat([...other.tasks].slice(kept));
      return [one, { record: kept % 2 ? alike(one).record : other.record, tasks: new Map(tasks) }] as const;
    });
    fc.assert(
      fc.property(edited, ([one, other]) => {
        fc.pre(compareProject('p', one, other, rules).length > 0);
        expect(textOf(other)).not.toBe(textOf(one));
      }),
    );
  });
});
