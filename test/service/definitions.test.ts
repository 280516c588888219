import { describe, expect, test } from 'vitest';
import type { Json } from '../../functions/basics/json.ts';
import { normaliseType, readDefinitions } from '../../functions/service/definitions.ts';

const field = (externalId: string, more: { [key: string]: Json } = {}): Json => ({
  externalId,
  type: 'text',
  ...more,
});
const idsOf = (body: Json) => readDefinitions(body).map(definition => definition.externalId);

describe('field definitions are found by structure', () => {
  test.each<[string, Json]>([
    ['a bare array', [field('a'), field('b')]],
    ['groups with fields', { groups: [{ name: 'G', fields: [field('a')] }, { fields: [field('b')] }] }],
    ['an object by key', { fields: { one: field('a'), two: field('b') } }],
    [
      'a single one, and rubbish beside it',
      [field('a'), null, 3, 'x', [[field('b')]], { externalId: 'no type' }],
    ],
    ['groups that look like fields', [field('g', { type: 'group', fields: [field('a'), field('b')] })]],
    ['choices that look like fields', [field('a', { choices: [field('no')], options: [] }), field('b')]],
    ['options that hold the fields', { options: [field('a'), field('b')] }],
  ])('in %s, in the order of the document', (_title, body) => {
    expect(idsOf(body)).toEqual(['a', 'b']);
  });

  test('a field with fields that depend on it stays a field', () => {
    expect(idsOf([field('a', { type: 'select', dependents: [field('b')] })])).toEqual(['a', 'b']);
  });

  test('nothing is found in what holds none', () => {
    for (const body of [null, 1, 'x', [], {}, { externalId: 'a' }, { externalId: '', type: 'text' }])
      expect(readDefinitions(body)).toEqual([]);
  });

  test.each<[{ [key: string]: Json }, name: string, type: string]>([
    [{ name: 'Name', label: 'Label', type: 'text' }, 'Name', 'text'],
    [{ label: 'Label', title: 'Title', type: 'text' }, 'Label', 'text'],
    [{ name: '', title: 'Title', type: 'text' }, 'Title', 'text'],
    [{ name: { en: 'x' }, type: 'text' }, '5', 'text'],
    [{ type: 'DATE' }, '5', 'date'],
    [{ fieldType: 'number' }, '5', 'number'],
    [{ type: 7, fieldType: 'number' }, '5', 'number'],
    [{ type: '', fieldType: 'number' }, '5', 'number'],
    [{ type: { name: 'Single choice' } }, '5', 'single-choice'],
    [{ type: { type: 'multi_select' } }, '5', 'multiple-choice'],
    [{ type: 'Rating' }, '5', 'Rating'],
  ])('take their name and type from %j: %s, %s', (more, name, type) => {
    expect(readDefinitions([{ externalId: 5, ...more }])).toEqual([{ externalId: '5', name, type }]);
  });

  test('keep options and whether they are archived', () => {
    const body = [
      field('a', {
        options: ['x', 2, null, { label: 'L', name: 'n', value: 'v' }, { name: 'N', value: 'v' }],
      }),
      field('b', { choices: [{ value: 'V' }, {}], archived: false }),
      field('c', { isArchived: true, options: {} }),
      field('d', { status: 'Archived' }),
      field('e', { status: 'active', archived: 'no' }),
    ];
    expect(readDefinitions(body)).toEqual([
      { externalId: 'a', name: 'a', type: 'text', options: ['x', '2', 'L', 'N'] },
      { externalId: 'b', name: 'b', type: 'text', options: ['V'], archived: false },
      { externalId: 'c', name: 'c', type: 'text', archived: true },
      { externalId: 'd', name: 'd', type: 'text', archived: true },
      { externalId: 'e', name: 'e', type: 'text' },
    ]);
  });

  test('count once per externalId, the active one first', () => {
    const archived = field('a', { archived: true, name: 'old' });
    const active = field('a', { name: 'new' });
    expect(readDefinitions([archived, active])).toMatchObject([{ name: 'new' }]);
    expect(readDefinitions([active, archived])).toMatchObject([{ name: 'new' }]);
    expect(readDefinitions([archived, archived])).toMatchObject([{ name: 'old' }]);
    expect(readDefinitions([active, field('a', { name: 'newer' })])).toMatchObject([{ name: 'new' }]);
  });

  test('end at a depth and at a size, without harm', () => {
    let deep: Json = field('deep');
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(idsOf([deep, field('a')])).toEqual(['a']);
    const wide: Json = Array.from({ length: 250_000 }, () => ({}));
    expect(idsOf([field('a'), wide, field('late')])).toEqual(['a']);
  });
});

test.each([
  ['text', 'text TextField string shortText LONG_TEXT plain-text richtext TEXTAREA singleLine multi_line'],
  ['number', 'number numeric integer int decimal float double'],
  ['date', 'date date_time DatePicker'],
  ['single-choice', 'single-choice singleSelect single_selection choice select dropdown radio enum'],
  ['multiple-choice', 'MULTIPLE_CHOICE multipleSelect multiple_selection multiChoice multiselect'],
  ['multiple-choice', 'multi-select-field multiSelection multi choices checkboxes tags'],
])('the type %s may be written %s', (type, spellings) => {
  for (const written of spellings.split(' '))
    expect([written, normaliseType(written)]).toEqual([written, type]);
});

test.each(['constructor', 'Person Picker', 'Field text'])('the type %s stays as it is written', written => {
  expect(normaliseType(written)).toBe(written);
});
