import { counted, label } from './chat-text.ts';
import type { ChatField, ChatRecord } from './chat-topic.ts';
import { type ChatValue, chatValue, chatValues } from './chat-value.ts';

/** Text with one look. `good` and `bad` colour what came and what went, where a chat has colours. */
export interface Run {
  readonly text: string;
  readonly look: 'plain' | 'strong' | 'faint' | 'struck' | 'good' | 'bad';
  /** Where it leads. */
  readonly link?: string | undefined;
}

/** One record as it is shown: a heading and, below it, a line per field. */
export interface RecordView {
  readonly heading: readonly Run[];
  readonly lines: readonly (readonly Run[])[];
  /** How many of the record's changes are in sight. */
  readonly shown: number;
}

/** How much of each record is shown. */
export interface Detail {
  /** Characters of a value. */
  readonly value: number;
  /** Lines of a record. */
  readonly lines: number;
}

const FIELD_NAME_LENGTH = 80;

/** What counts as changes: the fields of an update; a record that came or went is one change. */
export function changesIn(record: ChatRecord): number {
  return record.action === 'updated' ? Math.max(1, record.fields.length) : 1;
}

/** A record's fields in words, at most `detail.lines` of them. */
export function linesOf(record: ChatRecord, detail: Detail): Run[][] {
  return record.fields.slice(0, detail.lines).map(field => lineOf(record, field, detail.value));
}

/** One record with some of its lines. What is left out of it is told in its last line. */
export function viewOf(record: ChatRecord, told: readonly Run[][]): RecordView {
  const all = record.fields.length;
  const more = moreLine(record, all - told.length + record.untold);
  const shown = record.action === 'updated' && all > 0 ? told.length : 1;
  const [only] = told;
  if (record.action === 'updated' && only && told.length === 1 && more.length === 0) {
    return { heading: merged([nameOf(record), plain(' · '), ...only]), lines: [], shown };
  }
  return { heading: headingOf(record), lines: [...told.map(merged), ...more], shown };
}

function headingOf(record: ChatRecord): Run[] {
  const what = record.entity === 'project' ? record.action : `${record.entity} ${record.action}`;
  const look = ({ created: 'good', updated: 'faint', archived: 'bad', deleted: 'bad' } as const)[
    record.action
  ];
  return [nameOf(record), plain(' · '), { text: what, look }];
}

/** The title names the project already. */
function nameOf({ entity, action, name, link }: ChatRecord): Run {
  if (entity === 'project') return { text: 'The project', look: 'strong' };
  return { text: name, look: action === 'deleted' ? 'struck' : 'strong', link };
}

function lineOf(record: ChatRecord, change: ChatField, limit: number): Run[] {
  return [plain(`${fieldName(change, FIELD_NAME_LENGTH)}: `), ...valuesOf(record, change, limit)];
}

/** What a field is called; a built-in one, which has its property alone, as its property reads: `dueDate` as `Due date`. */
export function fieldName({ kind, name }: ChatField, limit: number): string {
  return label(kind === 'builtin' ? propertyInWords(name) : name, limit) || '(no name)';
}

function propertyInWords(property: string): string {
  if (!/^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*$/.test(property)) return property;
  const words = property.replace(/(?<=[a-z0-9])(?=[A-Z])|[_-]/g, ' ').split(' ');
  const text = words.map(word => (/^[A-Z][a-z0-9]*$/.test(word) ? word.toLowerCase() : word)).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a field was and is, or what came and went of it. */
export function valuesOf({ action }: ChatRecord, change: ChatField, limit: number): Run[] {
  if (action === 'created' || action === 'deleted') return [valueRun(chatValue(change.to, limit), 'plain')];
  const added = chatValue(change.added, limit);
  const removed = chatValue(change.removed, limit);
  if (added === 'empty' && removed === 'empty') {
    const [from, to] = chatValues(change.from, change.to, limit);
    return [valueRun(from, 'plain'), plain(' → '), valueRun(to, 'strong')];
  }
  return [
    ...(added === 'empty' ? [] : [plain('added '), valueRun(added, 'strong')]),
    ...(added === 'empty' || removed === 'empty' ? [] : [plain(', ')]),
    ...(removed === 'empty' ? [] : [plain('removed '), valueRun(removed, 'struck')]),
  ];
}

function moreLine(record: ChatRecord, left: number): Run[][] {
  if (record.isIncomplete) return [[{ text: 'and more fields than an event can carry', look: 'faint' }]];
  return left > 0 ? [[{ text: `and ${counted(left, 'more field')}`, look: 'faint' }]] : [];
}

function valueRun(value: ChatValue, look: Run['look']): Run {
  return value === 'empty' ? { text: 'empty', look: 'faint' } : { text: value.text, look };
}

function plain(text: string): Run {
  return { text, look: 'plain' };
}

/** Neighbours that look alike are one run: each costs room in a message. What a link is of has none that looks like it. */
function merged(runs: readonly Run[]): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last?.look === run.look) result[result.length - 1] = { ...last, text: last.text + run.text };
    else result.push(run);
  }
  return result;
}
