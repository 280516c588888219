import type { Json, JsonObject } from '../../functions/basics/json.ts';
import type { Field, FieldKind, FieldType } from './workspace.ts';

/** Built-in properties: no custom field may have their names. */
const BUILT_IN: Record<FieldKind, readonly string[]> = {
  project: ['id', 'projectId', 'name', 'state', 'createdAt', 'updatedAt', 'owner'],
  task: ['id', 'taskId', 'externalId', 'projectId', 'name', 'status', 'createdAt', 'updatedAt', 'assignee'],
};

/** Whether only the service writes a property. */
export function isBuiltIn(kind: FieldKind, property: string): boolean {
  return BUILT_IN[kind].includes(property);
}

/** A field's property on a record: the `externalId`, on tasks in camelCase ("Due date" is `dueDate`), a hyphenated
 *  one as it stands (service-api.md §2.3). */
export function propertyOf(kind: FieldKind, externalId: string): string {
  const words = externalId.split(/[\s_]+/).filter(word => word !== '');
  if (kind === 'project' || (words.length < 2 && externalId.includes('-'))) return externalId;
  return words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join('');
}

function lowerFirst(word: string): string {
  if (word === word.toUpperCase()) return word.toLowerCase();
  return word.charAt(0).toLowerCase() + word.slice(1);
}

function upperFirst(word: string): string {
  const rest = word.slice(1);
  return word.charAt(0).toUpperCase() + (word === word.toUpperCase() ? rest.toLowerCase() : rest);
}

/** The wire value of an empty field (service-api.md §2.3). */
export function emptyValue(type: FieldType): Json {
  return type === 'multiple-choice' ? [] : '';
}

const SHAPES: Record<FieldType, (value: Json, field: Field) => boolean> = {
  text: value => typeof value === 'string',
  number: value => typeof value === 'string' && (value === '' || /^-?\d+(\.\d+)?$/.test(value)),
  date: value => typeof value === 'string' && (value === '' || /^\d{4}-\d{2}-\d{2}/.test(value)),
  'single-choice': (value, field) => value === '' || isOption(value, field),
  'multiple-choice': (value, field) => Array.isArray(value) && value.every(label => isOption(label, field)),
};

function isOption(value: Json, field: Field): boolean {
  return typeof value === 'string' && field.options.includes(value);
}

/** Splits properties of a record into built-in fields and custom values by `externalId`.
 *  @throws for a read-only property, an archived field, or a value that is not in wire format */
export function splitProperties(
  kind: FieldKind,
  definitions: readonly Field[],
  properties: JsonObject,
): { fields: JsonObject; values: JsonObject } {
  const byProperty = new Map(definitions.map(field => [propertyOf(kind, field.externalId), field]));
  const fields: [string, Json][] = [];
  const values: [string, Json][] = [];
  for (const [property, value] of Object.entries(properties)) {
    const field = byProperty.get(property);
    if (field) values.push([field.externalId, checked(kind, field, property, value)]);
    else fields.push([writable(kind, property), value]);
  }
  return { fields: Object.fromEntries(fields), values: Object.fromEntries(values) };
}

const SERVICE_WRITES = new Set(['id', 'projectId', 'taskId', 'externalId', 'createdAt', 'updatedAt']);

function writable(kind: FieldKind, property: string): string {
  if (!SERVICE_WRITES.has(property)) return property;
  throw new Error(`${kind} property "${property}" is read-only; leave it out of the edit`);
}

function checked(kind: FieldKind, field: Field, property: string, value: Json): Json {
  if (field.archived) throw new Error(`${kind} field "${field.externalId}" is archived; unarchive it first`);
  if (SHAPES[field.type](value, field)) return value;
  const labels = field.options.length > 0 ? ` of ${JSON.stringify(field.options)}` : '';
  throw new Error(
    `${kind} property "${property}" takes a ${field.type}${labels}, not ${JSON.stringify(value)}`,
  );
}
