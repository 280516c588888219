import { isEmpty } from '../basics/empty.ts';
import { isJsonObject, type Json } from '../basics/json.ts';
import type { FieldChange } from '../model/event.ts';
import { jsonEqual } from './equal.ts';

/** Properties that identify a record (design.md §4). */
const OWN = {
  project: new Set(['id', 'projectId', 'externalId']),
  task: new Set(['id', 'taskId', 'externalId']),
};

/** `id`, `projectId`, `assignee_id`, `memberIds`. */
const IDENTIFIER = /(^|_)ids?$|(?<=[a-z0-9])(Id|ID)s?$/;

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
