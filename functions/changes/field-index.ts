import type { FieldDefinition, KnownField } from '../model/field-definition.ts';

/** What the definitions say of one property of a record. */
export type CustomField = Pick<FieldDefinition, 'name' | 'type' | 'archived'>;

/** True when records no longer show the field, or may not: a value that they lack is no change then. */
export function isOutOfUse({ archived, missing, deleted }: KnownField): boolean {
  return archived === true || missing !== undefined || deleted === true;
}

/** Finds the definition behind a record's property. */
export type FieldIndex = ReadonlyMap<string, CustomField>;

/** Project properties are named by `externalId` (service-api.md §2.3). */
export function indexProjectFields(definitions: readonly KnownField[]): FieldIndex {
  return index(definitions, definition => [definition.externalId]);
}

/** Task properties are named by `externalId` in camelCase, or as it stands (service-api.md §2.3). */
export function indexTaskFields(definitions: readonly KnownField[]): FieldIndex {
  return index(definitions, definition => [definition.externalId, camelCase(definition.externalId)]);
}

/** `Due date`, `due_date`, `due-date` and `DueDate` are all `dueDate`. */
export function camelCase(externalId: string): string {
  const [first = '', ...rest] = externalId.match(/[\p{L}\p{N}]+/gu) ?? [];
  return lowerFirst(first) + rest.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function lowerFirst(word: string): string {
  return word === word.toUpperCase() ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
}

/** Exact names win over derived ones, and fields in use over archived ones that had the same name. */
function index(
  definitions: readonly KnownField[],
  namesOf: (definition: FieldDefinition) => string[],
): FieldIndex {
  const ranked = definitions.flatMap(definition => {
    const { name, type } = definition;
    const field: CustomField = { name, type, archived: isOutOfUse(definition) };
    return namesOf(definition).map((property, derived) => ({
      property,
      rank: derived + (field.archived ? 2 : 0),
      field,
    }));
  });
  ranked.sort((left, right) => right.rank - left.rank);
  return new Map(ranked.map(({ property, field }) => [property, field]));
}
