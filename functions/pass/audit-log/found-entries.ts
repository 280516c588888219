import { hash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../../basics/json.ts';
import { canonicalJson } from '../../changes/equal.ts';
import type { AuditPosition } from '../../model/process-state.ts';
import type { Page } from '../../service/service.ts';
import type { PassContext } from '../context/context.ts';
import { digest } from '../reading/digest.ts';
import { type LogEntry, PlacedEntries } from './placed-entries.ts';
import type { Onlooker } from './walk-log.ts';
import { serviceTime, WalkedPages } from './walked-pages.ts';

/** The order of a log that was turned around. */
const TURNED = { 'newest-first': 'oldest-first', 'oldest-first': 'newest-first' } as const;
/** After so many passes that were cut short, and came no further, the log is left at its head: its entries may have another form now, so that none
 *  that was seen is ever met again. */
const MOST_CUTS = 100;
/** How long before the last reading an entry may have been written, and show up only now. */
const LATE_MS = 10 * 60_000;

/** The entries of a log that are new and were not told, over several readings of it. */
export class FoundEntries implements Onlooker {
  readonly #context: PassContext;
  readonly #before: AuditPosition;
  readonly #seen: ReadonlySet<string>;
  readonly #found = new Map<string, LogEntry>();
  #walks: PlacedEntries[] = [];
  /** The pages of this reading, as if nothing was known of the log. */
  #afresh = new WalkedPages(undefined);
  #pages = 0;
  #isLong = false;
  #readAt = Number.POSITIVE_INFINITY;
  /** Whether the order was turned around; undefined while nothing tells that. */
  #isTurned: boolean | undefined;
  /** That of the entry that was read last. */
  #lastAge: LogEntry['age'] = 'unknown';
  isOverfull = false;

  constructor(context: PassContext, before: AuditPosition) {
    this.#context = context;
    this.#before = before;
    this.#seen = new Set(before.seen);
  }

  begin(): void {
    if (this.#walks.length === 0) this.#afresh = new WalkedPages(undefined);
    this.#afresh.begin();
    this.#walks.push(new PlacedEntries());
    this.#pages = 0;
  }

  async see(page: Page<JsonObject>): Promise<void> {
    const { items } = page;
    const readAt = serviceTime(page);
    this.#afresh.add(page);
    const walk = this.#walks.at(-1) as PlacedEntries;
    this.#readAt = Math.min(this.#readAt, readAt);
    this.#isLong ||= ++this.#pages > 1;
    const last = items.at(-1);
    if (last) this.#lastAge = this.#ageOf(last, readAt);
    const digests = items.map(digest);
    const others = items.filter((_, index) => !this.#seen.has(digests[index] as string));
    const ids = new Map(others.map(entry => [entry, entryId(entry)]));
    const { snapshots, process } = this.#context;
    const told = ids.size > 0 ? await snapshots.toldEntries(process, ids.values()) : new Set();
    for (const [index, entry] of items.entries()) {
      const id = ids.get(entry);
      if (id === undefined) walk.meet(digests[index] as string);
      else if (!told.has(id)) walk.add({ id, entry, age: this.#ageOf(entry, readAt) });
    }
  }

  /** True when the log was met where it was left: at several seen entries in the order of then, or at the one beyond which it grows. A
   *  time before the last reading is no reason to doubt that, because entries may show up late; it is where no second seen entry can
   *  tell that the log was turned around. So is what is new on the other side, and the last entry of a page that had several: the log may
   *  have been turned around, and the others purged. */
  get isMet(): boolean {
    const { order, seen, tail } = this.#before;
    const walk = this.#walks.at(-1);
    if (seen.length === 0) return true;
    const hasOld = () => this.#walks.some(each => each.hasOld({ order, seen }));
    if (order === 'unknown') return (tail === undefined || walk?.first !== undefined) && !hasOld();
    if (walk?.first !== walk?.last) return seen.indexOf(walk?.first ?? '') < seen.indexOf(walk?.last ?? '');
    const end = order === 'newest-first' ? seen[0] : seen.at(-1);
    const hasNewAside = this.#walks.some(each => each.hasNewAside({ order, seen }));
    if (walk?.first !== end || hasNewAside) return false;
    return seen.length > 1 ? order === 'newest-first' : !hasOld();
  }

  /** Ends a reading, and takes what it found. `isMore`: that was more than before; `isLong`: it took several pages at once. */
  take(isWhole: boolean): { readonly isMore: boolean; readonly isLong: boolean } {
    const [before, isLong] = [this.#found.size, this.#isLong];
    const met = this.#walks.filter(({ first }) => first !== undefined);
    const isNothingSeen = met.length === 0;
    if (isWhole) this.#isTurned ??= this.#turnedIn(met);
    const order = this.#order ?? this.#before.order;
    const left = { order, seen: this.#before.seen, isInDoubt: isWhole && this.#isTurned !== false };
    for (const walk of this.#walks) {
      const { entries, isOverfull } = walk.newOnes({ ...left, isNothingSeen });
      for (const one of entries) this.#found.set(one.id, one);
      this.isOverfull ||= isOverfull;
    }
    this.#drop();
    return { isMore: this.#found.size > before, isLong };
  }

  /** Ends a reading that says little of where its entries belong, and takes those whose times say that they are new. */
  takeTimed(): void {
    for (const walk of this.#walks) for (const one of walk.timed) this.#found.set(one.id, one);
    this.#drop();
  }

  /** The position after a reading, with its time; if it is the one before, with the time of the reading that first found it. That of a
   *  reading of the whole log rests on nothing that was known, but for its order where its times don't tell that. */
  leftAt(walked: WalkedPages, isWhole: boolean): AuditPosition {
    const { readAt: _, ...before } = this.#before;
    const { position } = isWhole ? this.#afresh : walked;
    const order = isWhole && position.order === 'unknown' ? this.#order : undefined;
    const left = order ? this.#afresh.positionIn(order) : position;
    return JSON.stringify(left) === JSON.stringify(before) ? this.#before : { ...left, readAt: this.#readAt };
  }

  /** The position after a reading that did not meet the log where it was left; `left`: that after the readings before. Where one of a newest-first log
   *  was cut short before it came to old entries, there may be more new ones: they are still to be read, by a reading that passes over what
   *  this one met, if all of that is told now. */
  leftUnmet(walked: WalkedPages, left: AuditPosition): AuditPosition {
    const isInMidst = this.#before.order === 'newest-first' && walked.isCutShort && this.#lastAge !== 'old';
    if (!isInMidst) return this.leftAt(walked, false);
    // The reading before this one met the log.
    if (left !== this.#before) return left;
    const { head, tail } = walked.ends;
    const isTold = tail !== undefined && this.#walks.every(({ isTimed }) => isTimed);
    if (isTold && tail !== left.tail) return { ...left, head, tail, cuts: undefined };
    const { cuts = 0 } = left;
    return cuts < MOST_CUTS ? { ...left, cuts: cuts + 1 } : this.leftAt(walked, false);
  }

  /** The log's order now: as it was left, or turned around. Undefined while that is unknown. */
  get #order(): 'newest-first' | 'oldest-first' | undefined {
    const { order } = this.#before;
    if (order === 'unknown' || this.#isTurned === undefined) return undefined;
    return this.#isTurned ? TURNED[order] : order;
  }

  /** Whether the order was turned around, as a walk tells that met two entries that were seen, or else the times in the whole log. */
  #turnedIn(met: readonly PlacedEntries[]): boolean | undefined {
    const { order, seen } = this.#before;
    const directed = met.find(({ first, last }) => first !== last);
    if (directed) return seen.indexOf(directed.first ?? '') > seen.indexOf(directed.last ?? '');
    const now = this.#afresh.position.order;
    return now === 'unknown' || order === 'unknown' ? undefined : now !== order;
  }

  #drop(): void {
    this.#walks = [];
    this.#isLong = false;
  }

  get entries(): readonly LogEntry[] {
    return [...this.#found.values()];
  }

  #ageOf(entry: JsonObject, now: number): LogEntry['age'] {
    const { readAt = this.#context.before.watermark } = this.#before;
    const isTimed = now > 0 && readAt > 0;
    const time = isTimed ? latestTime(entry, now) : undefined;
    if (time === undefined) return 'unknown';
    return time >= readAt - LATE_MS ? 'new' : 'old';
  }
}

/** 128 bits of SHA-256 over the JSON, its keys sorted: an entry is the same one whatever the order in which its keys come. */
function entryId(entry: JsonObject): string {
  return hash('sha256', canonicalJson(entry), 'hex').slice(0, 32);
}

/** How far the service's clocks may differ. */
const AHEAD_MS = 5 * 60_000;
/** Services put an entry's time no deeper. */
const LEVELS = 3;
/** Epoch times between 2001 and 2286, in s and in ms. */
const [SECONDS, MILLISECONDS] = [1e9, 1e12];

/** The latest time that an audit entry carries, in ms since 1970: an ISO timestamp with a zone, or a number of seconds or milliseconds.
 *  Times after `now` are no times at which it was written. Undefined without any. */
export function latestTime(entry: JsonObject, now: number): number | undefined {
  const times = timesIn(entry, LEVELS).filter(time => time <= now + AHEAD_MS);
  return times.length > 0 ? times.reduce((one, other) => Math.max(one, other)) : undefined;
}

function timesIn(value: Json, levels: number): number[] {
  if (isJsonObject(value))
    return levels > 0 ? Object.values(value).flatMap(each => timesIn(each, levels - 1)) : [];
  const time = typeof value === 'number' ? ofEpoch(value) : typeof value === 'string' ? ofText(value) : NaN;
  return Number.isNaN(time) ? [] : [time];
}

function ofEpoch(value: number): number {
  if (value > SECONDS && value < SECONDS * 10) return value * 1_000;
  return value > MILLISECONDS && value < MILLISECONDS * 10 ? value : Number.NaN;
}

function ofText(value: string): number {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:.*(Z|[+-]\d{2}:?\d{2})$/.test(value) ? Date.parse(value) : Number.NaN;
}
