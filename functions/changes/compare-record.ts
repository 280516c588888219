import { canonicalDecimal } from '../basics/decimal.ts';
import { isEmpty } from '../basics/empty.ts';
import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import { byText } from '../basics/order.ts';
import { camelCase } from '../basics/property-names.ts';
import type { FieldChange } from '../model/event.ts';
import type { FieldDefinition, KnownField } from '../model/field-definition.ts';
import { canonicalJson, differingNames, jsonEqual } from './equal.ts';

const NO_RECORD: JsonObject = Object.freeze({});

/** The changed fields between two states of one record, ordered by field; none when both mean the same. Of a
 *  new record every non-empty field is changed. */
export function compareRecord(
  before: JsonObject | undefined,
  after: JsonObject,
  fields: FieldIndex,
  ignored: ReadonlySet<string>,
): readonly FieldChange[] {
  const from = before ?? NO_RECORD;
  return differingNames(from, after)
    .filter(name => fields.has(name) || !ignored.has(name))
    .sort(byText)
    .flatMap(name => compareField(name, ownValue(from, name), ownValue(after, name), fields.get(name)) ?? []);
}

/** `after`, with the values that it lost only because their field was archived: the definition changed, the
 *  record did not (design.md §7). They stay in the snapshot, so that bringing back the field does not count as a change
 *  either. If nothing else differs, this is `before`. */
export function keepArchivedValues(before: JsonObject, after: JsonObject, fields: FieldIndex): JsonObject {
  const differing = differingNames(before, after);
  const lost = differing.filter(name => isLost(name, before, after) && fields.get(name)?.archived === true);
  if (lost.length === differing.length) return before;
  if (lost.length === 0) return after;
  return Object.fromEntries([
    ...Object.entries(after),
    ...lost.map(name => [name, before[name] as Json] as const),
  ]);
}

function isLost(name: string, before: JsonObject, after: JsonObject): boolean {
  return !Object.hasOwn(after, name) && !isEmpty(before[name]);
}

/** Own properties only: `constructor` is a possible field name, and every object inherits one. */
function ownValue(record: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

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

/** Properties that identify a record (service-api.md §2.4). */
const OWN = {
  project: new Set(['id', 'projectId', 'externalId']),
  task: new Set(['id', 'taskId', 'externalId']),
};

/** `id`, `projectId`, `assignee_id`, `memberIds`. */
export const IDENTIFIER = /(^|_)ids?$|(?<=[a-z0-9])(Id|ID)s?$/;

/** True for a change of identifiers that still identify the same: a text became a number or the reverse, or
 *  one more property holds the record's own identifier, or one less. A service may do this to all its records
 *  at once: that must not flood subscribers (design.md §7). */
export function isSameIdentifier(entity: 'project' | 'task', id: string, change: FieldChange): boolean {
  const { kind, field, from, to } = change;
  if (kind !== 'builtin') return false;
  const isOwn = (value: Json) => isEmpty(value) || (typeof value !== 'object' && String(value) === id);
  if (OWN[entity].has(field) && isOwn(from) && isOwn(to)) return true;
  return jsonEqual(withTexts(field, from), withTexts(field, to));
}

/** The value, with the numbers in it that are identifiers as texts. */
function withTexts(name: string, value: Json): Json {
  if (typeof value === 'number') return IDENTIFIER.test(name) ? String(value) : value;
  if (Array.isArray(value)) return value.map(item => withTexts(name, item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withTexts(key, child)]));
}

/** How the definitions describe one property of a record. */
type CustomField = Pick<FieldDefinition, 'name' | 'type' | 'archived'> & {
  /** People see another field by this name: the values that snapshots keep of this one are out of date. */
  readonly isReplaced?: true;
};

/** True when records no longer show the field, or may not: a value that they lack does not count as a change then. */
export function isOutOfUse(field: KnownField): boolean {
  return isGone(field) || field.missing !== undefined;
}

/** One that is only missing may be back in the next reading. */
function isGone({ archived, deleted }: KnownField): boolean {
  return archived === true || deleted === true;
}

/** Finds the definition of a record's property. */
export type FieldIndex = ReadonlyMap<string, CustomField>;

/** Project properties are named by `externalId` (service-api.md §2.3). */
export function indexProjectFields(definitions: readonly KnownField[]): FieldIndex {
  return index(definitions, definition => [definition.externalId]);
}

/** Task properties are named by `externalId` in camelCase, or as it stands (service-api.md §2.3). */
export function indexTaskFields(definitions: readonly KnownField[]): FieldIndex {
  return index(definitions, definition => [definition.externalId, camelCase(definition.externalId)]);
}

/** Exact names win over derived ones, and fields in use over archived ones that had the same name. */
function index(
  definitions: readonly KnownField[],
  namesOf: (definition: FieldDefinition) => string[],
): FieldIndex {
  const named = new Set(definitions.flatMap(each => (isGone(each) ? [] : each.name)));
  const ranked = definitions.flatMap(definition => {
    const { name, type } = definition;
    const isReplaced = isGone(definition) && named.has(name) && { isReplaced: true as const };
    const field: CustomField = { name, type, archived: isOutOfUse(definition), ...isReplaced };
    return namesOf(definition).map((property, derived) => ({
      property,
      rank: derived + (field.archived ? 2 : 0),
      field,
    }));
  });
  ranked.sort((left, right) => right.rank - left.rank);
  return new Map(ranked.map(({ property, field }) => [property, field]));
}
