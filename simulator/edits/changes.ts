import type { Json, JsonObject } from '../../functions/basics/json.ts';
import { jsonEqual } from '../../functions/changes/equal.ts';
import { emptyValue, propertyOf } from '../data/properties.ts';
import type { Field, FieldKind, RecordState } from '../data/workspace.ts';

/** The changes of an edit for its audit entry: the properties of the edit, with the old and new value of each that
 *  changed. */
export function changesOf(
  kind: FieldKind,
  definitions: readonly Field[],
  before: RecordState,
  after: RecordState,
  properties: readonly string[],
): JsonObject {
  const fields = new Map(definitions.map(field => [propertyOf(kind, field.externalId), field]));
  const changes = properties
    .map(property => {
      const [from, to] = [before, after].map(record => servedValue(record, property, fields.get(property)));
      return { field: property, from: from ?? null, to: to ?? null };
    })
    .filter(({ from, to }) => !jsonEqual(from, to));
  return { properties: [...properties], ...(changes.length > 0 && { changes }) };
}

function servedValue({ fields, values }: RecordState, property: string, field: Field | undefined): Json {
  const [holder, name] = field ? [values, field.externalId] : [fields, property];
  const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
  return value ?? (field ? emptyValue(field.type) : null);
}
