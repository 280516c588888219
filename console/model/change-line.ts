import { namesInWords } from '../../functions/basics/names-in-words.ts';
import { cleanText, cutText } from '../../functions/delivery/chat/chat-text.ts';
import { type Committed, dataOf, type EventData, workspaceOf } from './committed.ts';
import { fieldLabel } from './field-name.ts';
import { type ValueText, valueTexts, wholeText } from './value.ts';

/** A changed field, in words. */
export interface ChangeText {
  readonly field: string;
  readonly label: string;
  readonly from: ValueText;
  readonly to: ValueText;
  /** For a list: the options that were added and removed, instead of both lists. */
  readonly choices?: readonly { readonly sign: '+' | '−'; readonly text: string }[];
}

export interface Place {
  readonly id: string;
  readonly name: string;
}

/** An event in a list, limited in size, because a page keeps thousands. */
export interface ChangeLine {
  readonly id: string;
  readonly type: string;
  /** ms since 1970. */
  readonly at: number;
  readonly workspace: string;
  readonly process: string;
  readonly project: Place | undefined;
  readonly task: Place | undefined;
  /** For a change of a field definition: the field's name, and whether it belongs to projects or tasks. */
  readonly definition: string | undefined;
  readonly action: string;
  readonly changes: readonly ChangeText[];
  /** The number of changed fields that `changes` leaves out. */
  readonly more: number;
  /** The known actors, and these in words. */
  readonly actors: readonly Place[];
  readonly by: string | undefined;
  /** A text for an event that has no changed fields. */
  readonly note: string | undefined;
  /** All words of the line in lower case, for searching. */
  readonly words: string;
}

const MAX_NAME = 120;
const MAX_VALUE = 120;
const MAX_ACTOR = 40;
const MAX_NOTE = 300;
const MAX_CHANGES = 8;

export function changeLine(committed: Committed): ChangeLine {
  const { event, committedAt } = committed;
  const data = dataOf(committed);
  const type = oneLine(event.type);
  const [, action = type] = type.split('.');
  const shown = shownChanges(data.changes ?? [], action);
  const actors = (data.actors ?? []).map(actor => ({ id: actor.id, name: actorName(actor) }));
  const line = {
    id: event.id,
    type,
    at: Date.parse(committedAt),
    workspace: workspaceOf(committed),
    process: data.process?.id ?? '',
    project: placeOf(data.project),
    task: placeOf(data.task),
    definition: data.field && `${oneLine(data.field.name)} (${data.field.entity} field)`,
    action,
    changes: shown.slice(0, MAX_CHANGES).map(change => changeText(change)),
    more: action === 'created' || action === 'deleted' ? 0 : Math.max(0, shown.length - MAX_CHANGES),
    ...{ actors, by: actorsText(actors) },
    note: event.erased ? `${action}, contents erased` : noteOf(type, data),
  };
  return { ...line, words: wordsOf(line) };
}

/** The changes to show: of a created or deleted record only the most important fields, otherwise all. */
function shownChanges(
  changes: NonNullable<EventData['changes']>,
  action: string,
): NonNullable<EventData['changes']> {
  const ranked = changes
    .map(change => ({ change, rank: rankOf(change.field) }))
    .toSorted((one, other) => one.rank - other.rank);
  const isWhole = action === 'created' || action === 'deleted';
  return (isWhole ? ranked.filter(({ rank }) => rank < FIRST.length) : ranked).map(({ change }) => change);
}

const FIRST: readonly RegExp[] = [
  /^(status|state)$/i,
  /^(assignee|owner|responsible)s?$/i,
  /^(due|deadline)/i,
];

function rankOf(field: string): number {
  const place = FIRST.findIndex(name => name.test(field));
  return place < 0 ? FIRST.length : place;
}

export function changeText(change: NonNullable<EventData['changes']>[number], limit = MAX_VALUE): ChangeText {
  const { field } = change;
  const name = 'name' in change ? change.name : field;
  const kind = 'kind' in change && change.kind ? change.kind : 'builtin';
  const [from, to] = valueTexts(change.from, change.to, limit);
  const choices = [...signed('+', change.added), ...signed('−', change.removed)];
  const isListChange = from !== undefined && to !== undefined && choices.length > 0;
  const label = fieldLabel({ name, kind });
  return { field, label, from, to, ...(isListChange && { choices }) };
}

function signed(sign: '+' | '−', values: readonly unknown[] = []) {
  return values.map(value => ({ sign, text: cutText(wholeText(value) ?? '""', MAX_VALUE) }));
}

function placeOf(named: EventData['project']): Place | undefined {
  return named && { id: named.id, name: oneLine(named.name ?? '') || `#${oneLine(named.id)}` };
}

function oneLine(text: string): string {
  return cutText(cleanText(text), MAX_NAME);
}

/** The actors in words; undefined without any. */
export function actorsText(actors: readonly Place[]): string | undefined {
  const names = actors.map(({ name }) => cutText(name, MAX_ACTOR));
  return names.length === 0 ? undefined : namesInWords(names);
}

/** The name of an actor, or the id of one without a name. */
export function actorName({ id, name = '' }: NonNullable<EventData['actors']>[number]): string {
  return oneLine(name) || oneLine(id);
}

function noteOf(
  type: string,
  { reason, missing, entry, value, since, after }: EventData,
): string | undefined {
  const why = oneNote(reason ?? '');
  switch (type) {
    case 'task.due':
    case 'project.due':
      return `Due: ${oneNote(value ?? '')}`;
    case 'task.overdue':
    case 'project.overdue':
      return `Overdue since ${oneNote(value ?? '')}`;
    case 'project.unchanged':
      return `Unchanged for ${oneNote(after ?? '')}, since ${oneNote(since ?? '')}`;
    case 'source.held':
      return `${missing ?? 'Many'} projects disappeared at once. Their deletions need your approval. ${why}`.trim();
    case 'source.stalled':
      return `No pass has completed: changes are late. ${why}`.trim();
    case 'source.recovered':
      return 'Passes complete again. Changes of the interruption are emitted.';
    case 'source.skipped':
      return `A project cannot be read: its changes are late. ${why}`.trim();
    case 'audit.recorded':
      return `Audit log: ${oneNote(typeof entry === 'string' ? entry : (JSON.stringify(entry) ?? ''))}`;
    default:
      return undefined;
  }
}

function oneNote(text: string): string {
  return cutText(cleanText(text), MAX_NOTE);
}

export function wordsOf(line: Omit<ChangeLine, 'words'>): string {
  const { changes, project, task, definition, actors, note } = line;
  const fields = changes.flatMap(({ label, field, from, to, choices = [] }) => [
    ...[label, field, from, to],
    ...choices.map(({ text }) => text),
  ]);
  return [
    line.type,
    line.workspace,
    line.process,
    project?.name,
    project?.id,
    task?.name,
    task?.id,
    definition,
    note,
  ]
    .concat(
      fields,
      actors.map(({ name }) => name),
    )
    .filter(text => text !== undefined)
    .map(text => cutText(text, MAX_NOTE))
    .join('\n')
    .toLowerCase();
}
