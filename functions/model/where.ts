import { isEmpty } from '../basics/empty.ts';
import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import { UPDATE_TIMESTAMPS } from '../basics/property-names.ts';
import type { FieldChange, SentEvent } from './event.ts';
import {
  changesOf,
  DATES,
  dateAt,
  type FilterValue,
  isField,
  isValue,
  NUMBERS,
  type Ordered,
  textsOf,
} from './filter-value.ts';

/** Conditions of which all must hold, by field: its property, or the name that people see. `project.` before it means
 *  the field of the record's project. */
export type Conditions = Readonly<Record<string, FieldTests>>;

/** What a value must be: every key that is given. */
export interface ValueTests {
  /** One of these; of a list, one of its entries. */
  readonly in?: readonly FilterValue[] | undefined;
  /** One of these texts is a part of it, in upper or lower case. */
  readonly contains?: readonly FilterValue[] | undefined;
  readonly above?: string | number | undefined;
  readonly below?: string | number | undefined;
  /** A date, a time, or a day from that of the event: `today`, `+7d`. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Whether it has a value. */
  readonly exists?: boolean | undefined;
}

export interface NegatedTests extends ValueTests {
  readonly not?: ValueTests | undefined;
}

/** What a field must be, as it is now, and how it must have changed. */
export interface FieldTests extends NegatedTests {
  /** True of the new value, and not of the old one. */
  readonly became?: NegatedTests | undefined;
  readonly moved?: Move | undefined;
}

/** How a number or a date changed. */
export const MOVES = ['later', 'earlier', 'more', 'less'] as const;
type Move = (typeof MOVES)[number];

/** The tests of one value, in the order in which they are made. */
export const VALUE_TESTS = [
  'in',
  'contains',
  'above',
  'below',
  'before',
  'after',
  'exists',
] as const satisfies readonly (keyof ValueTests)[];

/** Each test that needs a kind of value, with that kind. */
export const NEEDS = {
  above: 'number',
  below: 'number',
  before: 'date',
  after: 'date',
  more: 'number',
  less: 'number',
  later: 'date',
  earlier: 'date',
} as const;

const PROJECT = 'project.';

/** Why an event meets no group of conditions; undefined when it meets all of one group. It depends on nothing but
 *  the event. */
export function unmet(where: readonly Conditions[], event: SentEvent): string | undefined {
  const reasons: string[] = [];
  for (const group of where) {
    const reason = unmetIn(group, event);
    if (reason === undefined) return undefined;
    reasons.push(reason);
  }
  return [...new Set(reasons)].join('; ');
}

function unmetIn(group: Conditions, event: SentEvent): string | undefined {
  for (const [field, tests] of Object.entries(group)) {
    const seen = look(field, event);
    if (typeof seen === 'string') return seen;
    const reasons = seen.map(each => unmetBy(tests, each, event.time));
    // Several fields can have one name: then one of them suffices.
    if (!reasons.includes(undefined)) return `\`${field}\` ${reasons[0]}`;
  }
  return undefined;
}

/** A field as an event shows it. */
interface Seen {
  /** Undefined if the event lacks the value; that of an empty field is null. */
  readonly now: Json | undefined;
  readonly change: FieldChange | undefined;
  /** Whether a value of the change was cut off. */
  readonly isCut: boolean;
}

/** The parts of an event that conditions read. */
interface Parts {
  readonly project?: Part;
  readonly task?: Part;
  readonly truncated?: readonly string[];
}

interface Part {
  readonly record?: JsonObject;
  /** Of the project of a task: its short values. `names` has the others, too. */
  readonly context?: JsonObject;
  readonly names?: Readonly<Record<string, string>>;
}

/** The fields that are meant; or why the event does not show them. */
function look(wanted: string, event: SentEvent): readonly Seen[] | string {
  const { project, task, truncated = [] } = event.data as Parts;
  const isOfProject = wanted.startsWith(PROJECT);
  const isContext = isOfProject && task !== undefined;
  const part = task === undefined || isOfProject ? project : task;
  if (part === undefined) return 'the event is of no project or task';
  const field = isOfProject ? wanted.slice(PROJECT.length) : wanted;
  const values = isContext ? part.context : part.record;
  const changes = isContext ? [] : changesOf(event);
  const properties = new Set([
    ...(values && Object.hasOwn(values, field) ? [field] : []),
    ...Object.entries(part.names ?? {}).flatMap(([property, name]) =>
      name === field || property === field ? [property] : [],
    ),
    ...changes.flatMap(change => (isField(field, change) ? [change.field] : [])),
  ]);
  if (properties.size > 0)
    return [...properties].map(property => seenOf(property, { values, changes, truncated }));
  // Without names, a name that people see can't be distinguished from the property of an empty field. A context has no
  // update times.
  const isLeftOut = isContext && UPDATE_TIMESTAMPS.includes(field);
  if (values && part.names && !isLeftOut) return [{ now: null, change: undefined, isCut: false }];
  return `the event does not show \`${wanted}\``;
}

function seenOf(
  property: string,
  {
    values,
    changes,
    truncated,
  }: {
    readonly values: JsonObject | undefined;
    readonly changes: readonly FieldChange[];
    readonly truncated: readonly string[];
  },
): Seen {
  const index = changes.findIndex(({ field }) => field === property);
  const change = changes[index];
  const isCut = truncated.some(path => path.startsWith(`changes[${index}].`));
  if (values && Object.hasOwn(values, property)) return { now: values[property], change, isCut };
  // A record has no property for an emptied field. A context has none for a long value, or an ignored field.
  return { now: isCut ? undefined : change?.to, change, isCut };
}

const NOT_SHOWN = 'has a value that is not in the event';

function unmetBy({ became, moved, ...tests }: FieldTests, seen: Seen, time: string): string | undefined {
  const { now, change, isCut } = seen;
  const isAsked = Object.values(tests).some(test => test !== undefined);
  const reason = !isAsked ? undefined : now === undefined ? NOT_SHOWN : unmetValue(tests, now, time);
  if (reason !== undefined || (became === undefined && moved === undefined)) return reason;
  if (change === undefined) return 'did not change';
  if (isCut) return NOT_SHOWN;
  const other = moved && unmetMove(moved, change);
  if (other !== undefined || became === undefined) return other;
  const { from, to } = change;
  return (
    unmetValue(became, to, time) ??
    (unmetValue(became, from, time) === undefined ? `was ${shown(from)}, which fits already` : undefined)
  );
}

function unmetMove(move: Move, { from, to }: FieldChange): string | undefined {
  return NEEDS[move] === 'number' ? went(move, NUMBERS, [from, to]) : went(move, DATES, [from, to]);
}

function went<Value>(
  move: Move,
  { read, compare }: Ordered<Value>,
  [from, to]: readonly [Json, Json],
): string | undefined {
  const [before, after] = [read(from), read(to)];
  if (before === undefined || after === undefined) {
    const wrong = before === undefined ? from : to;
    return `${wrong === from ? 'was' : 'is'} ${kindOf(wrong)}; \`${move}\` needs a ${NEEDS[move]}`;
  }
  const order = compare(after, before);
  const isSo = move === 'later' || move === 'more' ? order > 0 : order < 0;
  return isSo ? undefined : `went from ${shown(from)} to ${shown(to)}, not ${move}`;
}

function unmetValue({ not, ...tests }: NegatedTests, value: Json, time: string): string | undefined {
  for (const test of VALUE_TESTS) {
    const reason = tests[test] === undefined ? undefined : TESTS[test](tests, value, time);
    if (reason !== undefined) return reason;
  }
  const isExcluded = not && unmetValue(not, value, time) === undefined;
  return isExcluded ? `is ${shown(value)}, which is excluded` : undefined;
}

/** Why a value does not pass each test; undefined if it does. */
const TESTS: Readonly<
  Record<keyof ValueTests, (tests: ValueTests, value: Json, time: string) => string | undefined>
> = {
  in: ({ in: wanted = [] }, value) => {
    const found = Array.isArray(value) && value.length > 1 ? value : [value];
    const isIn = found.some(each => wanted.some(one => isValue(one, each, 'number')));
    return isIn ? undefined : `is ${shown(value)}, not ${wanted.map(shown).join(' or ')}`;
  },
  contains: ({ contains = [] }, value) => {
    const texts = textsOf(value).map(text => text.toLowerCase());
    const isIn = contains.some(part => texts.some(text => text.includes(String(part).toLowerCase())));
    return isIn ? undefined : `is ${shown(value)}, without ${contains.map(shown).join(' or ')}`;
  },
  above: ({ above = 0 }, value) => ordered('above', NUMBERS, above, value),
  below: ({ below = 0 }, value) => ordered('below', NUMBERS, below, value),
  before: ({ before = '' }, value, time) => ordered('before', DATES, dateAt(before, time), value),
  after: ({ after = '' }, value, time) => ordered('after', DATES, dateAt(after, time), value),
  exists: ({ exists }, value) => (isEmpty(value) === exists ? `is ${shown(value)}` : undefined),
};

function ordered<Value>(
  test: 'above' | 'below' | 'before' | 'after',
  { read, compare }: Ordered<Value>,
  limit: string | number,
  value: Json,
): string | undefined {
  const [found, bound] = [read(value), read(limit)];
  if (isEmpty(value)) return `is ${shown(value)}`;
  if (found === undefined || bound === undefined)
    return `is ${kindOf(value)}; \`${test}\` needs a ${NEEDS[test]}`;
  const order = compare(found, bound);
  const isSo = test === 'above' || test === 'after' ? order > 0 : order < 0;
  return isSo ? undefined : `is ${shown(value)}, not ${test} ${limit}`;
}

/** The kinds of the values that an event shows of a field, in words; none if the field is empty or unknown. */
export function kindsIn(field: string, event: SentEvent): readonly string[] {
  const seen = look(field, event);
  if (typeof seen === 'string') return [];
  const values = seen.flatMap(({ now = null, change }) => [now, change?.from ?? null, change?.to ?? null]);
  return values.filter(value => !isEmpty(value)).map(kindOf);
}

/** The kind of a value, in words. */
function kindOf(value: Json): string {
  if (isEmpty(value)) return 'empty';
  if (Array.isArray(value) && value.length > 1) return 'a list';
  if (DATES.read(value) !== undefined) return 'a date';
  if (NUMBERS.read(value) !== undefined) return 'a number';
  return typeof value === 'string' ? 'a text' : typeof value === 'boolean' ? 'true or false' : 'an object';
}

const MAX_SHOWN = 60;

function shown(value: Json): string {
  if (isEmpty(value)) return 'empty';
  const [one] = isJsonObject(value) ? textsOf(value) : [];
  const text = one ?? (typeof value === 'object' ? textsOf(value).join(', ') : String(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
}
