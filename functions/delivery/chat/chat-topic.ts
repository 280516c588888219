import { namesInWords } from '../../basics/names-in-words.ts';
import type {
  Actor,
  FieldChange,
  FieldEvent,
  ProjectEvent,
  PropertyChange,
  TaskEvent,
} from '../../model/event.ts';
import { asFieldChange } from '../../model/field-definition.ts';
import { cleanText, isolate, label, valueInWords } from './chat-text.ts';

/** What one chat message is about: one project's changes, those of a process's fields, or one event of a process itself. Its texts are data, made
 *  clean and short, and not yet escaped for any chat. */
export interface ChatTopic {
  readonly title: string;
  /** The project's URL, if there is one. */
  readonly link?: string | undefined;
  /** Where it happened: process and workspace. */
  readonly origin: string;
  /** The earliest and the latest observation, in ms since 1970; undefined when the events' times can't be read. */
  readonly observed: { readonly after: number; readonly before: number } | undefined;
  /** What is said in words, where the topic has no records. */
  readonly note?: string;
  /** Who made the changes of all records, in words; undefined where that is not one and the same. */
  readonly by?: string | undefined;
  readonly records: readonly ChatRecord[];
  readonly eventIds: readonly string[];
}

/** A field that changed, or a field of a record that was created or deleted. */
export type ChatField = Omit<FieldChange, 'type'>;

/** One event about a project, a task or a field. */
export interface ChatRecord {
  readonly entity: 'project' | 'task' | 'project field' | 'task field';
  readonly action: 'created' | 'updated' | 'archived' | 'deleted';
  readonly id: string;
  readonly name: string;
  /** The record's URL, if there is one. */
  readonly link?: string | undefined;
  /** The fields that changed; of a record that was created or deleted, those that people want to know. */
  readonly fields: readonly ChatField[];
  /** How many filled custom fields of a new record are not in `fields`. */
  readonly omitted: number;
  /** Who made the change, in words; undefined when that is not known, or said of the whole topic. */
  readonly by?: string | undefined;
  /** True when more fields changed than the event could carry (`truncated`). */
  readonly isIncomplete: boolean;
}

const NAME_LENGTH = 120;

/** A project or a task as a chat shows it. */
export function chatRecord({ type, data }: ProjectEvent | TaskEvent): ChatRecord {
  const subject = 'task' in data ? data.task : data.project;
  const action = type.split('.')[1] as ChatRecord['action'];
  return {
    entity: 'task' in data ? 'task' : 'project',
    action,
    id: subject.id,
    name: label(subject.name ?? '', NAME_LENGTH) || label(subject.id, NAME_LENGTH) || '(no name)',
    ...fieldsOf(action, data.changes, subject),
    by: actorsInWords(data.actors),
    isIncomplete: data.truncated?.includes('changes') === true,
  };
}

function fieldsOf(
  action: ChatRecord['action'],
  changes: readonly ChatField[],
  { name, record = {} }: ProjectEvent['data']['project'],
): Pick<ChatRecord, 'fields' | 'omitted'> {
  if (action === 'updated') return { fields: changes, omitted: 0 };
  if (action === 'created') return wantedFields(changes, name);
  // The event of a deletion has no changes, so that it shows neither which properties are custom fields nor
  // their names.
  const properties = Object.entries(record).map(
    ([field, to]): ChatField => ({ field, name: field, kind: 'builtin', from: null, to }),
  );
  return wantedFields(properties, name);
}

/** A field's event as a chat shows it: like a record, whose fields are the properties of the definition. */
export function fieldRecord({ type, data }: FieldEvent): ChatRecord {
  const { entity, externalId, name } = data.field;
  const action = type.split('.')[1] as ChatRecord['action'];
  const shown = label(name, NAME_LENGTH) || label(externalId, NAME_LENGTH) || '(no name)';
  const isInHeading = ({ field, to }: PropertyChange) =>
    // The heading says already that the field was archived; of a new field it shows the name or, where it has
    // none, the identifier.
    action === 'archived'
      ? field === 'archived'
      : action === 'created' && (to === externalId || isolate(cleanText(String(to))) === shown);
  return {
    entity: `${entity} field`,
    action,
    id: externalId,
    name: shown,
    fields: data.changes.filter(change => !isInHeading(change)).map(asFieldChange),
    omitted: 0,
    isIncomplete: false,
  };
}

/** What people first want to know of a record that was created or deleted: who does it, until when, and its
 *  status. service-api.md §2.4 doesn't say how these fields are called, so that each line has the usual
 *  names; the first that the record has counts. */
const WANTED: readonly (readonly string[])[] = [
  ['assignee', 'assignees', 'assignedto', 'responsible', 'owner', 'owners'],
  ['duedate', 'due', 'dueon', 'dueat', 'deadline'],
  ['status', 'state'],
];

/** How many custom fields are shown beside those. */
const OTHERS = 3;

/** The fields of a record that people want to know, and how many custom fields are left out. Identifiers,
 *  timestamps, and values that only JSON could show are not wanted; nor is `name`, which the heading
 *  shows. */
function wantedFields(
  all: readonly ChatField[],
  name: string | undefined,
): { readonly fields: readonly ChatField[]; readonly omitted: number } {
  const readable = all.filter(({ to }) => valueInWords(to) !== undefined);
  const first = WANTED.flatMap(names => firstOf(names, readable) ?? []);
  const isListed = (field: ChatField) => first.includes(field) || isName(field, name);
  const others = readable.filter(field => field.kind === 'custom' && !isListed(field)).slice(0, OTHERS);
  const custom = all.filter(field => field.kind === 'custom' && !isListed(field));
  return { fields: [...first, ...others], omitted: custom.length - others.length };
}

function firstOf(names: readonly string[], fields: readonly ChatField[]): ChatField | undefined {
  const matches = names.map(name => fields.find(field => isNamed(field, name)));
  return matches.find(field => field !== undefined);
}

/** Whether a field's property or name is the wanted one, whatever its spelling: `dueDate`, `due_date`, `Due
 *  date`. */
function isNamed({ field, name }: ChatField, wanted: string): boolean {
  return [field, name].some(text => text.replace(/[\s_-]/g, '').toLowerCase() === wanted);
}

function isName({ field, to }: ChatField, name: string | undefined): boolean {
  return (field === 'name' || field === 'title') && to === name;
}

/** People read their names in notifications on phones. */
const ACTOR_LENGTH = 60;

/** Those who made a change, by their names, in words; one without a name by the id. Undefined when nobody is known. */
export function actorsInWords(actors: readonly Actor[] = []): string | undefined {
  const names = actors.map(
    ({ id, name = '' }) => label(name, ACTOR_LENGTH) || label(id, ACTOR_LENGTH) || '(no name)',
  );
  return names.length === 0 ? undefined : namesInWords(names);
}

/** Those who made all of these changes, told once for the whole message instead of with each record. Where the
 *  records differ, or nobody is known of one, it stays with the records: nobody is told to have changed what
 *  somebody else may have. The words alone don't tell people apart: two may have one name, and of many only two are named.
 *  @param records one at least
 *  @param actors those of each record, in the records' order */
export function withSharedActors(
  records: readonly ChatRecord[],
  actors: readonly (readonly Actor[] | undefined)[],
): Pick<ChatRecord, 'by'> & { readonly records: readonly ChatRecord[] } {
  const { by } = records[0] as ChatRecord;
  const ids = actors.map(some => JSON.stringify(some?.map(({ id }) => id)));
  const isOfThem = (record: ChatRecord, index: number) => record.by === by && ids[index] === ids[0];
  if (!records.every(isOfThem)) return { records };
  return { by, records: records.map(({ by: _, ...record }) => record) };
}
