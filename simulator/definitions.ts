import type { Json, JsonObject } from '../functions/basics/json.ts';
import type { Freedoms } from './data/freedoms.ts';
import type { Field } from './data/workspace.ts';

/** The answer of requests #6 and #7: groups, field types and choice options; the shape is a freedom
 *  (service-api.md §2.4). */
export function definitionsBody(
  fields: readonly Field[],
  freedoms: Freedoms,
  includeArchived = false,
): JsonObject {
  const shown = fields.filter(field => includeArchived || !field.archived);
  if (freedoms.definitionShape === 'list')
    return { fields: shown.map(field => definition(field, field.options)) };
  const groups = [...new Set(shown.map(field => field.group))];
  return {
    groups: groups.map((name, index) => ({
      id: `group-${index + 1}`,
      name,
      fields: shown
        .filter(field => field.group === name)
        .map(field => definition(field, optionObjects(field))),
    })),
  };
}

function definition(field: Field, options: readonly Json[]): JsonObject {
  const { externalId, name, type, archived } = field;
  return { externalId, name, type, archived, ...(type.endsWith('-choice') ? { options: [...options] } : {}) };
}

function optionObjects(field: Field): JsonObject[] {
  return field.options.map((label, index) => ({ id: `option-${index + 1}`, label }));
}
