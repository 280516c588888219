import { canonicalDecimal } from '../basics/decimal.ts';
import { isEmpty } from '../basics/empty.ts';
import { isJsonObject, type Json } from '../basics/json.ts';
import type { FieldChange } from '../model/event.ts';
import { canonicalJson } from './canonical.ts';
import type { CustomField } from './field-index.ts';

/** The change of one field whose values are not equal as JSON, or undefined when they mean the same (design.md §7). */
export function compareField(
  field: string,
  from: Json | undefined,
  to: Json | undefined,
  custom: CustomField | undefined,
): FieldChange | undefined {
  if (isEmpty(from) && isEmpty(to)) return undefined;
  const change: FieldChange = {
    field,
    name: custom?.name ?? field,
    kind: custom ? 'custom' : 'builtin',
    type: custom?.type ?? jsonType(isEmpty(to) ? from : to),
    from: from ?? null,
    to: to ?? null,
  };
  if (custom?.type === 'multiple-choice') return withChoices(change);
  return custom?.type === 'number' && isSameNumber(change) ? undefined : change;
}

function isSameNumber({ from, to }: FieldChange): boolean {
  const [left, right] = [decimalOf(from), decimalOf(to)];
  return left !== undefined && left === right;
}

function decimalOf(value: Json): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? canonicalDecimal(String(value)) : undefined;
}

/** A multiple choice is a set: order and repetition are no change. */
function withChoices(change: FieldChange): FieldChange | undefined {
  const [before, after] = [choices(change.from), choices(change.to)];
  const added = [...after.keys()].filter(key => !before.has(key));
  const removed = [...before.keys()].filter(key => !after.has(key));
  if (added.length === 0 && removed.length === 0) return undefined;
  const value = (set: Map<string, Json>) => (key: string) => set.get(key) as Json;
  return { ...change, added: added.map(value(after)), removed: removed.map(value(before)) };
}

function choices(value: Json): Map<string, Json> {
  const list = isEmpty(value) ? [] : Array.isArray(value) ? value : [value];
  return new Map(list.map(choice => [canonicalJson(choice), choice]));
}

function jsonType(value: Json | undefined): string {
  if (Array.isArray(value)) return 'array';
  return isJsonObject(value) ? 'object' : typeof value;
}
