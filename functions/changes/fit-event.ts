import type { Json } from '../basics/json.ts';
import type { FieldChange, ProjectEvent, SentEvent, TaskEvent } from '../model/event.ts';

/** SNS takes 256 KB with attributes; the difference is for the attributes that filter policies need
 *  (design.md §8). */
export const MAX_EVENT_BYTES = 240 * 1024;

/** Lengths, in characters of JSON, that long values are cut to, one after the other, until the event fits. */
export const VALUE_LENGTHS = [8_192, 1_024, 128, 16];

/** The event itself when it fits; else without its record, then with long values cut, at last with fewer changes.
 *  `data.truncated` lists what was cut. */
export function fitEvent<Event extends ProjectEvent | TaskEvent>(event: Event): Event {
  if (fits(event)) return event;
  const { project } = event.data;
  const bared = withoutRecord(event);
  // Filters of a task's event read its project's short values.
  const slim = 'task' in bared.data ? { ...bared, data: { ...bared.data, project } } : bared;
  if (fits(slim)) return slim;
  for (const length of VALUE_LENGTHS) {
    const cut = withShortValues(bared, length);
    if (fits(cut)) return cut;
  }
  return withFewerChanges(withShortValues(bared, 16));
}

/** True when SNS takes the event. */
export function fits(event: SentEvent): boolean {
  return Buffer.byteLength(serialise(event)) <= MAX_EVENT_BYTES;
}

function withoutRecord<Event extends ProjectEvent | TaskEvent>(event: Event): Event {
  const { data } = event;
  const task = 'task' in data ? { task: bare(data.task) } : {};
  return { ...event, data: { ...data, project: bare(data.project), ...task, truncated: ['record'] } };
}

/** The event without its records, which `data.truncated` then names. An event without records stays as it is. */
export function withoutRecords(event: SentEvent): SentEvent {
  const { data } = event as { readonly data: WithRecords };
  // Nothing else was cut: `fitEvent` cuts the record first.
  const bared = Object.entries({ project: data.project, task: data.task }).flatMap(([name, part]) => {
    if (!part || !('record' in part || 'context' in part)) return [];
    const { record: _, context: __, names: ___, ...rest } = part;
    return [[name, rest]];
  });
  if (bared.length === 0) return event;
  return { ...event, data: { ...data, ...Object.fromEntries(bared), truncated: ['record'] } } as SentEvent;
}

interface WithRecords {
  readonly project?: Shown;
  readonly task?: Shown;
}

interface Shown {
  readonly record?: unknown;
  readonly context?: unknown;
  readonly names?: unknown;
}

/** A record without its content, with a short name. */
export function bare({ id, name }: RecordRef): RecordRef {
  return { id, ...(name === undefined ? {} : { name: shorten(name, 1_024) }) };
}

interface RecordRef {
  readonly id: string;
  readonly name?: string | undefined;
}

function withShortValues<Event extends ProjectEvent | TaskEvent>(event: Event, length: number): Event {
  const cut: string[] = [];
  const changes = event.data.changes.map((change, index) =>
    shortChange(change, length, `changes[${index}]`, cut),
  );
  return { ...event, data: { ...event.data, changes, truncated: ['record', ...cut] } };
}

function shortChange(change: FieldChange, length: number, path: string, cut: string[]): FieldChange {
  const short = { ...change, name: shorten(change.name, 256), field: shorten(change.field, 1_024) };
  return withShortParts(short, length, path, cut);
}

/** The change with its long values cut to that number of characters of JSON; `cut` gets the path of each. */
export function withShortParts<Change extends Pick<FieldChange, 'from' | 'to' | 'added' | 'removed'>>(
  change: Change,
  length: number,
  path: string,
  cut: string[],
): Change {
  const short = { ...change };
  for (const part of ['from', 'to', 'added', 'removed'] as const) {
    const value: Json | undefined = change[part];
    if (value === undefined || JSON.stringify(value).length <= length) continue;
    cut.push(`${path}.${part}`);
    if (part === 'from' || part === 'to') short[part] = shorten(asText(value), length);
    else short[part] = [shorten(asText(value), length)];
  }
  return short;
}

/** Keeps only the first changes, for events with thousands of them. `truncated` then names `changes` as a
 *  whole. */
function withFewerChanges<Event extends ProjectEvent | TaskEvent>(event: Event): Event {
  let { changes } = event.data;
  let fewer = event;
  while (!fits(fewer) && changes.length > 0) {
    changes = changes.slice(0, Math.floor(changes.length / 2));
    fewer = { ...event, data: { ...event.data, changes, truncated: ['record', 'changes'] } };
  }
  return fewer;
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Cuts between whole characters, and adds an ellipsis. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed().replace(/�$/, '')}…`;
}

/** JSON text that SNS and SQS accept, which carry only the characters of XML 1.0. JSON escapes control
 *  characters and lone surrogates already; the two noncharacters remain. */
export function serialise(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\uFFFE\uFFFF]/g,
    character => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}
