import { createHash } from 'node:crypto';
import { canonicalDecimal } from '../../basics/decimal.ts';
import { isEmpty } from '../../basics/empty.ts';
import type { Json, JsonObject } from '../../basics/json.ts';
import { isDueEvent } from '../../model/due.ts';
import type { ChangeEvent, FieldChange, ProjectEvent, TaskEvent } from '../../model/event.ts';
import { decodePart, encodePart } from '../../model/event-id.ts';
import type { ProjectContent } from '../../model/snapshot.ts';
import type { AnswerOf } from '../protocol/answers.ts';

/** One event of a record, as `verify` compares it. */
export type Change = AnswerOf<'verify'>['changes'][number];

/** The records of a snapshot, or some of them. */
type Records = AnswerOf<'verify'>['snapshots'][number]['records'];

/** Names longer than this are cut in events that are too large. */
const MAX_NAME = 1_024;

/** The event of a project or task; undefined for other events.
 *  @param ignored `ignoreFields` of the process: a field that was added to it changes without an event */
export function changeOf(event: ChangeEvent, ignored: ReadonlySet<string>): Change | undefined {
  if (!isOfRecord(event)) return undefined;
  const { id, type, subject, sequence, data } = event;
  const cut = new Set(data.truncated);
  const own = 'task' in data ? data.task.id : data.project.id;
  const isCut = cut.has('changes');
  // Of a cut list, the values may be cut too.
  const fields = (isCut ? [] : data.changes).flatMap((change, index) => {
    const { field, kind, from, to } = change;
    if (field.length > MAX_NAME || (kind !== 'custom' && ignored.has(field))) return [];
    const whole = (part: 'from' | 'to', value: FieldChange['from']) =>
      cut.has(`changes[${index}].${part}`) ? null : meaningOf(field, value, own);
    return [[field, whole('from', from), whole('to', to)] as [string, string | null, string | null]];
  });
  return {
    ...{ event: id, record: subject as string, version: Number(sequence) },
    action: type.slice(type.indexOf('.') + 1) as Change['action'],
    fields,
    ...(isCut && { isCut }),
  };
}

function isOfRecord(event: ChangeEvent): event is ProjectEvent | TaskEvent {
  return (event.type.startsWith('project.') || event.type.startsWith('task.')) && !isDueEvent(event);
}

/** The subject of the events of a project, or of one of its tasks. */
export function subjectOf(projectId: string, taskId?: string): string {
  const project = `projects/${encodePart(projectId)}`;
  return taskId === undefined ? project : `${project}/tasks/${encodePart(taskId)}`;
}

/** The project's identifier in the subject of one of its records. */
export const projectIn = (subject: string): string => decodePart(subject.split('/')[1] as string);

/** The records of a project with their fields that have a value: the project first, then its tasks. */
export function* recordsOf(projectId: string, { record, tasks }: ProjectContent): Iterable<Records[number]> {
  yield [subjectOf(projectId), fieldsOf(projectId, record)];
  for (const [id, task] of tasks) yield [subjectOf(projectId, id), fieldsOf(id, task)];
}

function fieldsOf(id: string, record: JsonObject): [field: string, value: string][] {
  return Object.entries(record)
    .map(([field, value]) => [field, meaningOf(field, value, id)] as [string, string])
    .filter(([, value]) => value !== EMPTY);
}

/** The text of an empty value. */
export const EMPTY = 'null';

/** Properties that may hold the record's own identifier, or lack it, without an event (`isSameIdentifier`). */
const IDENTIFIERS: ReadonlySet<string> = new Set(['id', 'projectId', 'taskId', 'externalId']);

/** A text that is the same for all values between which no pass sees a change, whatever type the field has
 *  or had: empty values, decimals, lists in any order, and identifiers as texts or numbers. A long value ends
 *  with its digest. */
export function meaningOf(field: string, value: Json | undefined, recordId: string): string {
  if (IDENTIFIERS.has(field) && String(value) === recordId) return EMPTY;
  const text = canonical(value);
  if (text.length <= MAX_SHOWN) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${text.slice(0, MAX_SHOWN - 20).toWellFormed()}… ${digest}`;
}

const MAX_SHOWN = 80;

function canonical(value: Json | undefined): string {
  if (value === undefined || value === null || isEmpty(value)) return EMPTY;
  if (typeof value === 'number' || typeof value === 'string') return decimal(value) ?? JSON.stringify(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    const items = [...new Set(value.map(canonical))].sort();
    return items.length === 1 ? (items[0] as string) : `[${items.join(',')}]`;
  }
  const members = Object.keys(value).sort();
  return `{${members.map(key => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

/** The number as JSON, where that keeps all its digits. */
function decimal(value: number | string): string | undefined {
  const exact = canonicalDecimal(String(value));
  const short = String(Number(value));
  return exact !== undefined && canonicalDecimal(short) === exact ? short : exact;
}
