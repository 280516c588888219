import { isJsonObject, type JsonObject } from '../../basics/json.ts';
import type { AuditPosition } from '../../model/process-state.ts';
import type { Page } from '../../service/service.ts';
import { digest } from '../reading/digest.ts';
import { factsOf } from './entry-facts.ts';

/** How long before the last reading an entry may have been written, and show up only now. */
const LATE_MS = 10 * 60_000;
/** How far the service's clocks may differ. */
const AHEAD_MS = 5 * 60_000;
/** How many characters of JSON a reading holds of entries that may be new. */
const MAX_BUFFER_BYTES = 32 * 2 ** 20;
/** What an entry takes beside its characters: very many small ones must not fill the memory either. */
const ENTRY_OVERHEAD = 200;
/** How many digests a position has at most: it is kept in one item of the table. */
const MAX_SEEN = 5_000;

/** An entry as a reading shows it. */
interface Item {
  readonly digest: string;
  /** Its index in `seen`; undefined for an unknown entry. */
  readonly place: number | undefined;
  readonly entry: JsonObject;
  /** Of an unknown entry, by its times: written since the last reading, or before it. */
  readonly age: 'new' | 'old' | 'untimed';
}

/** The entries of a reading, compared with the position where the log was left. */
interface Comparison {
  readonly hasKnown: boolean;
  /** True when nothing contradicts the position: known entries are met in the order of `seen`, or a single
   *  one where the log grew, and nothing new stands on their other side. */
  readonly isMet: boolean;
  readonly isReversed: boolean;
  /** True when the last entry of `seen` is the last known one. */
  readonly isPastSeen: boolean;
  /** The entries where the log grows, at its head and at its end; while its order is unknown, those before
   *  and after all that was seen. */
  readonly grown: { readonly atHead: readonly Item[]; readonly atEnd: readonly Item[] };
}

/** @param from the first item of the last walk, which must meet a known entry, too */
function compare({ order, seen }: AuditPosition, items: readonly Item[], from: number): Comparison {
  const isKnown = ({ place }: Item) => place !== undefined;
  const [first, last] = [items.findIndex(isKnown), items.findLastIndex(isKnown)];
  const places = items.flatMap(({ place }) => place ?? []);
  const steps = places.slice(1).map((place, index) => Math.sign(place - (places[index] as number)));
  const direction = steps.reduce((sum, step) => sum + step, 0);
  const isReversed = direction < 0;
  const [firstKnown, lastKnown] = [items[first]?.digest, items[last]?.digest];
  const [begin, end] = isReversed ? [seen.at(-1), seen[0]] : [seen[0], seen.at(-1)];
  const now = isReversed ? REVERSED[order] : order;
  const [before, after] = [items.slice(0, Math.max(first, 0)), items.slice(last + 1)];
  const isOneThatGrew = order === 'newest-first' ? firstKnown === begin : lastKnown === end;
  const otherSide = { 'newest-first': after, 'oldest-first': before, unknown: [] }[order];
  const isInOrder =
    last >= from && (direction > 0 || (direction === 0 && (order === 'unknown' || isOneThatGrew)));
  const grown = {
    'newest-first': { atHead: items.slice(0, Math.max(last, 0)), atEnd: [] },
    'oldest-first': { atHead: [], atEnd: first < 0 ? [] : items.slice(first + 1) },
    unknown: { atHead: firstKnown === begin ? before : [], atEnd: lastKnown === end ? after : [] },
  }[now];
  return {
    hasKnown: first >= 0,
    isMet: seen.length === 0 || (isInOrder && !otherSide.some(({ age }) => age === 'new')),
    isReversed,
    isPastSeen: lastKnown === seen.at(-1),
    grown,
  };
}

/** The pages of one reading of the audit log, compared with the position where the log was left. */
export class LogReading {
  readonly #before: AuditPosition;
  /** True until the log was read to its end once: entries of before are not new. */
  readonly #isFirst: boolean;
  /** Entries with a later time are new; undefined where times can't be compared with the last reading. */
  readonly #newSince: number | undefined;
  readonly #places: ReadonlyMap<string, number>;
  readonly #items: Item[] = [];
  readonly #times = new TimeSample();
  /** The digests of the first two and the last two pages that have entries. */
  readonly #pages: string[][] = [];
  #longestPage = 0;
  #tail: string | undefined;
  #after: string | undefined;
  #room = MAX_BUFFER_BYTES;
  #began: number | undefined;
  #compared: Comparison;
  /** This walk through the pages: its cursor, how many pages it read, the digests of the first one, and its
   *  first item. */
  walk = { start: undefined as string | undefined, pages: 0, first: [] as readonly string[], from: 0 };
  /** True when it ended before the log did, for lack of time or room. */
  isCutShort = false;
  /** When the last page was read, in ms since 1970. */
  readAt = 0;

  /** @param before undefined when the log was never read
   *  @param watermark stands for the time of the last reading where a position of 0.1.0 has none */
  constructor(before: AuditPosition | undefined, watermark: number) {
    this.#before = before ?? { order: 'unknown', tail: undefined, seen: [] };
    const { readAt = watermark, seen, unfinished } = this.#before;
    this.#isFirst = !before || unfinished?.isFirst === true;
    const since = this.#isFirst ? (unfinished?.readAt ?? 0) : readAt;
    this.#newSince = since === 0 ? undefined : this.#isFirst ? since : since - LATE_MS;
    this.#places = new Map(seen.map((one, index) => [one, index]));
    this.#compared = compare(this.#before, [], 0);
  }

  /** To be called before each walk: a log of unknown order is read at its head and at its end. */
  beginWalk(start: string | undefined): void {
    this.walk = { start, pages: 0, first: [], from: this.#items.length };
  }

  add(page: Page<JsonObject>): void {
    const { items: entries, after, clock, readAt } = page;
    const now = clock === 'service' ? readAt : 0;
    const { isMet, hasKnown } = this.#compared;
    // Where nothing shows the log as it was left, an older entry is not a late one.
    let isOldSkipped = !isMet && (hasKnown || this.#before.order === 'oldest-first');
    const items = entries.map(entry => this.#itemOf(entry, now));
    for (const item of items) {
      const { place, age, entry } = item;
      if (place !== undefined) isOldSkipped = false;
      else if (this.#isFirst ? age !== 'new' : age === 'old' && isOldSkipped) continue;
      this.#items.push(item);
      this.#room -= ENTRY_OVERHEAD + (place === undefined ? JSON.stringify(entry).length : 0);
    }
    this.#compared = compare(this.#before, this.#items, this.walk.from);
    this.#times.add(entries);
    const digests = items.map(one => one.digest);
    const { pages, first } = this.walk;
    this.walk = { ...this.walk, pages: pages + 1, first: pages === 0 ? digests : first };
    this.#began ??= now;
    this.#after = after;
    this.readAt = Math.max(this.readAt, readAt);
    if (digests.length === 0) return;
    this.#tail = after;
    this.#longestPage = Math.max(this.#longestPage, digests.length);
    this.#pages.push(digests);
    if (this.#pages.length > 4) this.#pages.splice(2, 1);
  }

  #itemOf(entry: JsonObject, now: number): Item {
    const one = digest(entry);
    const place = this.#places.get(one);
    // Without a `Date` header our clock may be wrong.
    const isTimed = place === undefined && now > 0 && this.#newSince !== undefined;
    const time = isTimed ? factsOf(entry, now + AHEAD_MS).time?.last : undefined;
    const age = time === undefined ? 'untimed' : time >= (this.#newSince ?? 0) ? 'new' : 'old';
    return { digest: one, place, entry, age };
  }

  get isMet(): boolean {
    return this.#compared.isMet;
  }

  /** True when the buffer is full. */
  get isFull(): boolean {
    return this.#room < 0;
  }

  /** True when a walk from the head may end here: what follows is not new, or is read from the end. */
  get isReadFromHead(): boolean {
    const { order, tail } = this.#before;
    const { isMet, hasKnown, isPastSeen } = this.#compared;
    if (this.#isFirst) return this.#times.isLarge && this.#times.order === 'newest-first';
    if (!isMet || !hasKnown) return false;
    // Beyond the last one of `seen`, known entries are not remembered.
    return order === 'newest-first'
      ? isPastSeen || this.#items.at(-1)?.place !== undefined
      : order === 'unknown' && tail !== undefined;
  }

  /** True when the page that an earlier pass read last has other entries by now: in an oldest-first log, old
   *  ones were purged, and others skipped. */
  get hasLostPlace(): boolean {
    const { order, unfinished } = this.#before;
    if (order !== 'oldest-first' || unfinished?.after === undefined) return false;
    return new Set(this.walk.first).isDisjointFrom(new Set(unfinished.seen));
  }

  /** The order of the log: as it was, unless that was unknown or this reading contradicts it. */
  get order(): Order {
    const { order } = this.#before;
    const { isMet, hasKnown, isReversed, grown } = this.#compared;
    const byTimes = this.#times.order;
    if (isMet || (this.isCutShort && !hasKnown)) {
      if (order !== 'unknown') return order;
      const [atHead, atEnd] = [grown.atHead, grown.atEnd].map(side => hasKnown && side.length > 0);
      return atHead === atEnd ? byTimes : atHead ? 'newest-first' : 'oldest-first';
    }
    if (byTimes !== 'unknown') return byTimes;
    return isReversed ? REVERSED[order] : order;
  }

  /** True when a later pass must continue from here. */
  get #isUnfinished(): boolean {
    const { isMet, hasKnown, isPastSeen } = this.#compared;
    if (!this.isCutShort) return false;
    return !hasKnown || (this.order !== 'newest-first' && !(isMet && isPastSeen));
  }

  /** The new entries by their digests, the oldest first as far as the order is known. Where the log stands as
   *  it was left, those on the side where it grows are new, whatever their times: entries may show up late.
   *  In a log that contradicts its position, an older one is not new. */
  get newEntries(): ReadonlyMap<string, JsonObject> {
    const { isMet, hasKnown, grown } = this.#compared;
    const { order, seen } = this.#before;
    // All that was seen is purged, or comes later.
    const isAllNew = !hasKnown && (!this.#isUnfinished || order === 'newest-first' || seen.length === 0);
    const grownItems = new Set(isAllNew ? this.#items : [...grown.atHead, ...grown.atEnd]);
    const found = this.#items.filter(
      item =>
        item.place === undefined &&
        (item.age === 'new' || (grownItems.has(item) && (isMet || item.age === 'untimed'))),
    );
    if (this.order === 'newest-first') found.reverse();
    return new Map(found.map(item => [item.digest, item.entry]));
  }

  /** The position after this reading; `before` itself if the log is as it was. */
  get position(): AuditPosition {
    const { readAt, unfinished, ...before } = this.#before;
    const { order } = this;
    const head = unfinished?.seen ?? this.#pages.slice(0, 2).flat().slice(0, MAX_SEEN);
    const began = unfinished?.readAt ?? this.#began ?? 0;
    const isReversed = this.#compared.isReversed || (order !== 'unknown' && order === REVERSED[before.order]);
    const seen = isReversed ? before.seen.toReversed() : before.seen;
    // While this or an earlier pass read its head, it was not known to be newest-first: all above `seen` is read again.
    const isInParts = unfinished !== undefined || this.#isUnfinished;
    if (isInParts && !this.#isFirst && order === 'newest-first' && before.order !== order)
      return { order, tail: undefined, seen, readAt: readAt ?? began };
    if (this.#isUnfinished) {
      const last = (this.#pages.at(-1) ?? []).slice(-MAX_SEEN);
      const place = { after: this.#after, seen: order === 'oldest-first' ? last : head, readAt: began };
      return { ...this.#before, order, seen, unfinished: { ...place, isFirst: this.#isFirst } };
    }
    const tail = order === 'newest-first' ? undefined : this.#tail;
    const now = { order, tail, seen: this.#remembered(order, head) };
    const isSame =
      JSON.stringify(now) === JSON.stringify({ order: before.order, tail: before.tail, seen: before.seen });
    if (isSame && readAt !== undefined && !unfinished) return this.#before;
    // What is left to read may be older than this reading.
    return { ...now, readAt: this.isCutShort ? (readAt ?? began) : began };
  }

  /** The digests to remember: of the latest two pages, also when this reading had only the last of them;
   *  while the order is unknown, of the pages at both ends. */
  #remembered(order: Order, head: readonly string[]): string[] {
    const before = this.isMet && order === this.#before.order ? this.#before.seen : [];
    const limit = Math.min(MAX_SEEN, Math.max(2 * this.#longestPage, before.length));
    if (order === 'newest-first') return [...new Set([...head, ...before])].slice(0, limit);
    if (order === 'oldest-first') {
      const latest = [...before, ...this.#pages.slice(-2).flat()].reverse();
      return [...new Set(latest)].slice(0, limit).reverse();
    }
    const last = this.#pages.at(-1) ?? [];
    const first = this.#before.unfinished ? head : this.#pages.length > 1 ? (this.#pages[0] ?? []) : [];
    const ends = [...first, ...last];
    return ends.length <= limit ? ends : [...ends.slice(0, limit / 2), ...ends.slice(-limit / 2)];
  }
}

type Order = AuditPosition['order'];

/** The order of a log that was turned around. */
const REVERSED: Readonly<Record<Order, Order>> = {
  'newest-first': 'oldest-first',
  'oldest-first': 'newest-first',
  unknown: 'unknown',
};

/** Fewer entries could be in order by coincidence. */
const MIN_ENTRIES = 5;
/** At least this many entries of a longer log are compared, and at most twice as many. */
const SAMPLE = 100;

/** The times in entries from all pages of a log, evenly spread over them. */
export class TimeSample {
  #times: Times[] = [];
  #count = 0;
  #every = 1;

  add(entries: readonly JsonObject[]): void {
    for (const entry of entries) {
      if (this.#count++ % this.#every === 0) this.#times.push(timesIn(entry));
      if (this.#times.length <= 2 * SAMPLE) continue;
      this.#times = this.#times.filter((_, index) => index % 2 === 0);
      this.#every *= 2;
    }
  }

  /** True when coincidence is ruled out. */
  get isLarge(): boolean {
    return this.#times.length >= SAMPLE;
  }

  /** The order of the log by these times. Entry fields are undocumented (service-api.md §2.4), so each
   *  property, also a nested one, that holds a time in all entries is compared: `unknown` if they disagree,
   *  without any, or if there are too few entries. */
  get order(): Order {
    const [first = new Map()] = this.#times;
    if (this.#times.length < MIN_ENTRIES) return 'unknown';
    const orders = [...first.keys()].map(path => orderAt(path, this.#times));
    const [one = 'unknown', ...others] = new Set(orders.filter(order => order !== undefined));
    return others.length === 0 ? one : 'unknown';
  }
}

/** In ms since 1970, or in another unit that grows with time, by the path of the property. */
type Times = ReadonlyMap<string, number>;

/** Undefined for a property that does not hold a time in all entries, or the same one in all. */
function orderAt(path: string, all: readonly Times[]): Order | undefined {
  const times = all.map(each => each.get(path) ?? Number.NaN);
  const steps = times.slice(1).map((time, index) => time - (times[index] as number));
  if (steps.some(Number.isNaN) || steps.every(step => step === 0)) return undefined;
  if (steps.every(step => step >= 0)) return 'oldest-first';
  return steps.every(step => step <= 0) ? 'newest-first' : 'unknown';
}

/** Down to two levels of nesting: services put no times deeper. */
function timesIn(entry: JsonObject, prefix: readonly string[] = []): Map<string, number> {
  const times = new Map<string, number>();
  for (const [name, value] of Object.entries(entry)) {
    const path = [...prefix, name];
    const time = asTime(value);
    if (time !== undefined) times.set(JSON.stringify(path), time);
    if (isJsonObject(value) && prefix.length < 2)
      for (const [inner, found] of timesIn(value, path)) times.set(inner, found);
  }
  return times;
}

function asTime(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 1e9 && value < 1e14 ? value : undefined;
  if (typeof value !== 'string' || !/\d-\d{2}-\d{2}T\d{2}:/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}
