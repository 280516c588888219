import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byText } from '../../functions/basics/order.ts';
import {
  compareDefinition,
  compareDefinitions,
  type DefinitionChange,
  type DefinitionsRead,
  definitionsAfter,
  isInDoubt,
} from '../../functions/changes/compare-definitions.ts';
import { isOutOfUse } from '../../functions/changes/compare-record.ts';
import { MAX_EVENT_BYTES } from '../../functions/changes/fit-event.ts';
import { fieldEvents } from '../../functions/changes/process-events.ts';
import type { Definitions, FieldDefinition } from '../../functions/model/field-definition.ts';
import { checkEvents } from '../kit/check-event.ts';

type Mode = 'changes' | 'sweep';
type Pass = [Mode, DefinitionsRead];

const AT = Date.UTC(2026, 10, 21, 12);
const origin = { workspace: 'eu', processId: 'p' };
const field = (externalId: string, more: Partial<FieldDefinition> = {}): FieldDefinition => ({
  ...{ externalId, name: externalId, type: 'text', ...more },
});
const NOTHING: Definitions = { project: [], task: [] };
const known = (...task: FieldDefinition[]): Definitions => ({ project: [], task, read: ['project', 'task'] });
const read = (...task: FieldDefinition[]): DefinitionsRead => ({ project: [], task });
const inShort = ({ entity, action, field, changes }: DefinitionChange) =>
  `${action} ${entity}:${field.externalId} ${changes.map(change => change.field).join()}`.trim();

/** Reads one after the other, from what was known; returns what each reading told. */
function readings(before: Definitions, ...all: Pass[]) {
  let definitions = before;
  const told = all.map(([mode, one]) => {
    const compared = compareDefinitions(definitions, one, mode);
    definitions = compared.definitions;
    return compared.changes.map(inShort);
  });
  return { told, definitions };
}

describe('one definition', () => {
  const before = field('a', { name: 'A', type: 'single-choice', options: ['x', 'y'] });

  it('tells each property that changed, in one order', () => {
    const now = field('a', { name: 'B', type: 'multiple-choice', options: ['y', 'z'], archived: true });
    expect(compareDefinition(before, now)).toEqual([
      { field: 'archived', from: false, to: true },
      { field: 'name', from: 'A', to: 'B' },
      { field: 'options', from: ['x', 'y'], to: ['y', 'z'], added: ['z'], removed: ['x'] },
      { field: 'type', from: 'single-choice', to: 'multiple-choice' },
    ]);
  });

  it('of a new field tells all that it has', () => {
    expect(compareDefinition(undefined, before)).toEqual([
      { field: 'name', from: null, to: 'A' },
      { field: 'options', from: null, to: ['x', 'y'], added: ['x', 'y'], removed: [] },
      { field: 'type', from: null, to: 'single-choice' },
    ]);
    const [archived] = compareDefinition(undefined, field('a', { archived: true }));
    expect(archived).toEqual({ field: 'archived', from: null, to: true });
  });

  it.each([
    [before, { options: ['y', 'x'] }],
    [before, { options: ['x', 'y', 'x'] }],
    [before, { archived: false }],
    [field('a'), { options: [] }],
  ])('%j is the same with %j', (one, more) => {
    expect(compareDefinition(one, { ...one, ...more })).toEqual([]);
  });
});

describe('definitions over time', () => {
  it('tell what came, changed and was archived: fields of projects first, then by externalId', () => {
    const before: Definitions = { project: [field('p')], task: [field('b'), field('a')] };
    const now = {
      project: [field('p', { name: 'P' }), field('o')],
      task: [field('z'), field('b', { archived: true, name: 'B' }), field('a', { type: 'date' })],
    };
    expect(readings(before, ['changes', now], ['changes', now]).told).toEqual([
      [
        'created project:o name,type',
        'updated project:p name',
        'updated task:a type',
        'archived task:b archived,name',
        'created task:z name,type',
      ],
      [],
    ]);
  });

  it('tell nothing of a list that is read for the first time, be it empty, and then what is new', () => {
    const later = read(field('a'), field('b'));
    const { told } = readings(NOTHING, ['sweep', read()], ['changes', read(field('a'))], ['changes', later]);
    expect(told).toEqual([[], ['created task:a name,type'], ['created task:b name,type']]);
    const refused = { project: undefined, task: undefined };
    expect(readings(NOTHING, ['sweep', refused], ['sweep', read(field('a'))], ['sweep', later]).told).toEqual(
      [[], [], ['created task:b name,type']],
    );
  });

  it('tell what is new to a list that was read before lists were marked as read', () => {
    const old: Definitions = { project: [], task: [field('a')] };
    expect(readings(old, ['sweep', read(field('a'), field('b'))]).told).toEqual([
      ['created task:b name,type'],
    ]);
  });

  it('tell a task field that two passes missed as deleted, once, and keep it for its values', () => {
    const before = known(field('a'), field('b'));
    const left = read(field('a'));
    const { told, definitions } = readings(before, ['changes', left], ['changes', left], ['sweep', left]);
    expect(told).toEqual([[], ['deleted task:b'], []]);
    expect(definitions.task).toEqual([field('a'), { ...field('b'), deleted: true }]);
    expect(readings(definitions, ['changes', read(field('b'), field('a'))]).told).toEqual([
      ['created task:b name,type'],
    ]);
  });

  it('tell an archived task field that is then missing as deleted', () => {
    const gone = read(field('b'));
    const before = known(field('a', { archived: true }), field('b'));
    expect(readings(before, ['sweep', gone], ['changes', gone]).told).toEqual([[], ['deleted task:a']]);
  });

  it('tell a project field that two passes missed as archived, once: a coverpage does not tell which it is', () => {
    const before: Definitions = { project: [field('a'), field('b')], task: [] };
    const without = { project: [field('a')], task: [] };
    const later: Pass = ['changes', without];
    const back = { project: [field('b'), field('a')], task: [] };
    const { told, definitions } = readings(before, ['sweep', without], later, later, ['sweep', back]);
    expect(told).toEqual([[], ['archived project:b archived'], [], ['updated project:b archived']]);
    expect(definitions.project).toEqual([field('b'), field('a')]);
  });

  it('tell an archived project field once, whether the coverpage goes on to show it or not', () => {
    const before: Definitions = { project: [field('a'), field('b')], task: [] };
    const shown = { project: [field('a', { archived: true }), field('b')], task: [] };
    const left = { project: [field('b')], task: [] };
    const { told } = readings(before, ['sweep', shown], ['sweep', left], ['changes', left], ['sweep', shown]);
    expect(told).toEqual([['archived project:a archived'], [], [], []]);
  });

  it('invariant 9: tell nothing of a field that one pass missed and the next one sees', () => {
    const both = read(field('a'), field('b'));
    const missed: Pass = ['changes', read(field('a'))];
    const before = known(field('a'), field('b'));
    const { told, definitions } = readings(before, missed, ['changes', both], missed, ['sweep', both]);
    expect(told.flat()).toEqual([]);
    expect(definitions.task).toEqual([field('a'), field('b')]);
  });

  it('hold a missing field for out of use at once: what records lack of it is no change', () => {
    const { definitions } = readings(known(field('a'), field('b')), ['changes', read(field('b'))]);
    expect(definitions.task.map(isOutOfUse)).toEqual([false, true]);
  });

  it.each([
    ['is empty', []],
    ['lacks most', [field('a')]],
  ])('invariant 9: believe a list that %s only when two sweeps read it so', (_, rest) => {
    const before = known(field('a'), field('b'), field('c'), field('d'), field('e'));
    const little = read(...rest);
    const changes: Pass = ['changes', little];
    const sweep: Pass = ['sweep', little];
    const passes = readings(before, ...Array(5).fill(changes), sweep, changes, sweep).told;
    expect(passes.slice(0, 7).flat()).toEqual([]);
    expect(passes[7]).toHaveLength(5 - rest.length);
    const between = readings(before, sweep, ['changes', read(...before.task)], sweep);
    expect(between.told.flat()).toEqual([]);
  });

  const fieldsOf = (count: number) => Array.from({ length: count }, (_, index) => field(`f${index}`));

  it.each([
    [4, 1],
    [3, 2],
    [8, 4],
  ])('believe a list of %i that lacks %i when two passes of any mode read it so', (count, missing) => {
    const all = fieldsOf(count);
    const rest = read(...all.slice(missing));
    expect(readings(known(...all), ['changes', rest], ['changes', rest]).told[1]).toHaveLength(missing);
  });

  it('do not count those that are deleted when they ask whether most are missing', () => {
    const live = fieldsOf(5);
    const deleted = ['x', 'y'].map(id => ({ ...field(id), deleted: true }));
    const rest = read(...live.slice(3));
    const before = known(...live, ...deleted);
    const { told, definitions } = readings(before, ['changes', rest], ['changes', rest]);
    expect(told.flat()).toEqual([]);
    expect(isInDoubt(definitions)).toBe(false);
    const many = ['v', 'w', 'x', 'y', 'z'].map(id => ({ ...field(id), deleted: true }));
    const few = known(...live.slice(1), ...many);
    const one = read(...live.slice(2));
    expect(readings(few, ['changes', one], ['changes', one]).told[1]).toHaveLength(1);
  });

  it('are written once when many are missing, not in every pass that misses them', () => {
    const all = known(...fieldsOf(5));
    const once = compareDefinitions(all, read(), 'changes');
    expect(once.isSame).toBe(false);
    expect(compareDefinitions(once.definitions, read(), 'changes').isSame).toBe(true);
  });

  it('are written when only one list has changed, and when an empty one was read for the first time', () => {
    const project = { project: [field('p')], task: [] };
    for (const [before, now] of [
      [known(field('a')), read(field('a'), field('b'))],
      [known(field('a')), read(field('a', { name: 'A' }))],
      [known(), project],
    ] as const)
      expect(compareDefinitions(before, now, 'sweep').isSame).toBe(false);
    const first = compareDefinitions(NOTHING, { project: [], task: undefined }, 'sweep');
    expect(first).toEqual({ definitions: { ...NOTHING, read: ['project'] }, changes: [], isSame: false });
  });

  it('ask for a second reading where few fields are missing, and for none where many are', () => {
    const all = fieldsOf(4);
    const after = (left: number) =>
      isInDoubt(compareDefinitions(known(...all), read(...all.slice(0, left)), 'changes').definitions);
    expect([4, 3, 2, 1, 0].map(after)).toEqual([false, true, true, false, false]);
    expect(isInDoubt(NOTHING)).toBe(false);
    const one = read(...fieldsOf(1));
    const told = readings(known(...fieldsOf(2)), ['changes', one], ['changes', one]).definitions;
    expect(isInDoubt(told)).toBe(false);
  });

  it('are the same, and not written, when only an order changed', () => {
    const choices = field('a', { type: 'single-choice', options: ['x', 'y'] });
    const turned = { ...choices, options: ['y', 'x'] };
    const compared = compareDefinitions(known(choices, field('b')), read(field('b'), turned), 'sweep');
    expect(compared).toMatchObject({ changes: [], isSame: true });
    expect(compared.definitions.task).toContain(choices);
  });
});

const definition = fc.record(
  {
    name: fc.constantFrom('A', 'B'),
    type: fc.constantFrom('text', 'single-choice'),
    options: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')),
    archived: fc.boolean(),
  },
  { requiredKeys: ['name', 'type'] },
);
const ids = ['__proto__', 'constructor', 'due-date', 'a', 'b'];
const list = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...ids), definition), { selector: ([id]) => id })
  .map(all => all.map(([externalId, rest]): FieldDefinition => ({ externalId, ...rest })));
const listOrRefusal = fc.option(list, { nil: undefined, freq: 8 });
const reading = fc.record({ project: listOrRefusal, task: listOrRefusal });
const pass = fc.tuple(fc.constantFrom('changes' as const, 'sweep' as const), reading);

const ENTITIES = ['project', 'task'] as const;
const fieldsOf = (one: DefinitionsRead) =>
  ENTITIES.flatMap(entity => (one[entity] ?? []).map(field => ({ entity, field })));

/** What a receiver knows of the fields: those told, without what a definition leaves open. */
type ToldFields = Map<string, FieldDefinition>;
const normal = (definition: FieldDefinition) => ({
  name: definition.name,
  type: definition.type,
  options: [...new Set(definition.options)].sort(byText),
  archived: definition.archived === true,
});
const keyOf = (entity: string, { externalId }: FieldDefinition) => `${entity}:${externalId}`;

function apply(told: ToldFields, { entity, action, field, changes }: DefinitionChange): void {
  const key = keyOf(entity, field);
  const before = told.get(key);
  expect(action === 'created', `${action} ${key}`).toBe(before === undefined);
  for (const change of changes) {
    const was = before && normal(before)[change.field];
    const from = Array.isArray(change.from) ? [...new Set(change.from)].sort(byText) : change.from;
    if (before) expect(from).toEqual(was);
  }
  if (action === 'deleted') told.delete(key);
  else told.set(key, field);
}

describe('any readings', () => {
  it('invariants 2, 4: tell each field from what was told before to what was read', () => {
    fc.assert(
      fc.property(fc.array(pass, { minLength: 1, maxLength: 8 }), passes => {
        let definitions = NOTHING;
        const told: ToldFields = new Map();
        const isRead = new Set<string>();
        for (const [mode, one] of passes) {
          const compared = compareDefinitions(definitions, one, mode);
          definitions = compared.definitions;
          const fields = fieldsOf(one);
          for (const { entity, field } of fields.filter(({ entity }) => !isRead.has(entity)))
            told.set(keyOf(entity, field), field);
          for (const change of compared.changes) apply(told, change);
          for (const { entity, field } of fields)
            expect(normal(told.get(keyOf(entity, field)) as FieldDefinition)).toEqual(normal(field));
          for (const entity of ENTITIES.filter(entity => one[entity])) isRead.add(entity);
        }
      }),
    );
  });

  it('once settled tell nothing more, and need no write', () => {
    fc.assert(
      fc.property(fc.array(pass, { maxLength: 5 }), reading, (passes, last) => {
        const settled = readings(NOTHING, ...passes, ['sweep', last], ['sweep', last], ['sweep', last]);
        expect(settled.told.at(-1)).toEqual([]);
        for (const mode of ['changes', 'sweep'] as const) {
          const again = compareDefinitions(settled.definitions, last, mode);
          expect(again).toMatchObject({ changes: [], isSame: true });
        }
        expect(isInDoubt(settled.definitions) && last.project && last.task).toBeFalsy();
      }),
    );
  });

  it('invariant 3: give the same events, byte for byte, each by its schema', () => {
    fc.assert(
      fc.property(fc.array(pass, { maxLength: 3 }), pass, (passes, [mode, last]) => {
        const { definitions } = readings(NOTHING, ['sweep', { project: [], task: [] }], ...passes);
        const events = [1, 2].map(() =>
          fieldEvents(origin, compareDefinitions(definitions, last, mode).changes, { version: AT, at: AT }),
        );
        expect(JSON.stringify(events[0])).toBe(JSON.stringify(events[1]));
        const [told = []] = events;
        checkEvents(told);
        expect(new Set(told.map(({ id, subject }) => `${id} ${subject}`)).size).toBe(told.length);
        expect(new Set(told.map(({ subject }) => subject)).size).toBe(told.length);
      }),
    );
  });
});

const changesOf = (...fields: FieldDefinition[]) =>
  compareDefinitions(known(), read(...fields), 'sweep').changes;

it('events about fields name the process, the field, and what changed', () => {
  const [event] = fieldEvents(origin, changesOf(field('due date', { options: ['x'] })), {
    version: AT + 7,
    at: AT,
  });
  expect(event).toEqual({
    specversion: '1.0',
    id: `p..${AT + 7}.0`,
    source: '/workspaces/eu/processes/p',
    type: 'field.created',
    subject: 'task-fields/due%20date',
    time: '2026-11-21T12:00:00.000Z',
    datacontenttype: 'application/json',
    sequence: String(AT + 7),
    data: {
      process: { id: 'p' },
      field: {
        entity: 'task',
        externalId: 'due date',
        name: 'due date',
        type: 'text',
        options: ['x'],
        archived: false,
      },
      changes: [
        { field: 'name', from: null, to: 'due date' },
        { field: 'options', from: null, to: ['x'], added: ['x'], removed: [] },
        { field: 'type', from: null, to: 'text' },
      ],
    },
  });
});

it.each([
  ['its choices', { options: Array.from({ length: 6_500 }, (_, n) => `choice ${n}`) }, ['field.options']],
  [
    'long values',
    { options: Array.from({ length: 90_000 }, (_, n) => `choice ${n}`) },
    ['field.options', 'changes[1].to', 'changes[1].added'],
  ],
  ['a long name', { name: 'n'.repeat(300_000) }, ['field.options', 'changes[0].to']],
])('events about fields over 240 KB lose %s, and say so', (_, more, truncated) => {
  const [event] = checkEvents(fieldEvents(origin, changesOf(field('a', more)), { version: AT, at: AT }));
  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(MAX_EVENT_BYTES);
  expect(event?.data).toMatchObject({ truncated });
});

const renamed = (externalId: string) => field(externalId, { name: 'New' });
const before: Definitions = {
  project: [field('a'), field('b')],
  task: [field('a'), field('c')],
  read: ['project', 'task'],
};
const compared = compareDefinitions(
  before,
  { project: [renamed('a'), field('b'), field('new')], task: [renamed('a'), renamed('c')] },
  'changes',
);

it('what is known once a part of the changes is told is as it was for those that are not', () => {
  expect(compared.changes.map(inShort)).toEqual([
    'updated project:a name',
    'created project:new name,type',
    'updated task:a name',
    'updated task:c name',
  ]);
  const after = (count: number) => definitionsAfter(before, compared, count);
  expect(after(0)).toEqual(before);
  expect(after(1)).toEqual({ ...before, project: [renamed('a'), field('b')] });
  expect(after(3)).toEqual({
    ...before,
    project: [renamed('a'), field('b'), field('new')],
    task: [renamed('a'), field('c')],
  });
  expect(after(4)).toEqual(compared.definitions);
});
