import { namesInWords } from '../../basics/names-in-words.ts';
import type {
  Actor,
  DueEvent,
  FieldEvent,
  ProjectEvent,
  PropertyChange,
  SentEvent,
  TaskEvent,
} from '../../model/event.ts';
import { asFieldChange } from '../../model/field-definition.ts';
import { byRelevance, type ChatField, mostRelevant } from './chat-relevance.ts';
import { cleanText, isolate, label, valueInWords } from './chat-text.ts';

/** The content of one chat message: the changes of one project, those of a process's fields, one event of a
 *  process, or a summary of many changes. Its texts are data, cleaned and shortened, but not yet escaped for a chat. */
export interface ChatTopic {
  readonly title: string;
  readonly link?: string | undefined;
  /** Process and workspace. */
  readonly origin: string;
  /** The earliest and the latest observation, in ms since 1970; undefined when the events' times can't be read. */
  readonly observed: { readonly after: number; readonly before: number } | undefined;
  /** The text of a topic without records. */
  readonly note?: string;
  /** The actors of all changes, in words; undefined where the records differ. */
  readonly by?: string | undefined;
  readonly records: readonly ChatRecord[];
  readonly eventIds: readonly string[];
  /** Only of gathered changes of one project: the events in whose place it stands. */
  readonly shows?: readonly SentEvent[];
  /** Only of a summary of many changes, which has no records. */
  readonly flood?: {
    /** Those who made the changes, in words. */
    readonly by: string | undefined;
    /** Where the changes were made, the most changes first. */
    readonly places: readonly Place[];
  };
}

/** A project, or the fields, the audit log or a notice of a process. */
interface Place {
  readonly name: string;
  readonly link?: string | undefined;
  readonly changes: number;
  /** Process and workspace, where the places differ in it. */
  readonly origin?: string;
}

/** One event about a project, a task or a field. */
export interface ChatRecord {
  readonly entity: 'project' | 'task' | 'project field' | 'task field';
  readonly action: 'created' | 'updated' | 'archived' | 'deleted' | 'due' | 'overdue' | 'unchanged';
  /** Only of a record that falls due, and did not change. */
  readonly due?: ChatDue;
  readonly id: string;
  readonly name: string;
  readonly link?: string | undefined;
  /** The fields that changed, the most relevant ones first; of a created or deleted record, only these. */
  readonly fields: readonly ChatField[];
  /** The number of filled custom fields of a new record that are not in `fields`. */
  readonly omitted: number;
  /** The actors of the change, in words; undefined when unknown, or when the topic names them. */
  readonly by?: string | undefined;
  /** True when more fields changed than the event could carry (`truncated`). */
  readonly isIncomplete: boolean;
}

/** The date by which a record falls due. */
interface ChatDue {
  /** A day or a time as the service wrote it, or as the endpoint's locale writes it. */
  readonly date: string;
  /** In place of a value: the time of the last change, in ms since 1970, and whether its day suffices. */
  readonly at?: number;
  readonly isDay?: boolean;
  /** The field with the date. */
  readonly field?: ChatField;
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

/** A record that falls due: it has no changes. */
export function dueRecord(event: DueEvent): ChatRecord {
  const { type, data } = event;
  const subject = 'task' in data ? data.task : data.project;
  return {
    entity: 'task' in data ? 'task' : 'project',
    action: type.split('.')[1] as ChatRecord['action'],
    due: dueOf(event),
    id: subject.id,
    name: label(subject.name ?? '', NAME_LENGTH) || label(subject.id, NAME_LENGTH) || '(no name)',
    ...{ fields: [], omitted: 0, isIncomplete: false },
  };
}

const DATE_LENGTH = 40;

function dueOf({ data }: DueEvent): ChatDue {
  const { field = '', after = '' } = data.rule;
  if ('since' in data) {
    const isDay = after.endsWith('d');
    const date = isDay ? data.since.slice(0, 10) : `${data.since.slice(0, 16).replace('T', ' ')} UTC`;
    return { date: label(date, DATE_LENGTH), at: Date.parse(data.since), isDay };
  }
  const { names = {} } = 'task' in data ? data.task : data.project;
  const name = Object.hasOwn(names, field) ? names[field] : undefined;
  const shown = { field, name: name ?? field, kind: name === undefined ? 'builtin' : 'custom' } as const;
  return {
    date: label(data.value, DATE_LENGTH),
    field: { ...shown, type: 'date', from: null, to: data.value },
  };
}

function fieldsOf(
  action: ChatRecord['action'],
  changes: readonly ChatField[],
  { name, record = {} }: ProjectEvent['data']['project'],
): Pick<ChatRecord, 'fields' | 'omitted'> {
  if (action === 'updated') return { fields: byRelevance(changes), omitted: 0 };
  if (action === 'created') return relevantFields(changes, name);
  // A deletion event has no changes, so custom fields and their names are unknown.
  const properties = Object.entries(record).map(
    ([field, to]): ChatField => ({ field, name: field, kind: 'builtin', from: null, to }),
  );
  return relevantFields(properties, name);
}

/** A field's event as a record whose fields are the properties of the definition. */
export function fieldRecord({ type, data }: FieldEvent): ChatRecord {
  const { entity, externalId, name } = data.field;
  const action = type.split('.')[1] as ChatRecord['action'];
  const shown = label(name, NAME_LENGTH) || label(externalId, NAME_LENGTH) || '(no name)';
  const isInHeading = ({ field, to }: PropertyChange) =>
    // The heading already shows that the field was archived, or the name (or identifier) of a new field.
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

/** Maximum number of custom fields shown in addition. */
const MAX_CUSTOM = 3;

/** The relevant fields of a record, and the number of custom fields left out. Identifiers, timestamps, values
 *  that only JSON could show, and `name` (it is in the heading) are excluded. */
function relevantFields(
  all: readonly ChatField[],
  name: string | undefined,
): { readonly fields: readonly ChatField[]; readonly omitted: number } {
  const readable = all.filter(({ to }) => valueInWords(to) !== undefined);
  const first = mostRelevant(readable);
  const isListed = (field: ChatField) => first.includes(field) || isName(field, name);
  const others = readable.filter(field => field.kind === 'custom' && !isListed(field)).slice(0, MAX_CUSTOM);
  const custom = all.filter(field => field.kind === 'custom' && !isListed(field));
  return { fields: [...first, ...others], omitted: custom.length - others.length };
}

function isName({ field, to }: ChatField, name: string | undefined): boolean {
  return (field === 'name' || field === 'title') && to === name;
}

const ACTOR_LENGTH = 60;

/** The actors of a change by name, or else by id, in words. Undefined when none is known. */
export function actorsInWords(actors: readonly Actor[] = []): string | undefined {
  const names = actors.map(
    ({ id, name = '' }) => label(name, ACTOR_LENGTH) || label(id, ACTOR_LENGTH) || '(no name)',
  );
  return names.length === 0 ? undefined : namesInWords(names);
}

/** Moves the actors from the records to the topic if all records have the same. Compares ids, because two users
 *  may have the same name, and only two of many are named.
 *  @param records at least one
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
