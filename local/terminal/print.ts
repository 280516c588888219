import { stripVTControlCharacters, styleText } from 'node:util';
import { isJsonObject, type Json } from '../../functions/basics/json.ts';
import { namesInWords } from '../../functions/basics/names-in-words.ts';
import { isDueEvent } from '../../functions/model/due.ts';
import { isErased } from '../../functions/model/erase.ts';
import type {
  AuditEvent,
  ChangeEvent,
  FieldChange,
  FieldEvent,
  ProjectEvent,
  TaskEvent,
} from '../../functions/model/event.ts';
import { asFieldChange } from '../../functions/model/field-definition.ts';
import { columns, cut, pad, printable } from './text.ts';

interface FormatOptions {
  /** ANSI colours, whatever the stream. */
  readonly colour: boolean;
  /** The terminal's columns. Without them, as for a file or a pipe, everything is shown whole. */
  readonly width?: number;
  /** An IANA zone for the time of day; the machine's own by default. */
  readonly timeZone?: string;
}

type EntityEvent = ProjectEvent | TaskEvent | FieldEvent;
type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** The widths of the parts of a line, in columns. */
interface Layout {
  readonly paint: Paint;
  readonly head: number;
  /** Infinite when nothing is to be cut. */
  readonly rest: number;
  /** Cuts a text to the room for it, or leaves it whole. */
  readonly fit: typeof cut;
}

const MARGIN = 12;
const GAP = 2;
const CREATED_FIELDS = 4;
const ACTOR_WIDTH = 32;

/** An event as a person reads it: one line for each changed field and, where it is known, who changed it; with the
 *  head (time, project, task) on the first only, and no line end after the last. Control characters in the event are
 *  escaped, so that it can't control the terminal. */
export function formatEvent(event: ChangeEvent, options: FormatOptions): string {
  const paint: Paint = options.colour
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_, text) => text;
  const width = Math.max(60, options.width ?? Number.POSITIVE_INFINITY);
  const head = Math.min(44, Math.floor((width - MARGIN) * 0.4));
  const fit: typeof cut = options.width === undefined ? text => text : cut;
  const layout = { paint, head, rest: width - MARGIN - head - GAP, fit };
  const first = `${paint('dim', timeOfDay(event.time, options.timeZone))}  ${marker(event, paint)} ${headOf(event, layout)}`;
  const blank = ' '.repeat(MARGIN + head + GAP);
  return withActors(bodyOf(event, layout), event, layout)
    .map((line, index) => `${index === 0 ? `${first}${' '.repeat(GAP)}` : blank}${line}`)
    .join('\n');
}

/** `20:55:01`, as it is at the machine or in the zone. */
export function timeOfDay(time: string | number, timeZone: string | undefined): string {
  return new Date(time).toLocaleTimeString('en-GB', {
    hour12: false,
    ...(timeZone === undefined ? {} : { timeZone }),
  });
}

function marker({ type }: ChangeEvent, paint: Paint): string {
  if (type === 'source.recovered') return paint(['bold', 'green'], '!');
  if (type.startsWith('source.')) return paint(['bold', 'yellow'], '!');
  if (type === 'audit.recorded') return paint('dim', '·');
  if (isDueEvent({ type })) return paint('yellow', '!');
  if (type.endsWith('.created')) return paint(['bold', 'green'], '+');
  return type.endsWith('.deleted') ? paint(['bold', 'red'], '−') : paint('blue', '~');
}

function headOf(event: ChangeEvent, { paint, head, fit }: Layout): string {
  const process = `process ${printable(event.data.process.id)}`;
  if (event.type === 'source.skipped') return paint('bold', pad(fit(nameOf(event.data.project), head), head));
  if (isAbout(event, 'source') || isAbout(event, 'audit')) return pad(fit(process, head), head);
  const [outer, inner] = isAbout(event, 'field')
    ? [process, nameOf({ ...event.data.field, id: event.data.field.externalId })]
    : [nameOf(event.data.project), 'task' in event.data ? nameOf(event.data.task) : undefined];
  if (inner === undefined) return paint('bold', pad(fit(outer, head), head));
  const room = head - columns(' › ');
  const shownOuter = fit(outer, Math.max(Math.floor(room * 0.45), room - columns(fit(inner, room))));
  const shownInner = pad(fit(inner, room - columns(shownOuter)), room - columns(shownOuter));
  return `${paint('bold', shownOuter)}${paint('dim', ' › ')}${shownInner}`;
}

function isAbout<Entity extends string>(
  event: ChangeEvent,
  entity: Entity,
): event is Extract<ChangeEvent, { type: `${Entity}.${string}` }> {
  return event.type.startsWith(`${entity}.`);
}

function nameOf({ id, name }: { id: string; name?: string | undefined }): string {
  return printable(name ?? id);
}

function bodyOf(event: ChangeEvent, layout: Layout): string[] {
  const { paint } = layout;
  if (isErased(event)) return [paint('dim', 'contents erased')];
  switch (event.type) {
    case 'source.held':
      return [paint('yellow', `on hold: ${printable(event.data.reason)}`)];
    case 'source.stalled':
      return [paint('yellow', `stalled: ${printable(event.data.reason)}`)];
    case 'source.skipped':
      return [paint('yellow', `skipped: ${printable(event.data.reason)}`)];
    case 'source.recovered':
      return [
        paint('green', `recovered: all changes since ${printable(event.data.since)} have been published`),
      ];
    case 'audit.recorded':
      return [entryLine(event, layout)];
    case 'task.due':
    case 'project.due':
      return [paint('yellow', `due: ${printable(event.data.value)}`)];
    case 'task.overdue':
    case 'project.overdue':
      return [paint('red', `overdue: ${printable(event.data.value)}`)];
    case 'project.unchanged':
      return [paint('yellow', `unchanged since ${printable(event.data.since)}`)];
    case 'project.created':
    case 'task.created':
    case 'field.created':
      return [createdLine(event, layout)];
    case 'field.archived':
      return [paint('yellow', `${entityOf(event)} archived`), ...updatedLines(event, layout)];
    case 'project.deleted':
    case 'task.deleted':
    case 'field.deleted':
      return [paint('red', `${entityOf(event)} deleted`)];
    default:
      return updatedLines(event, layout);
  }
}

/** The lines with those who made the change: after a single line where there is room, else below. */
function withActors(lines: string[], { data }: ChangeEvent, { paint, rest, fit }: Layout): string[] {
  const actors = ('actors' in data && data.actors) || [];
  if (actors.length === 0) return lines;
  const names = actors.map(({ id, name }) => fit(printable(name || id), ACTOR_WIDTH));
  const by = fit(`by ${namesInWords(names)}`, rest);
  const [first = '', ...others] = lines;
  const isBeside =
    others.length === 0 && columns(stripVTControlCharacters(first)) + GAP + columns(by) <= rest;
  return isBeside ? [`${first}${' '.repeat(GAP)}${paint('dim', by)}`] : [...lines, paint('dim', by)];
}

/** The entry as JSON, after the names of its users. */
function entryLine({ data: { entry, users } }: AuditEvent, { paint, rest, fit }: Layout): string {
  const who = users.map(user => `${nameOf(user)}: `).join('');
  const text = typeof entry === 'string' ? entry : JSON.stringify(entry);
  return `${paint('dim', 'audit log')}  ${fit(`${who}${printable(text)}`, rest - columns('audit log  '))}`;
}

function entityOf(event: EntityEvent): string {
  if ('field' in event.data) return `${event.data.field.entity} field`;
  return 'task' in event.data ? 'task' : 'project';
}

/** The changed fields; that a field was archived is shown elsewhere. */
function changesOf({ type, data }: EntityEvent): FieldChange[] {
  if (!('field' in data)) return data.changes;
  const changes =
    type === 'field.archived' ? data.changes.filter(({ field }) => field !== 'archived') : data.changes;
  return changes.map(asFieldChange);
}

function createdLine(event: EntityEvent, { paint, rest, fit }: Layout): string {
  const created = `${entityOf(event)} created`;
  const shown = mainFields(event);
  const parts: string[] = [];
  let room = rest - columns(created);
  const bounded = Number.isFinite(rest);
  for (const change of bounded ? shown.slice(0, CREATED_FIELDS) : shown) {
    const name = fit(printable(change.name), 20);
    const text = readable(change.to, change.type) ?? '';
    const value = fit(printable(bounded ? text.slice(0, 200) : text), 24);
    room -= columns(`  ${name} ${value}`);
    if (room < columns('  … 99 more')) break;
    parts.push(`  ${paint('cyan', name)} ${value}`);
  }
  const more = shown.length - parts.length;
  const ending = more > 0 ? paint('dim', `  … ${more} more`) : '';
  return `${paint('green', created)}${parts.join('')}${ending}`;
}

/** The most informative fields of a new record: custom fields first, without its name, which the head shows,
 *  and without identifiers. */
function mainFields(event: EntityEvent): FieldChange[] {
  const { data } = event;
  const { name } = 'field' in data ? data.field : 'task' in data ? data.task : data.project;
  const informative = changesOf(event).filter(
    ({ field, kind, to }) =>
      kind === 'custom' || (to !== name && !/^id$|Id$|^(crea|upda|modifi)ted/.test(field)),
  );
  const custom = informative.filter(({ kind }) => kind === 'custom');
  return [...custom, ...informative.filter(({ kind }) => kind !== 'custom')];
}

function updatedLines(event: EntityEvent, layout: Layout): string[] {
  const { paint, rest, fit } = layout;
  const changes = changesOf(event);
  const names = changes.map(({ name }) => fit(printable(name), 24));
  const column = Math.max(12, ...names.map(columns));
  const lines = changes.map(
    (change, index) =>
      `${paint('cyan', pad(names[index] ?? '', column))}  ${valuesOf(change, rest - column - GAP, layout)}`,
  );
  return event.data.truncated?.includes('changes')
    ? [...lines, paint('dim', '… more changes than fit into one event')]
    : lines;
}

function valuesOf(change: FieldChange, room: number, layout: Layout): string {
  const { paint } = layout;
  if (change.added !== undefined || change.removed !== undefined) return choicesOf(change, layout);
  const [from, to] = readablePair(change, Math.max(32, room - columns(' → ')));
  const empty = paint(['dim', 'italic'], EMPTY);
  const before = from === undefined ? empty : paint('dim', from);
  return `${before} ${paint('dim', '→')} ${to === undefined ? empty : paint('bold', to)}`;
}

function choicesOf({ added = [], removed = [] }: FieldChange, { paint, fit }: Layout): string {
  const label = (choice: unknown) =>
    fit(printable(typeof choice === 'string' ? choice : JSON.stringify(choice)), 40);
  return [
    ...added.map(choice => paint('green', `+${label(choice)}`)),
    ...removed.map(choice => paint('red', `−${label(choice)}`)),
  ].join('  ');
}

/** A value as a person reads it; undefined when it is empty by the rules of the comparison: null, "" or
 *  []. */
function readable(value: Json, type: string): string | undefined {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'string') return type === 'number' || type === 'date' ? value : `"${value}"`;
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value.join(', ');
  return displayName(value) ?? JSON.stringify(value);
}

/** Both values of a change, printable and together at most `room` columns wide. Long texts that begin
 *  alike are shown from where they differ; room that one value doesn't need is given to the other. With
 *  infinite room both are whole. */
function readablePair(change: FieldChange, room: number): [string | undefined, string | undefined] {
  let pair = [readable(change.from, change.type), readable(change.to, change.type)] as const;
  // Two objects with the same display name differ in something else: then both are shown whole.
  if (pair[0] === pair[1]) pair = [JSON.stringify(change.from), JSON.stringify(change.to)];
  const longest = Number.isFinite(room) ? MAX_LENGTH : undefined;
  const [from, to] = pair.map(text => (text === undefined ? undefined : printable(text.slice(0, longest))));
  if (longest === undefined) return [from, to];
  const [wide, other] = [columns(from ?? EMPTY), columns(to ?? EMPTY)];
  if (wide + other <= room) return [from, to];
  const half = Math.floor(room / 2);
  const widths = [Math.max(half, room - other), Math.max(half, room - wide)] as const;
  const start = from === undefined || to === undefined ? 0 : firstShown(from, to, half);
  return [clip(from, start, widths[0]), clip(to, start, widths[1])];
}

/** The word for an empty value. */
const EMPTY = 'empty';

// Long enough to find a difference in, short enough to print a thousand of.
const MAX_LENGTH = 20_000;

/** Where both texts are shown from: the beginning, unless the difference would be out of sight. */
function firstShown(from: string, to: string, width: number): number {
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  return same < width - 8 ? 0 : same - Math.floor(width / 3);
}

function clip(text: string | undefined, start: number, width: number): string | undefined {
  if (text === undefined) return undefined;
  return start === 0 ? cut(text, width) : cut(`…${text.slice(start).replace(/^[\udc00-\udfff]/, '')}`, width);
}

function displayName(value: Json): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const name = ['name', 'title', 'label', 'email'].map(key =>
    Object.hasOwn(value, key) ? value[key] : undefined,
  );
  return name.find(text => typeof text === 'string' && text !== '') as string | undefined;
}
