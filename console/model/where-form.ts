import { isJsonObject, type Json, type JsonObject } from '../../functions/basics/json.ts';
import { type Conditions, MOVES, VALUE_TESTS } from '../../functions/model/where.ts';
import { readListed, showListed } from './listed.ts';

/** A condition on a field. `test` is the path of its key, such as `became.not.above`. */
export interface ConditionRow {
  readonly field: string;
  readonly test: string;
  readonly value: string;
}

/** Groups of conditions: all of one group must hold. */
export type WhereForm = readonly (readonly ConditionRow[])[];

export const NO_CONDITION: ConditionRow = { field: '', test: 'in', value: '' };

const WORDS: Readonly<Record<string, string>> = {
  in: 'is',
  contains: 'contains',
  above: 'is above',
  below: 'is below',
  before: 'is before',
  after: 'is after',
  exists: 'has a value',
};

const GROUPS = [
  ['', 'Now'],
  ['not.', 'Not'],
  ['became.', 'Became true'],
  ['became.not.', 'Became true: not'],
] as const;

/** The tests that the form offers, by group, with their words. */
export const TEST_GROUPS: readonly {
  readonly label: string;
  readonly tests: readonly (readonly [test: string, words: string])[];
}[] = [
  ...GROUPS.map(([prefix, label]) => ({
    label,
    tests: VALUE_TESTS.map(
      test =>
        [`${prefix}${test}`, [prefix && label.toLowerCase(), WORDS[test]].filter(Boolean).join(' ')] as const,
    ),
  })),
  { label: 'Changed', tests: [['moved', 'moved']] },
];

/** The only values of a test; undefined: any text. */
export function valuesOf(test: string): readonly string[] | undefined {
  if (test === 'moved') return MOVES;
  return lastOf(test) === 'exists' ? ['true', 'false'] : undefined;
}

function lastOf(test: string): string {
  return test.split('.').at(-1) ?? '';
}

function isList(test: string): boolean {
  return ['in', 'contains'].includes(lastOf(test));
}

/** The groups of a form; rows without a field are left out. */
export function whereOf(form: WhereForm): readonly Conditions[] {
  const filled = form.map(rows => rows.filter(({ field }) => field.trim() !== ''));
  return filled.filter(rows => rows.length > 0).map(conditionsOf);
}

function conditionsOf(rows: readonly ConditionRow[]): Conditions {
  const fields = new Map<string, JsonObject>();
  for (const { field, test, value } of rows) {
    const tests = fields.get(field.trim()) ?? {};
    fields.set(field.trim(), tests);
    const path = test.split('.');
    const key = path.pop() ?? '';
    const parent = path.reduce<JsonObject>((here, step) => {
      here[step] ??= {};
      return here[step] as JsonObject;
    }, tests);
    parent[key] = isList(test) ? readListed(value) : key === 'exists' ? value !== 'false' : value.trim();
  }
  return Object.fromEntries(fields) as Conditions;
}

/** The first condition whose field and test another one of its group has, too: a filter can't hold both. */
export function repeatedIn(form: WhereForm): ConditionRow | undefined {
  return form
    .flatMap(rows =>
      rows.filter((row, index) =>
        rows
          .slice(0, index)
          .some(({ field, test }) => field.trim() === row.field.trim() && test === row.test),
      ),
    )
    .find(({ field }) => field.trim() !== '');
}

/** The form of these groups. */
export function whereForm(where: readonly Conditions[]): WhereForm {
  return where.map(group =>
    Object.entries(group).flatMap(([field, tests]) => rowsOf(field, tests as unknown as JsonObject, '')),
  );
}

function rowsOf(field: string, tests: JsonObject, prefix: string): ConditionRow[] {
  return Object.entries(tests).flatMap(([key, value]) =>
    isJsonObject(value)
      ? rowsOf(field, value, `${prefix}${key}.`)
      : { field, test: `${prefix}${key}`, value: textOf(value) },
  );
}

function textOf(value: Json): string {
  return Array.isArray(value) ? showListed(value) : String(value);
}

/** A group in words. */
export function groupText(rows: readonly ConditionRow[]): string {
  const words = new Map(TEST_GROUPS.flatMap(({ tests }) => tests));
  return rows.map(({ field, test, value }) => `${field} ${words.get(test) ?? test} ${value}`).join(' and ');
}
