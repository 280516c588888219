import * as z from 'zod';
import { type ChangeEvent, type EventType, eventSchemas } from '../model/event.ts';
import { wants } from '../model/filter.ts';
import type { JournalRecord } from '../store/journal.ts';
import { cursorOf, iso, readCursor } from './cursor.ts';
import { wordMatcher } from './event-words.ts';
import { processesOf } from './find-process.ts';
import { type OperationsHouse, PAGE } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { didYouMean, Refused } from './refused.ts';

/** A page ends after so many change records, bytes of JSON, or ms: so it takes a short time and fits into an
 *  answer, whatever the journal holds. */
export const MOST_RECORDS = 1_000;
const MOST_BYTES = 3_000_000;
export const MOST_MS = 2_000;

/** The last record that was read, and how many of its events are on a page already. */
const place = z.strictObject({ record: z.string().optional(), told: z.int().nonnegative() });
type Place = z.infer<typeof place>;

type House = Pick<OperationsHouse, 'clock'> & Parameters<typeof processesOf>[1];
type Query = RequestOf<'events'>;

/** A page of the journal. */
export async function eventsPage(asked: Query, house: House): Promise<AnswerOf<'events'>> {
  const { order = 'newest-first', limit = PAGE, cursor } = asked;
  checkTypes(asked.types);
  const from = readCursor<Place>('events', cursor, place) ?? { told: 0 };
  const began = house.clock();
  const page = new Page(asked, limit, from);
  const search = {
    order,
    since: asked.since === undefined ? 0 : Date.parse(asked.since),
    until: asked.until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(asked.until),
    processes: await processesOf(asked, house),
    from: from.record,
  };
  let read = 0;
  for await (const record of house.journal.search(search)) {
    if (page.take(record, order === 'newest-first')) break;
    read += 1;
    if (read < MOST_RECORDS && house.clock() - began < MOST_MS) continue;
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
      if (this.#events.length > 0 && this.#bytes + bytes > MOST_BYTES) this.#isLeft = true;
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
