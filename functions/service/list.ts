import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import { pathOf } from './address.ts';
import type { Context } from './context.ts';
import { excerpt, keysOf, propertyPath, typeName } from './describe.ts';
import { digestOf } from './digest.ts';
import {
  DeadlineError,
  isPassing,
  type Scope,
  type ServiceError,
  ServiceStatusError,
  ServiceUnreachableError,
} from './errors.ts';
import type { ListName } from './options.ts';
import type { Answer, Reader } from './reader.ts';
import type { Page } from './service.ts';

/** One list to walk. */
interface List<Item> {
  readonly name: ListName;
  readonly segments: readonly string[];
  readonly query?: Record<string, string | undefined>;
  /** The list's property, where it is documented. */
  readonly property?: string;
  /** The cursor to continue after. */
  readonly after?: string | undefined;
  /** Whom its errors concern. */
  readonly scope: Scope;
  /** True when it could not be read before: others do not wait for it, it is not tried again without an answer, and
   *  its pages shrink faster. */
  readonly isAgain?: boolean | undefined;
  /** Whether the service answers other requests: asked when this list got no answer, which then concerns its
   *  scope alone. By default, it concerns everybody. */
  readonly areOthersAnswered?: () => Promise<boolean>;
  /** Names the way in which items are read: a digest holds for that way alone. */
  readonly reading: string;
  /** True for the digest of a page that was the whole list when it was read before. */
  readonly isKnown?: ((digest: string) => boolean) | undefined;
  /** Reads a page's items; `path` is the path of their array in the answer. */
  items(answer: Answer, path: string, values: readonly Json[]): Item[];
}

/** Stands for a page whose digest is known: it was the whole list before, and the same bytes show again that
 *  no page follows. */
const WHOLE: RawPage = { property: '', path: '$', items: [], next: undefined };

/** What all walks of one pass share: `sizes` is the `first` that works, and only ever shrinks. */
export interface Walking {
  readonly context: Context;
  readonly reader: Reader;
  readonly sizes: Record<ListName, number>;
}

/**
 * A list, page by page (service-api.md §4.1); a page is asked for when the walk comes to it, and each iteration is a
 * walk of its own. Throws a ServiceError when a page can't be had, or repeats a cursor and so would never end, or when
 * the list exceeds the limit.
 */
export function walk<Item>(walking: Walking, list: List<Item>): AsyncIterable<Page<Item>> {
  return { [Symbol.asyncIterator]: () => pages(walking, list) };
}

async function* pages<Item>(walking: Walking, list: List<Item>): AsyncGenerator<Page<Item>, void, void> {
  let after = list.after;
  const asked = new Set(after === undefined ? [] : [digestOf(after)]);
  const extent = new Extent(walking.context.settings.maxListBytes[list.name]);
  for (;;) {
    const answer = await ask(walking, list, after);
    const raw = answer.isKnown ? WHOLE : readRaw(walking, list, answer);
    extent.add(answer, raw);
    const next = raw.next === undefined ? undefined : digestOf(raw.next);
    if (next !== undefined && asked.has(next)) {
      const found = 'one that this walk has been at';
      throw answer.wrong({ path: '$.paging.endCursor', expected: 'a new cursor', found });
    }
    const { readAt, clock } = answer;
    let items: Item[] | undefined;
    yield {
      get items() {
        if (!items) {
          const { path, items: values } = answer.isKnown ? readRaw(walking, list, answer) : raw;
          items = list.items(answer, path, values);
        }
        return items;
      },
      digest: digestIn(list, answer.digest),
      ...{ readAt, clock, after, hasNextPage: raw.next !== undefined },
    };
    if (next === undefined) return;
    after = raw.next;
    asked.add(next);
  }
}

/** The digest of a page names the way of reading, too: read in another way, the same bytes are other items. */
function digestIn<Item>({ reading }: List<Item>, digest: string): string {
  return `${reading}.${digest}`;
}

function readRaw<Item>({ context }: Walking, list: List<Item>, answer: Answer): RawPage {
  const raw = readPage(answer, list.property);
  if (list.property === undefined) noticeProperty(context, list.name, raw);
  return raw;
}

async function ask<Item>(walking: Walking, list: List<Item>, after: string | undefined): Promise<Answer> {
  const { context, reader, sizes } = walking;
  const { name, segments, query, scope, isAgain = false } = list;
  const isKnown = (digest: string) => list.isKnown?.(digestIn(list, digest)) === true;
  let met: ServiceError | undefined;
  const from = sizes[name];
  for (let first = from; ; first = Math.max(1, Math.floor(first / (isAgain ? 8 : 2)))) {
    const path = pathOf(context.settings.base, segments, { first, after, ...query });
    // What failed at the larger size is what the caller must see, not that no time was left for a smaller one.
    const how = { brief: first > 1, ...(isAgain && { turn: 'again' as const }) };
    const outcome = await reader.read({ path, scope, isKnown, ...how }).catch(error => {
      throw error instanceof DeadlineError && met ? met : error;
    });
    if ('value' in outcome) {
      if (first < sizes[name]) {
        if (met) noticeSize(context, name, { error: met, from, to: first });
        sizes[name] = first;
      }
      return outcome.value;
    }
    if (first === 1 || !outcome.mayBeSize) throw await ofItsScope(list, outcome.error);
    met ??= outcome.error;
  }
}

async function ofItsScope<Item>(
  { scope, areOthersAnswered }: List<Item>,
  error: ServiceError,
): Promise<ServiceError> {
  const isAlone = error instanceof ServiceUnreachableError && (await areOthersAnswered?.());
  return isAlone ? error.of(scope) : error;
}

/** What failed with a large page and works with a smaller one may have been too large. After an outage it may not. */
function noticeSize(
  context: Context,
  list: ListName,
  { error, from, to: first }: { error: ServiceError; from: number; to: number },
): void {
  const why = error.message.slice(error.request.length + ': '.length);
  const mayBeOutage =
    error instanceof ServiceUnreachableError ||
    (error instanceof ServiceStatusError && isPassing(error.status));
  const cause = mayBeOutage ? ', because it is too large or an outage ended' : '';
  const message =
    `a page of ${list} failed with first=${from}: ${why}. It was read with first=${first}${cause}; ` +
    `this pass continues with first=${first}`;
  context.notice({ code: `page-size-${list}`, message, list, first });
}

function noticeProperty(context: Context, list: ListName, raw: RawPage): void {
  const property = excerpt(context.secrets.hide(raw.property));
  context.notice({
    code: `list-property-${list}`,
    message: `List ${list}: found under "${property}"`,
    list,
    property,
  });
}

/** A walk keeps a digest of each cursor. The largest list that a run has the time to read is far shorter. */
const MAX_PAGES = 100_000;
/** Some services filter a page after they cut it, so that empty ones may be many; but a list that is nothing
 *  else for so long has no end. */
const MAX_EMPTY_PAGES = 1_000;

/** How far one walk over a list has come: a list without end must not fill the memory, nor the time of every run. */
class Extent {
  readonly #limit: number;
  #bytes = 0;
  #pages = 0;
  #items = 0;
  #emptyInARow = 0;

  /** `limit`: of all answers together, in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws a ServiceAnswerError when this page makes the list too large, or when too many pages came, or too
   *  many empty ones. */
  add(answer: Answer, page: RawPage): void {
    this.#bytes += answer.size;
    this.#pages += 1;
    this.#items += page.items.length;
    this.#emptyInARow = page.items.length === 0 ? this.#emptyInARow + 1 : 0;
    if (this.#bytes > this.#limit) {
      const expected = `a list of at most ${this.#limit} bytes on all its pages, as configuration.md explains`;
      const found = `${this.#bytes} bytes in ${this.#items} items on ${this.#pages} pages`;
      throw answer.wrong({ path: page.path, expected, found });
    }
    if (this.#pages >= MAX_PAGES && page.next !== undefined) {
      const expected = `the end within ${MAX_PAGES} pages`;
      throw answer.wrong({ path: '$.paging.hasNextPage', expected, found: 'true' });
    }
    if (this.#emptyInARow >= MAX_EMPTY_PAGES && page.next !== undefined) {
      const expected = `an item or the end within ${MAX_EMPTY_PAGES} pages`;
      throw answer.wrong({ path: '$.paging.hasNextPage', expected, found: 'true on an empty page, again' });
    }
  }
}

/** A longer cursor does not fit into a URL. */
const MAX_CURSOR = 4_096;

/** A page as it came: its items with the path of their array, and the cursor of the next page, if there is one. */
interface RawPage {
  readonly property: string;
  readonly path: string;
  readonly items: readonly Json[];
  readonly next: string | undefined;
}

/**
 * Reads one page (service-api.md §2.2). `property` is the list's name where it is documented; else it is the one array
 * beside `paging`. Throws a ServiceAnswerError with the path of what is missing or ambiguous.
 */
function readPage(answer: Answer, property: string | undefined): RawPage {
  const { body } = answer;
  if (!isJsonObject(body)) {
    throw answer.wrong({ path: '$', expected: 'an object with a list and paging', found: typeName(body) });
  }
  const name = property ?? onlyArray(answer, body);
  const items = body[name];
  if (!Array.isArray(items)) {
    throw answer.wrong({ path: propertyPath('$', name), expected: 'an array', found: keysOf(body) });
  }
  return { property: name, path: propertyPath('$', name), items, next: readNext(answer, body) };
}

function onlyArray(answer: Answer, body: JsonObject): string {
  const arrays = Object.entries(body).filter(([key, value]) => key !== 'paging' && Array.isArray(value));
  const [first, second] = arrays;
  if (first && !second) return first[0];
  throw answer.wrong({ path: '$', expected: 'exactly one array beside paging', found: keysOf(body) });
}

function readNext(answer: Answer, body: JsonObject): string | undefined {
  const { paging } = body;
  if (!isJsonObject(paging)) {
    throw answer.wrong({
      path: '$.paging',
      expected: 'an object',
      found: `${typeName(paging)} among ${keysOf(body)}`,
    });
  }
  const { hasNextPage, endCursor } = paging;
  if (typeof hasNextPage !== 'boolean') {
    throw answer.wrong({ path: '$.paging.hasNextPage', expected: 'a boolean', found: typeName(hasNextPage) });
  }
  if (!hasNextPage) return undefined;
  if (typeof endCursor !== 'string' || endCursor === '') {
    const found = endCursor === '' ? 'an empty text' : typeName(endCursor);
    throw answer.wrong({ path: '$.paging.endCursor', expected: 'a cursor, as hasNextPage is true', found });
  }
  if (endCursor.length > MAX_CURSOR) {
    const [expected, found] = [`at most ${MAX_CURSOR} characters`, `${endCursor.length}`];
    throw answer.wrong({ path: '$.paging.endCursor', expected, found });
  }
  return endCursor;
}
