import * as z from 'zod';
import type { Json } from '../basics/json.ts';
import { type ChangeEvent, type EventType, eventSchemas } from '../model/event.ts';
import { wants } from '../model/filter.ts';
import type { JournalEntry, JournalRecord } from '../store/store.ts';
import type { OperationsContext } from './context.ts';
import { cursorOf, DEFAULT_LIMIT, iso, readCursor } from './page.ts';
import { processesOf } from './processes.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { didYouMean, Refused } from './refused.ts';

/** A page ends at any of these limits: so it takes a short time and fits into an answer, however large the
 *  journal is. */
export const MAX_RECORDS = 1_000;
const MAX_BYTES = 3_000_000;
export const SEARCH_TIMEOUT_MS = 2_000;

/** The last record that was read, and how many of its events are on a page already. */
const place = z.strictObject({ record: z.string().optional(), told: z.int().nonnegative() });
type Place = z.infer<typeof place>;

type Query = RequestOf<'events'>;

/** A page of the journal. */
export async function listEvents(
  context: Pick<OperationsContext, 'clock'> & Parameters<typeof processesOf>[0],
  asked: Query,
): Promise<AnswerOf<'events'>> {
  const { order = 'newest-first', limit = DEFAULT_LIMIT, cursor } = asked;
  checkTypes(asked.types);
  const from = readCursor<Place>('events', cursor, place) ?? { told: 0 };
  const began = context.clock();
  const page = new Page(asked, limit, from);
  const search = {
    order,
    since: asked.since === undefined ? 0 : Date.parse(asked.since),
    until: asked.until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(asked.until),
    processes: await processesOf(context, asked),
    from: from.record,
  };
  let read = 0;
  for await (const record of context.journal.search(search)) {
    if (page.take(record, order === 'newest-first')) break;
    read += 1;
    if (read < MAX_RECORDS && context.clock() - began < SEARCH_TIMEOUT_MS) continue;
    page.leave();
    break;
  }
  return page.answer(began);
}

class Page {
  readonly #asked: Query;
  readonly #limit: number;
  readonly #isMeant: (event: ChangeEvent) => boolean;
  #searched = 0;
  readonly #events: AnswerOf<'events'>['events'] = [];
  #place: Place;
  #readTo: number | undefined;
  #bytes = 0;
  #isLeft = false;

  constructor(asked: Query, limit: number, place: Place) {
    this.#asked = asked;
    this.#limit = limit;
    this.#isMeant = matcherOf(asked);
    this.#place = place;
  }

  /** @returns true when the page is full; the rest of the record is then for the next one */
  take(record: JournalRecord, isBackwards: boolean): boolean {
    const { project } = this.#asked;
    const isMeant = project === undefined || record.isOf(project);
    const all = isMeant ? record.events() : [];
    const meant = all.filter(this.#isMeant);
    const events = isBackwards ? meant.toReversed() : meant;
    this.#readTo = record.at;
    const isLeft = this.#place.record === record.position;
    if (!isLeft) this.#searched += all.length;
    const told = isLeft ? this.#place.told : 0;
    this.#place = { record: record.position, told };
    for (const event of events.slice(told)) {
      const bytes = Buffer.byteLength(JSON.stringify(event));
      if (this.#events.length > 0 && this.#bytes + bytes > MAX_BYTES) this.#isLeft = true;
      if (this.#isLeft || this.#events.length === this.#limit) return this.leave();
      this.#bytes += bytes;
      this.#events.push({ committedAt: iso(record.at), event });
      this.#place = { ...this.#place, told: this.#place.told + 1 };
    }
    return this.#events.length === this.#limit && this.leave();
  }

  /** Ends the page, after which there may be more. */
  leave(): true {
    this.#isLeft = true;
    return true;
  }

  answer(at: number): AnswerOf<'events'> {
    return {
      at: iso(at),
      events: this.#events,
      ...(this.#readTo !== undefined && { readTo: iso(this.#readTo) }),
      searched: this.#searched,
      ...(this.#isLeft && { cursor: cursorOf('events', this.#place) }),
    };
  }
}

/** Whether an event is asked for; the request is prepared once. */
function matcherOf({ types, task, field, actor, search }: Query): (event: ChangeEvent) => boolean {
  const filter = {
    ...(types && { events: types as EventType[] }),
    ...(field !== undefined && { fields: [field] }),
    ...(actor !== undefined && { actors: [actor] }),
  };
  const hasWords = search === undefined ? () => true : wordMatcher(search);
  const isOfTask = ({ data }: ChangeEvent) => task === undefined || ('task' in data && data.task.id === task);
  return event => isOfTask(event) && wants(filter, event) && hasWords(event);
}

/** @throws Refused for an unknown type: it is a typo, with which nothing would ever be found */
export function checkTypes(types: readonly string[] | undefined): void {
  const known = Object.keys(eventSchemas);
  const wrong = types?.find(type => !known.includes(type));
  if (wrong === undefined) return;
  const hint = didYouMean(wrong, known) || ` There are ${known.join(', ')}.`;
  throw new Refused(`types: no event is of such a type.${hint}`, { isUsage: true });
}

/** @throws Refused when the journal doesn't have it */
export async function findEvent(
  { journal }: Pick<OperationsContext, 'journal'>,
  eventId: string,
): Promise<JournalEntry> {
  const entry = await journal.find(eventId);
  if (!entry)
    throw new Refused('There is no event of this id in the last 30 days. The list of events has their ids.');
  return entry;
}

/** Prepares a text search: every word must be part of one of the event's texts, in any case. */
function wordMatcher(search: string): (event: ChangeEvent) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return event => {
    const text = textOf(event);
    return words.every(word => text.includes(word));
  };
}

/** The whole record, and when it was read: not part of the change. */
const LEFT_OUT: ReadonlySet<string> = new Set(['record', 'observed', 'truncated']);

/** All texts of an event in lower case: type, ids, names, actors, fields and values. */
function textOf({ type, source, id, data }: ChangeEvent): string {
  const texts: string[] = [type, source, id];
  gather(data as unknown as Json, texts);
  return texts.join('\n').toLowerCase();
}

function gather(value: Json, texts: string[]): void {
  if (typeof value !== 'object') texts.push(String(value));
  else if (Array.isArray(value)) for (const each of value) gather(each, texts);
  else for (const [name, each] of Object.entries(value ?? {})) if (!LEFT_OUT.has(name)) gather(each, texts);
}
