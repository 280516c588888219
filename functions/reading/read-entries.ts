import { hash } from 'node:crypto';
import type { JsonObject } from '../basics/json.ts';
import { canonicalJson } from '../changes/canonical.ts';
import type { Page } from '../service/service.ts';
import type { AuditPosition } from '../snapshots/state.ts';
import type { AuditRead } from './audit-read.ts';
import { digest } from './digest.ts';
import { latestTime } from './latest-time.ts';
import { type LogEntry, PlacedEntries } from './placed-entries.ts';
import type { Reader } from './reader.ts';
import { type Onlooker, walkLog } from './walk-log.ts';

/** How often the log is read until a reading brings nothing new. */
const READINGS = 5;
/** How long before the last pass an entry may have been written, and show up only now. */
const LATE_MS = 10 * 60_000;

/** Reads the log so that each entry that is new since `before` is found, to be told (docs/decisions/0114). The log is read from its
 *  beginning if the page where it ended has none of the entries that it had, or can't be had any more (`isTailLost`). What takes several
 *  pages is read again until that brings nothing new, because entries may move to a page that was read already. */
export async function readEntries(
  reader: Reader,
  before: AuditPosition,
  isTailLost = false,
): Promise<AuditRead> {
  const found = new FoundEntries(reader, before);
  const fresh: JsonObject[] = [];
  let from = isTailLost ? { ...before, tail: undefined } : before;
  for (let readings = 0; ; ) {
    const walked = await walkLog(reader, from, found);
    fresh.push(...walked.fresh);
    if (before.order !== 'newest-first' && from.tail !== undefined && !found.hasTail) {
      from = { ...before, tail: undefined };
      found.drop();
      continue;
    }
    readings += 1;
    const { isMore, isLong } = found.take();
    if (isLong && (isMore || readings === 1) && readings < READINGS) continue;
    // What there was no room for is read again by the next pass; what was told until then no longer takes room.
    const position = found.isOverfull ? before : walked.position;
    const untold = before.order === 'newest-first' ? found.entries.toReversed() : found.entries;
    return { entries: fresh, readAt: walked.readAt, untold, position };
  }
}

/** The entries of a log that are new and were not told, over several readings of it. */
class FoundEntries implements Onlooker {
  readonly #reader: Reader;
  readonly #before: AuditPosition;
  readonly #seen: ReadonlySet<string>;
  readonly #found = new Map<string, LogEntry>();
  #walks: PlacedEntries[] = [];
  #pages = 0;
  #isLong = false;
  isOverfull = false;

  constructor(reader: Reader, before: AuditPosition) {
    this.#reader = reader;
    this.#before = before;
    this.#seen = new Set(before.seen);
  }

  begin(): void {
    this.#walks.push(new PlacedEntries(this.#before));
    this.#pages = 0;
  }

  async see({ items, readAt }: Page<JsonObject>): Promise<void> {
    const walk = this.#walks.at(-1) as PlacedEntries;
    this.#isLong ||= ++this.#pages > 1;
    const digests = items.map(digest);
    const others = items.filter((_, index) => !this.#seen.has(digests[index] as string));
    const ids = new Map(others.map(entry => [entry, entryId(entry)]));
    const { snapshots, process } = this.#reader.parts;
    const told = ids.size > 0 ? await snapshots.toldEntries(process, ids.values()) : new Set();
    for (const [index, entry] of items.entries()) {
      const id = ids.get(entry);
      if (id === undefined) walk.meet(digests[index] as string);
      else if (!told.has(id)) walk.add({ id, entry, age: this.#ageOf(entry, readAt) });
    }
  }

  /** True when the last walk, that from the page where the log ended, has met an entry that was seen. */
  get hasTail(): boolean {
    return this.#walks.at(-1)?.meetsSeen === true;
  }

  /** Ends a reading, and takes what it found. `isMore`: that was more than before; `isLong`: it took several pages at once. */
  take(): { readonly isMore: boolean; readonly isLong: boolean } {
    const [before, isLong] = [this.#found.size, this.#isLong];
    const isNothingSeen = !this.#walks.some(walk => walk.meetsSeen);
    for (const walk of this.#walks) {
      const { entries, isOverfull } = walk.newOnes(isNothingSeen);
      for (const one of entries) this.#found.set(one.id, one);
      this.isOverfull ||= isOverfull;
    }
    this.drop();
    return { isMore: this.#found.size > before, isLong };
  }

  /** Ends a reading that was in vain. */
  drop(): void {
    this.#walks = [];
    this.#isLong = false;
  }

  get entries(): readonly LogEntry[] {
    return [...this.#found.values()];
  }

  #ageOf(entry: JsonObject, now: number): LogEntry['age'] {
    const time = latestTime(entry, now);
    if (time === undefined) return 'unknown';
    return time >= this.#reader.state.watermark - LATE_MS ? 'new' : 'old';
  }
}

/** 128 bits of SHA-256 over the JSON, its keys sorted: an entry is the same one whatever the order in which its keys come. */
function entryId(entry: JsonObject): string {
  return hash('sha256', canonicalJson(entry), 'hex').slice(0, 32);
}
