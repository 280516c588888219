import { canonicalDecimal } from '../basics/decimal.ts';
import { isEmpty } from '../basics/empty.ts';
import { isJsonObject, type Json } from '../basics/json.ts';
import type { FieldChange } from './event.ts';

/** A value as people write it; "" stands for empty. */
export type FilterValue = string | number | boolean;

/** What one changed field must match: every key that is given, by any of its values. */
export interface ValueFilter {
  /** The field's property, or the name that people see. */
  readonly field: string;
  readonly from?: readonly FilterValue[] | undefined;
  readonly to?: readonly FilterValue[] | undefined;
  /** Of a multiple choice: a choice that was added. */
  readonly added?: readonly FilterValue[] | undefined;
  /** Of a multiple choice: a choice that was removed. */
  readonly removed?: readonly FilterValue[] | undefined;
}

/** Whether a changed field is the wanted one. Several fields can have one name: then each of them is. */
export function isField(wanted: string, { field, name }: FieldChange): boolean {
  return wanted === field || wanted === name;
}

export function matchesValues(wanted: ValueFilter, change: FieldChange): boolean {
  const is = (values: readonly FilterValue[] | undefined, found: readonly Json[] | undefined) =>
    values === undefined ||
    found?.some(each => values.some(value => isValue(value, each, change.type))) === true;
  return (
    isField(wanted.field, change) &&
    is(wanted.from, [change.from]) &&
    is(wanted.to, [change.to]) &&
    is(wanted.added, change.added) &&
    is(wanted.removed, change.removed)
  );
}

/** Numbers are compared as decimals, as everywhere ("1.0" is "1.00"). An object matches by its name or its
 *  identifier, and a list with one choice by that choice. */
function isValue(wanted: FilterValue, found: Json, type: string): boolean {
  if (isEmpty(found)) return wanted === '';
  if (Array.isArray(found)) return found.length === 1 && isValue(wanted, found[0] as Json, type);
  if (isJsonObject(found)) return [found.name, found.id].some(text => isText(wanted, text));
  return isText(wanted, found) || (type === 'number' && isNumber(wanted, found));
}

function isText(wanted: FilterValue, found: Json | undefined): boolean {
  return typeof found !== 'object' && found !== undefined && String(found) === String(wanted);
}

function isNumber(wanted: FilterValue, found: Json): boolean {
  const decimal = canonicalDecimal(String(found));
  return decimal !== undefined && decimal === canonicalDecimal(String(wanted));
}
