import type { FieldDefinition } from '../service/service.ts';

/** What the definitions say of one property of a record. */
export type CustomField = Pick<FieldDefinition, 'name' | 'type' | 'archived'>;

/** The definitions of one process, for its projects (coverpage) and its tasks. */
export interface Definitions {
  readonly project: readonly FieldDefinition[];
  readonly task: readonly FieldDefinition[];
}

/** Finds the definition behind a record's property. */
export type FieldIndex = ReadonlyMap<string, CustomField>;

/** Project properties are named by `externalId` (service-api.md §2.3). */
export function indexProjectFields(definitions: readonly FieldDefinition[]): FieldIndex {
  return index(definitions, definition => [definition.externalId]);
}

/** Task properties are named by `externalId` in camelCase, or as it stands (service-api.md §2.3). */
export function indexTaskFields(definitions: readonly FieldDefinition[]): FieldIndex {
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

/** Exact names win over derived ones, and live fields over archived ones that once had their name. */
function index(
  definitions: readonly FieldDefinition[],
  namesOf: (definition: FieldDefinition) => string[],
): FieldIndex {
  const ranked: { name: string; rank: number; definition: FieldDefinition }[] = definitions.flatMap(
    definition =>
      namesOf(definition).map((name, derived) => ({
        name,
        rank: derived + (definition.archived ? 2 : 0),
        definition,
      })),
  );
  ranked.sort((left, right) => right.rank - left.rank);
  return new Map(ranked.map(({ name, definition }) => [name, definition]));
}
