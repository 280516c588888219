import * as z from 'zod';
import type { Json } from '../basics/json.ts';
import { type ChangeEvent, type EventType, eventSchemas } from '../model/event.ts';
import { wants } from '../model/filter.ts';
import type { JournalEntry } from '../store/store.ts';
import type { OperationsContext } from './context.ts';
import { cursorTo, DEFAULT_LIMIT, iso, readCursor, searchJournal } from './page.ts';
import { processesOf } from './processes.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { didYouMean, NOT_IN_JOURNAL, Refused, wrongRequest } from './refused.ts';

/** A page ends at this size, so that it fits into an answer. */
const MAX_BYTES = 3_000_000;

/** The last record that was read, and how many of its events are on a page already. */
const pageEnd = z.strictObject({ record: z.string().optional(), shown: z.int().nonnegative() });

type Query = RequestOf<'events'>;

/** A page of the journal. */
export async function listEvents(
  context: Parameters<typeof processesOf>[0],
  asked: Query,
): Promise<AnswerOf<'events'>> {
  const { order = 'newest-first', limit = DEFAULT_LIMIT, cursor, project } = asked;
  checkTypes(asked.types);
  let last: z.infer<typeof pageEnd> = readCursor('events', cursor, pageEnd) ?? { shown: 0 };
  const at = iso(context.clock());
  const matches = matcherOf(asked);
  const events: AnswerOf<'events'>['events'] = [];
  let [searched, bytes] = [0, 0];
  let readTo: number | undefined;
  const search = {
    order,
    since: asked.since === undefined ? 0 : Date.parse(asked.since),
    until: asked.until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(asked.until),
    processes: await processesOf(context, asked),
    from: last.record,
  };
  const isLast = await searchJournal(context, search, record => {
    const all = project === undefined || record.isOf(project) ? record.events() : [];
    const isResumed = last.record === record.position;
    if (!isResumed) searched += all.length;
    last = { record: record.position, shown: isResumed ? last.shown : 0 };
    readTo = record.at;
    const matching = all.filter(matches);
    for (const event of (order === 'newest-first' ? matching.toReversed() : matching).slice(last.shown)) {
      bytes += Buffer.byteLength(JSON.stringify(event));
      // The rest of the record is for the next page.
      if (events.length > 0 && bytes > MAX_BYTES) return true;
      events.push({ committedAt: iso(record.at), event });
      last = { ...last, shown: last.shown + 1 };
      if (events.length === limit) return true;
    }
    return false;
  });
  return {
    at,
    events,
    ...(readTo !== undefined && { readTo: iso(readTo) }),
    searched,
    ...cursorTo('events', isLast ? undefined : last),
  };
}

/** Whether an event is asked for; the request is prepared once. Every word of a search must be part of one of the
 *  event's texts, in any case. */
function matcherOf({ types, task, field, actor, search = '' }: Query): (event: ChangeEvent) => boolean {
  const filter = {
    ...(types && { events: types as EventType[] }),
    ...(field !== undefined && { fields: [field] }),
    ...(actor !== undefined && { actors: [actor] }),
  };
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return event => {
    const { data } = event;
    if (task !== undefined && !('task' in data && data.task.id === task)) return false;
    if (!wants(filter, event)) return false;
    const text = words.length > 0 ? textOf(event) : '';
    return words.every(word => text.includes(word));
  };
}

/** @throws Refused for an unknown type: it is a typo, with which nothing would ever be found */
export function checkTypes(types: readonly string[] | undefined): void {
  const known = Object.keys(eventSchemas);
  const wrong = types?.find(type => !known.includes(type));
  if (wrong === undefined) return;
  const hint = didYouMean(wrong, known) || ` Known types: ${known.join(', ')}.`;
  throw wrongRequest(`types: unknown event type.${hint}`);
}

/** @throws Refused when the journal doesn't have it */
export async function findEvent(
  { journal }: Pick<OperationsContext, 'journal'>,
  eventId: string,
): Promise<JournalEntry> {
  const entry = await journal.find(eventId);
  if (!entry) throw new Refused(NOT_IN_JOURNAL);
  return entry;
}

/** The whole record, and when it was read: not part of the change. */
const EXCLUDED_KEYS: ReadonlySet<string> = new Set(['record', 'observed', 'truncated']);

/** All texts of an event in lower case: type, ids, names, actors, fields and values. */
function textOf({ type, source, id, data }: ChangeEvent): string {
  const texts: string[] = [type, source, id];
  collectTexts(data as unknown as Json, texts);
  return texts.join('\n').toLowerCase();
}

function collectTexts(value: Json, texts: string[]): void {
  if (typeof value !== 'object') texts.push(String(value));
  else if (Array.isArray(value)) for (const each of value) collectTexts(each, texts);
  else
    for (const [name, each] of Object.entries(value ?? {}))
      if (!EXCLUDED_KEYS.has(name)) collectTexts(each, texts);
}
