import { type ChatField, isDueDate } from './chat-relevance.ts';
import { chatValue, chatValues, counted, label } from './chat-text.ts';
import type { ChatRecord } from './chat-topic.ts';

/** Text of one appearance. `good` and `bad` colour what was added and what was removed, where a chat has
 *  colours. */
export interface Run {
  readonly text: string;
  readonly look: 'plain' | 'strong' | 'faint' | 'struck' | 'good' | 'bad';
  /** The URL that the text links to. */
  readonly link?: string | undefined;
}

/** One record as it is shown: a heading and, below it, a line per field. */
export interface RecordView {
  readonly heading: readonly Run[];
  readonly lines: readonly (readonly Run[])[];
  /** The number of the record's changes that it shows. */
  readonly shown: number;
}

/** How much of each record is shown. */
interface Detail {
  /** Characters of a value. */
  readonly value: number;
  /** Lines of a record. */
  readonly lines: number;
}

const FIELD_NAME_LENGTH = 80;

/** The number of changes that a record counts for: one per field that changed; one if it was created or deleted. */
export function changesIn(record: ChatRecord): number {
  return record.action === 'updated' ? Math.max(1, record.fields.length) : 1;
}

/** A record's fields in words, in at most `detail.lines` lines. */
export function linesOf(record: ChatRecord, detail: Detail): Run[][] {
  return record.fields.slice(0, detail.lines).map(field => lineOf(record, field, detail.value));
}

/** A record with some of its lines, and a last line with the number of fields left out. */
export function viewOf(record: ChatRecord, shownLines: readonly Run[][]): RecordView {
  const all = record.fields.length;
  const more = moreLine(record, all - shownLines.length + record.omitted);
  const shown = record.action === 'updated' && all > 0 ? shownLines.length : 1;
  const [only] = shownLines;
  if (record.action === 'updated' && only && shownLines.length === 1 && more.length === 0) {
    return {
      heading: merged([nameOf(record), plain(' · '), ...only, ...actorsOf(record)]),
      lines: [],
      shown,
    };
  }
  return {
    heading: merged([...headingOf(record), ...actorsOf(record)]),
    lines: [...shownLines.map(merged), ...more],
    shown,
  };
}

const LOOKS: Readonly<Record<ChatRecord['action'], Run['look']>> = {
  ...{ created: 'good', updated: 'faint', archived: 'bad', deleted: 'bad' },
  ...{ due: 'plain', overdue: 'bad', unchanged: 'faint' },
};

function headingOf(record: ChatRecord): Run[] {
  const action = dueText(record) ?? record.action;
  const what = record.entity === 'project' ? action : `${record.entity} ${action}`;
  const look = LOOKS[record.action];
  return [nameOf(record), plain(' · '), { text: what, look }];
}

/** `due on 2026-11-30`; other fields than a due date are named. Undefined of a record that changed. */
export function dueText({ action, due }: ChatRecord): string | undefined {
  if (!due) return undefined;
  const { date, field } = due;
  if (!field) return `unchanged since ${date}`;
  const name = isDueDate(field) ? '' : ` (${fieldName(field, FIELD_NAME_LENGTH)})`;
  return `${action === 'overdue' ? 'overdue: was due on' : 'due on'} ${date}${name}`;
}

/** The actors of the change, unless the message's summary names them. */
function actorsOf({ by }: ChatRecord): Run[] {
  return by === undefined ? [] : [{ text: ` · by ${by}`, look: 'faint' }];
}

/** A record's name. The project needs none: the message's title names it. */
function nameOf({ entity, action, name, link }: ChatRecord): Run {
  if (entity === 'project') return { text: 'The project', look: 'strong' };
  return { text: name, look: action === 'deleted' ? 'struck' : 'strong', link };
}

function lineOf(record: ChatRecord, change: ChatField, limit: number): Run[] {
  return [plain(`${fieldName(change, FIELD_NAME_LENGTH)}: `), ...valuesOf(record, change, limit)];
}

/** A field's name. A built-in field has only its property, which is put in words: `dueDate` as `Due date`. */
export function fieldName({ kind, name }: ChatField, limit: number): string {
  return label(kind === 'builtin' ? propertyInWords(name) : name, limit) || '(no name)';
}

function propertyInWords(property: string): string {
  if (!/^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*$/.test(property)) return property;
  const words = property.replace(/(?<=[a-z0-9])(?=[A-Z])|[_-]/g, ' ').split(' ');
  const text = words.map(word => (/^[A-Z][a-z0-9]*$/.test(word) ? word.toLowerCase() : word)).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The old and the new value of a field, or what was added and removed. */
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

function valueRun(value: ReturnType<typeof chatValue>, look: Run['look']): Run {
  return value === 'empty' ? { text: 'empty', look: 'faint' } : { text: value.text, look };
}

function plain(text: string): Run {
  return { text, look: 'plain' };
}

/** Joins neighbours of one look, because each run costs room in a message. A linked run never has a neighbour
 *  of its look. */
function merged(runs: readonly Run[]): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last?.look === run.look) result[result.length - 1] = { ...last, text: last.text + run.text };
    else result.push(run);
  }
  return result;
}
