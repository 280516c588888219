import { isEmpty } from '../basics/empty.ts';
import type { JsonObject } from '../basics/json.ts';
import { byText } from '../basics/order.ts';
import { UPDATE_TIMESTAMPS } from '../basics/property-names.ts';
import type { Rules } from './compare-project.ts';
import type { FieldIndex } from './compare-record.ts';

/** The longest value of a context, and the length of a whole one, in characters of JSON. */
const MAX_VALUE_LENGTH = 256;
const MAX_CONTEXT_LENGTH = 4_096;

/** What events of tasks show of their project: its short values, custom fields first, as far as there is room. `names`
 *  also has the fields that were left out: those in `ignoreFields`, and those that are too long. Without a name there,
 *  a condition would take them for empty. Usual update times are in neither. */
export function contextOf(
  record: JsonObject,
  { projectFields, ignored }: Rules,
): { readonly context: JsonObject; readonly names: Record<string, string> } {
  const candidates = Object.entries(record).flatMap(([property, value]) => {
    const custom = projectFields.get(property);
    if (isEmpty(value) || (!custom && UPDATE_TIMESTAMPS.includes(property))) return [];
    const isIgnored = !custom && ignored.has(property);
    const name = nameOf(property, projectFields) ?? property;
    return { property, value, name, rank: custom ? 0 : 1, isIgnored };
  });
  candidates.sort((one, other) => one.rank - other.rank || byText(one.property, other.property));
  let left = MAX_CONTEXT_LENGTH;
  const kept = candidates.filter(({ property, value, isIgnored }) => {
    if (isIgnored) return false;
    const { length } = JSON.stringify(value);
    if (length > MAX_VALUE_LENGTH || property.length + length > left) return false;
    left -= property.length + length;
    return true;
  });
  const isNamed = new Set(kept.filter(({ property, name }) => property === name));
  return {
    context: Object.fromEntries(kept.map(({ property, value }) => [property, value])),
    names: Object.fromEntries(
      candidates.filter(each => !isNamed.has(each)).map(({ property, name }) => [property, name]),
    ),
  };
}

/** The names that people see of the custom fields that have a value, by property, unless both are the same. */
export function namesOf(record: JsonObject, fields: FieldIndex): Record<string, string> {
  return Object.fromEntries(
    Object.keys(record).flatMap(property => {
      const name = nameOf(property, fields);
      return name === undefined || name === property || isEmpty(record[property]) ? [] : [[property, name]];
    }),
  );
}

function nameOf(property: string, fields: FieldIndex): string | undefined {
  const field = fields.get(property);
  return field?.isReplaced ? undefined : field?.name;
}
