import { canonicalDecimal } from '../../../functions/basics/decimal.ts';
import { isEmpty } from '../../../functions/basics/empty.ts';
import type { Json, JsonObject } from '../../../functions/basics/json.ts';
import type { RecordChange, Rules } from '../../../functions/changes/compare-project.ts';
import { isSameIdentifier } from '../../../functions/changes/compare-record.ts';
import { canonicalJson } from '../../../functions/changes/equal.ts';
import type { FieldChange } from '../../../functions/model/event.ts';
import type { ProjectContent } from '../../../functions/model/snapshot.ts';

/** The comparison written as its rules read (design.md §7), without care for speed: each field of each
 *  record, in order. */
export function comparePlainly(
  projectId: string,
  held: ProjectContent | undefined,
  read: ProjectContent | undefined,
  rules: Rules,
): RecordChange[] {
  const project = compareRecord('project', projectId, held?.record, read?.record, rules);
  const ids = [...new Set([...(held?.tasks.keys() ?? []), ...(read?.tasks.keys() ?? [])])].sort();
  const tasks = ids.flatMap(id => compareRecord('task', id, held?.tasks.get(id), read?.tasks.get(id), rules));
  return read ? [...project, ...tasks] : [...tasks, ...project];
}

/** What was read, and the known values of archived fields, which the service doesn't send any more. */
export function keepPlainly(held: ProjectContent, read: ProjectContent, rules: Rules): ProjectContent {
  const keep = (before: JsonObject, after: JsonObject, fields: Rules['taskFields']) => {
    const lost = Object.entries(before).filter(
      ([name, value]) => fields.get(name)?.archived && !Object.hasOwn(after, name) && !isEmpty(value),
    );
    return Object.fromEntries([...Object.entries(after), ...lost]);
  };
  const tasks = [...read.tasks].map(
    ([id, task]) => [id, keep(held.tasks.get(id) ?? {}, task, rules.taskFields)] as const,
  );
  return { record: keep(held.record, read.record, rules.projectFields), tasks: new Map(tasks) };
}

function compareRecord(
  entity: RecordChange['entity'],
  id: string,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  rules: Rules,
): RecordChange[] {
  if (!after) return before ? [{ entity, id, action: 'deleted', record: before, fields: [] }] : [];
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])]
    .sort()
    .flatMap(name => compareField(entity, name, valueAt(before, name), valueAt(after, name), rules))
    .filter(change => !before || !isSameIdentifier(entity, id, change));
  if (!before) return [{ entity, id, action: 'created', record: after, fields }];
  return fields.length > 0 ? [{ entity, id, action: 'updated', record: after, fields }] : [];
}

function compareField(
  entity: RecordChange['entity'],
  field: string,
  from: Json,
  to: Json,
  rules: Rules,
): FieldChange[] {
  const custom = (entity === 'project' ? rules.projectFields : rules.taskFields).get(field);
  if (!custom && rules.ignored.has(field)) return [];
  if (meaning(from, custom?.type) === meaning(to, custom?.type)) return [];
  const shown = isEmpty(to) ? from : to;
  const jsonType = Array.isArray(shown) ? 'array' : typeof shown;
  const change: FieldChange = custom
    ? { field, name: custom.name, kind: 'custom', type: custom.type, from, to }
    : { field, name: field, kind: 'builtin', type: jsonType, from, to };
  if (custom?.type !== 'multiple-choice') return [change];
  return [{ ...change, added: notIn(from, to), removed: notIn(to, from) }];
}

/** Two values mean the same exactly when these texts are the same. */
function meaning(value: Json, type: string | undefined): string {
  if (isEmpty(value)) return 'empty';
  if (type === 'multiple-choice') return [...choices(value).keys()].sort().join();
  const isText = typeof value === 'string' || typeof value === 'number';
  return (type === 'number' && isText && canonicalDecimal(String(value))) || canonicalJson(value);
}

function notIn(some: Json, others: Json): Json[] {
  const known = choices(some);
  return [...choices(others)].flatMap(([text, choice]) => (known.has(text) ? [] : [choice]));
}

function choices(value: Json): Map<string, Json> {
  const list = isEmpty(value) ? [] : Array.isArray(value) ? value : [value];
  return new Map(list.map(choice => [canonicalJson(choice), choice]));
}

function valueAt(record: JsonObject | undefined, name: string): Json {
  return record && Object.hasOwn(record, name) ? (record[name] as Json) : null;
}
