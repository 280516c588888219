import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import type { FieldDefinition } from '../model/field-definition.ts';

const DEEPEST = 32;
const MAX_NODES = 200_000;
const OPTION_KEYS = ['options', 'choices'];

interface Found {
  readonly definition: FieldDefinition;
  /** How many definitions stand inside this one. */
  inside: number;
}

interface Place {
  readonly value: Json;
  readonly depth: number;
  readonly within: Found | undefined;
}

/**
 * Finds the field definitions in an answer of #6 or #7, whose shape service-api.md §2.4 leaves open: objects with an
 * `externalId` and a type, wherever they stand, in the order of the document. A group that looks like one itself is
 * known by the fields inside it. Of two with one `externalId` the active one counts. What is deeper than 32 levels, or
 * comes after 200,000 objects, is not looked at.
 */
export function readDefinitions(body: Json): FieldDefinition[] {
  const byId = new Map<string, FieldDefinition>();
  for (const { definition, inside } of findAll(body)) {
    if (inside > 0 && !isKnownType(definition.type)) continue;
    const other = byId.get(definition.externalId);
    if (!other || (other.archived && !definition.archived)) byId.set(definition.externalId, definition);
  }
  return [...byId.values()];
}

function findAll(body: Json): Found[] {
  const found: Found[] = [];
  const places: Place[] = [{ value: body, depth: 0, within: undefined }];
  for (let seen = 0; seen < MAX_NODES; seen += 1) {
    const place = places.pop();
    if (!place) break;
    const here = isJsonObject(place.value) ? define(place.value) : undefined;
    if (here) {
      if (place.within) place.within.inside += 1;
      found.push(here);
    }
    if (place.depth === DEEPEST) continue;
    for (const child of childrenOf(place.value, here !== undefined).reverse()) {
      places.push({ value: child, depth: place.depth + 1, within: here ?? place.within });
    }
  }
  return found;
}

function childrenOf(value: Json, isDefinition: boolean): Json[] {
  const children = Array.isArray(value)
    ? value
    : Object.entries(value ?? {})
        // A choice may look like a field too.
        .filter(([key]) => !(isDefinition && OPTION_KEYS.includes(key)))
        .map(([, child]) => child);
  return children.filter(child => typeof child === 'object' && child !== null).slice(0, MAX_NODES);
}

function define(record: JsonObject): Found | undefined {
  const externalId = text(record.externalId);
  const type = typeOf(record.type) ?? typeOf(record.fieldType);
  if (externalId === undefined || type === undefined) return undefined;
  const name = text(record.name) ?? text(record.label) ?? text(record.title) ?? externalId;
  const options = optionsOf(record);
  const archived = archivedOf(record);
  const definition = {
    externalId,
    name,
    type: normaliseType(type),
    ...(options && { options }),
    ...(archived !== undefined && { archived }),
  };
  return { definition, inside: 0 };
}

function typeOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  return isJsonObject(value) ? (text(value.name) ?? text(value.type)) : undefined;
}

function optionsOf(record: JsonObject): string[] | undefined {
  const list = OPTION_KEYS.map(key => record[key]).find(value => Array.isArray(value));
  return list?.flatMap(option => {
    // The label first: it is what a value carries on the wire (service-api.md §2.3).
    const label = isJsonObject(option)
      ? (text(option.label) ?? text(option.name) ?? text(option.value))
      : text(option);
    return label === undefined ? [] : [label];
  });
}

function archivedOf(record: JsonObject): boolean | undefined {
  const flag = [record.archived, record.isArchived].find(value => typeof value === 'boolean');
  if (flag !== undefined) return flag;
  return typeof record.status === 'string' && record.status.toLowerCase() === 'archived' ? true : undefined;
}

function text(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  text: [
    'text',
    'string',
    'shorttext',
    'longtext',
    'plaintext',
    'richtext',
    'textarea',
    'singleline',
    'multiline',
  ],
  number: ['number', 'numeric', 'integer', 'int', 'decimal', 'float', 'double'],
  date: ['date', 'datetime', 'datepicker'],
  'single-choice': [
    'singlechoice',
    'singleselect',
    'singleselection',
    'choice',
    'select',
    'dropdown',
    'radio',
    'enum',
  ],
  'multiple-choice': [
    ...[
      'multiplechoice',
      'multipleselect',
      'multipleselection',
      'multichoice',
      'multiselect',
      'multiselection',
    ],
    ...['multi', 'choices', 'checkboxes', 'tags'],
  ],
};

const NAMES = new Map(
  Object.entries(SYNONYMS).flatMap(([name, words]) => words.map(word => [word, name] as const)),
);

/** True for the five types of service-api.md §2.3. */
function isKnownType(type: string): boolean {
  return Object.hasOwn(SYNONYMS, type);
}

/** A field type as one of the five names of service-api.md §2.3, however it is spelt; else as written. */
export function normaliseType(written: string): string {
  const word = written.toLowerCase().replace(/[^a-z0-9]/g, '');
  return NAMES.get(word) ?? NAMES.get(word.replace(/field$/, '')) ?? written;
}
