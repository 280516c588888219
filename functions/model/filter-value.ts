import { canonicalDecimal, compareDecimals } from '../basics/decimal.ts';
import { isEmpty } from '../basics/empty.ts';
import { isJsonObject, type Json } from '../basics/json.ts';
import type { FieldChange, SentEvent } from './event.ts';

/** A value as people write it; "" stands for empty. */
export type FilterValue = string | number | boolean;

/** The changed fields of a record. Those of a field's definition don't count: filters for fields mean values
 *  in records. */
export function changesOf({ data }: SentEvent): readonly FieldChange[] {
  // Stryker disable next-line ArrayDeclaration: a text is not a change of any field
  return 'changes' in data && !('field' in data) ? data.changes : [];
}

/** Whether a changed field is the wanted one. Several fields can have one name: then each of them is. */
export function isField(wanted: string, { field, name }: FieldChange): boolean {
  return wanted === field || wanted === name;
}

/** Numbers are compared as decimals, as everywhere ("1.0" is "1.00"). An object matches by its name or its
 *  identifier, and a list with one choice by that choice. */
export function isValue(wanted: FilterValue, found: Json | undefined, type: string): boolean {
  const only = onlyOf(found);
  if (isEmpty(only)) return wanted === '';
  if (Array.isArray(only)) return false;
  if (isJsonObject(only)) return [only.name, only.id].some(text => isText(wanted, text));
  return isText(wanted, only) || (type === 'number' && isNumber(wanted, only));
}

/** The only entry of a list; any other value itself. */
function onlyOf(found: Json | undefined): Json | undefined {
  let only = found;
  // Not by recursion, which would overflow the stack in lists of lists.
  while (Array.isArray(only) && only.length === 1) only = only[0];
  return only;
}

function isText(wanted: FilterValue, found: Json | undefined): boolean {
  return typeof found !== 'object' && found !== undefined && String(found) === String(wanted);
}

function isNumber(wanted: FilterValue, found: Json | undefined): boolean {
  const decimal = canonicalDecimal(String(found));
  return decimal !== undefined && decimal === canonicalDecimal(String(wanted));
}

/** The texts of a value: of a list, those of its entries; of an object, its name and its identifier. */
export function textsOf(found: Json | undefined): string[] {
  return (Array.isArray(found) ? found : [found]).flatMap(each => {
    const only = onlyOf(each);
    const parts = isJsonObject(only) ? [only.name, only.id] : [only];
    return parts.flatMap(part => (typeof part === 'object' || part === undefined ? [] : String(part)));
  });
}

/** A value that has an order. */
export interface Ordered<Value> {
  /** Undefined for another kind of value. */
  readonly read: (found: Json | undefined) => Value | undefined;
  /** Less than 0 if the first is smaller or earlier, more than 0 if it is larger or later. */
  readonly compare: (one: Value, other: Value) => number;
}

export const NUMBERS: Ordered<string> = {
  read: found => {
    const only = onlyOf(found);
    return typeof only === 'number' || typeof only === 'string' ? canonicalDecimal(String(only)) : undefined;
  },
  compare: compareDecimals,
};

/** A day in UTC, and the ms since 1970 if the value has a time. */
interface Moment {
  readonly day: string;
  readonly ms?: number;
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;
/** The longest text that is read as a date. */
const MAX_DATE_LENGTH = 40;

/** Dates, and times, which are in UTC unless they have a zone. A date alone is compared with the day of a time. */
export const DATES: Ordered<Moment> = {
  read: found => {
    const only = onlyOf(found);
    if (typeof only !== 'string' || only.length > MAX_DATE_LENGTH) return undefined;
    const [, day = '', time = '00:00', zone = 'Z'] = DATE.exec(only) ?? [];
    const ms = Date.parse(`${day}T${time}${zone}`);
    if (Number.isNaN(ms) || !isDay(day)) return undefined;
    return only === day ? { day } : { day: dayOf(ms), ms };
  },
  compare: (one, other) => {
    if (one.ms !== undefined && other.ms !== undefined) return one.ms - other.ms;
    return one.day === other.day ? 0 : one.day < other.day ? -1 : 1;
  },
};

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Whether a text is a day of the calendar: `Date.parse` also accepts the 30th of February. */
export function isDay(text: string): boolean {
  const ms = Date.parse(text);
  return DAY.test(text) && !Number.isNaN(ms) && dayOf(ms) === text;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const RELATIVE = /^(?:today|([+-]\d{1,4})d)$/;
const DAY_MS = 86_400_000;

/** A date as people write it: `today`, `+7d` and `-1d` count from the day of `time`, so that an event always gets the
 *  same answer. */
export function dateAt(wanted: string, time: string): string {
  const [relative, days = '0'] = RELATIVE.exec(wanted) ?? [];
  const ms = Date.parse(time);
  if (relative === undefined || Number.isNaN(ms)) return wanted;
  return dayOf(ms + Number(days) * DAY_MS);
}

/** Whether a text is a date as people write it. */
export function isDate(wanted: string): boolean {
  return RELATIVE.test(wanted) || DATES.read(wanted) !== undefined;
}
