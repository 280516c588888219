import { isJsonObject, type JsonObject } from '../../basics/json.ts';
import type { AuditPosition } from '../../model/process-state.ts';
import type { Page } from '../../service/service.ts';
import { digest } from '../reading/digest.ts';
import { FreshEntries } from './fresh-entries.ts';

/** How many entries are looked at for the order. */
const SAMPLE = 100;

/** Collects the pages of one reading of the audit log: their new entries, and the order of the log as far as they show it.
 *  Only the first and the last page are kept, because new entries appear only there. */
export class WalkedPages {
  readonly #fresh: FreshEntries;
  /** True when time was up before the reading came to its end. */
  isCutShort = false;
  /** When the page that was read last was read, in ms since 1970. */
  readAt = 0;
  readonly #before: AuditPosition | undefined;
  readonly #known: ReadonlySet<string>;
  /** The digests of the first and the last known entry. */
  readonly #ends: readonly [first: string | undefined, last: string | undefined];
  #first: Page<JsonObject> | undefined;
  #last: Page<JsonObject> | undefined;
  // Stryker disable next-line BooleanLiteral: it is asked for behind a page alone
  #reachesKnown = false;
  #grewAtHead = false;
  /** The first entries of the first walk, up to where their times show the order. */
  readonly #sample: JsonObject[] = [];
  #timeOrder: AuditPosition['order'] = 'unknown';
  #walks = 0;
  /** Of this walk: whether it began at the head, which known entry it met last, and whether it met new ones since. */
  #isFromHead = false;
  #lastKnown: string | undefined;
  #hasNew = false;
  #head: string | undefined;
  #reachesHead = false;

  /** @param fresh collects the new entries of several readings */
  constructor(before: AuditPosition | undefined, fresh = new FreshEntries()) {
    this.#before = before;
    this.#fresh = fresh;
    this.#known = new Set(before?.seen);
    this.#ends = [before?.seen[0], before?.seen.at(-1)];
  }

  /** To be called before each walk: a reading may walk from both ends of the log. */
  begin(): void {
    this.#walks += 1;
    this.#isFromHead = false;
    this.#lastKnown = undefined;
    this.#hasNew = false;
  }

  add(page: Page<JsonObject>): void {
    const digests = page.items.map(digest);
    if (this.#before) this.#keepNew(page.items, this.#before, digests);
    this.#isFromHead ||= page.after === undefined;
    this.#findGrowth(digests);
    this.#findTimeOrder(page.items);
    this.#head ??= digests[0];
    this.#reachesHead ||= digests.some(one => one === this.#before?.head);
    this.#first ??= page;
    this.#last = page;
    this.readAt = Math.max(this.readAt, page.readAt);
  }

  #keepNew(entries: readonly JsonObject[], before: AuditPosition, digests: readonly string[]): void {
    const [from, to] = forgotten(before, digests);
    const isNew = digests.map((one, index) => !this.#known.has(one) && !(index >= from && index < to));
    this.#reachesKnown = isNew.at(-1) !== true;
    for (const [index, entry] of entries.entries()) {
      if (isNew[index]) this.#fresh.add(digests[index] as string, entry);
    }
  }

  /** True when there were more new entries than can be held: `fresh` has only some of them. */
  get isOverfull(): boolean {
    return this.#fresh.isOverfull;
  }

  get fresh(): readonly JsonObject[] {
    return this.#fresh.all;
  }

  /** The log grew at its head when new entries stand directly before the entry that was the first one. Unknown entries before another
   *  known entry are old ones from between the two known ends, which moved to the head when the oldest entries were purged. */
  #findGrowth(digests: readonly string[]): void {
    const [first] = this.#ends;
    for (const one of digests) {
      if (this.#known.has(one)) {
        this.#grewAtHead ||=
          this.#isFromHead && this.#hasNew && this.#lastKnown === undefined && one === first;
        this.#lastKnown = one;
        this.#hasNew = false;
      } else this.#hasNew = true;
    }
  }

  /** True when new entries stand directly after the entry that was the last one. */
  get #grewAtEnd(): boolean {
    return this.#hasNew && this.#lastKnown !== undefined && this.#lastKnown === this.#ends[1];
  }

  #findTimeOrder(entries: readonly JsonObject[]): void {
    const isKnown = this.#before !== undefined && this.#before.order !== 'unknown';
    if (isKnown || this.#timeOrder !== 'unknown' || this.#walks > 1 || this.#sample.length >= SAMPLE) return;
    this.#sample.push(...entries.slice(0, SAMPLE - this.#sample.length));
    this.#timeOrder = auditOrder(this.#sample);
  }

  /** True when the last page read ends with a known entry, or is empty: in a newest-first log all later pages are known. */
  get reachesKnown(): boolean {
    return this.#reachesKnown;
  }

  /** True when what follows was told already, by a reading that was cut short there, up to the page of `tail`. */
  get reachesHead(): boolean {
    return this.#reachesHead;
  }

  /** The first entry, and the cursor of the last page. */
  get ends(): Pick<AuditPosition, 'head' | 'tail'> {
    return { head: this.#head, tail: this.#last?.after };
  }

  /** When the reading began, by the service's clock; 0 where it doesn't tell. */
  get beganAt(): number | undefined {
    return this.#first && serviceTime(this.#first);
  }

  get isNewestFirst(): boolean {
    return this.#order === 'newest-first';
  }

  get position(): AuditPosition {
    return this.positionIn(this.#order);
  }

  /** The position in a log of this order: only what stands where such a log grows is remembered. */
  positionIn(order: AuditPosition['order']): AuditPosition {
    const ends = {
      'newest-first': [this.#first],
      'oldest-first': [this.#last],
      unknown: [this.#first, this.#last],
    };
    const entries = ends[order].flatMap(page => page?.items ?? []);
    return {
      order,
      tail: order === 'newest-first' ? undefined : this.#last?.after,
      ...remembered(order, entries.map(digest)),
    };
  }

  get #order(): AuditPosition['order'] {
    if (this.#before && this.#before.order !== 'unknown') return this.#before.order;
    if (this.#grewAtHead !== this.#grewAtEnd) return this.#grewAtHead ? 'newest-first' : 'oldest-first';
    return this.#timeOrder;
  }
}

/** When a page was read, by the service's clock, in ms since 1970; 0 where only ours tells: the times in a log can't be compared with
 *  that. */
export function serviceTime({ clock, readAt }: Page<JsonObject>): number {
  return clock === 'service' ? readAt : 0;
}

type Order = AuditPosition['order'];

/** Fewer entries could be in order by coincidence, and an order that was once found is never revised. */
const FEWEST = 5;

/** The order of audit entries, found by their timestamps. Entry fields are undocumented (service-api.md §2.4), so each
 *  property, also a nested one, that holds a time in all entries is examined. The order is unknown if these
 *  properties disagree, if there are none, or if there are too few entries. */
export function auditOrder(entries: readonly JsonObject[]): Order {
  const [first = {}] = entries;
  if (entries.length < FEWEST) return 'unknown';
  const verdicts = paths(first).map(path => verdict(entries.map(entry => timeAt(entry, path))));
  const [one = 'unknown', ...others] = new Set(verdicts.filter(order => order !== undefined));
  return others.length === 0 ? one : 'unknown';
}

function verdict(times: readonly (number | undefined)[]): Order | undefined {
  const steps = times.slice(1).map((time, index) => (time ?? Number.NaN) - (times[index] ?? Number.NaN));
  if (steps.some(Number.isNaN) || steps.every(step => step === 0)) return undefined;
  if (steps.every(step => step >= 0)) return 'oldest-first';
  return steps.every(step => step <= 0) ? 'newest-first' : 'unknown';
}

/** The paths of an entry's properties, down to two levels of nesting: services put no times deeper. */
function paths(entry: JsonObject, prefix: readonly string[] = []): string[][] {
  return Object.keys(entry).flatMap(name => {
    const path = [...prefix, name];
    const value = entry[name];
    return isJsonObject(value) && prefix.length < 2 ? paths(value, path) : [path];
  });
}

function timeAt(entry: JsonObject, path: readonly string[]): number | undefined {
  const value = path.reduce<unknown>(
    (object, name) => (isJsonObject(object) && Object.hasOwn(object, name) ? object[name] : undefined),
    entry,
  );
  return asTime(value);
}

function asTime(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 1e9 && value < 1e14 ? value : undefined;
  if (typeof value !== 'string' || !/\d-\d{2}-\d{2}T\d{2}:/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

/** How many digests are remembered at most: they stand in one item of the table. */
const MOST = 5_000;

/** How many of these are of the first entries of the log; the others are of its last entries. */
const OF_HEAD = { 'newest-first': MOST, 'oldest-first': 0, unknown: MOST / 2 };

/** Which of `digests` to remember: those of the pages where new entries may appear, in the order of the log. A page may have any
 *  length; if there are too many for the item, only those next to where new entries appear are remembered. */
export function remembered(
  order: AuditPosition['order'],
  digests: readonly string[],
): Pick<AuditPosition, 'seen' | 'isCut'> {
  const all = [...new Set(digests)];
  if (all.length <= MOST) return { seen: all };
  const [head, end] = [OF_HEAD[order], digests.length - MOST + OF_HEAD[order]];
  return { seen: [...digests.slice(0, head), ...digests.slice(end)], isCut: true };
}

/** The range of a page's entries (`to` excluded) that were seen, but not remembered because there were too many: they stand
 *  after the remembered first entries and before the remembered last ones. */
export function forgotten(
  { order, seen, isCut = false }: AuditPosition,
  digests: readonly string[],
): readonly [from: number, to: number] {
  if (!isCut) return [0, 0];
  const [head, end] = [seen.slice(0, OF_HEAD[order]), seen.slice(OF_HEAD[order])];
  // Equal entries may occur several times: of the first entries the first occurrence counts, of the last ones the last.
  const [first, last] = [new Map<string, number>(), new Map<string, number>()];
  for (const [index, one] of digests.entries()) {
    if (!first.has(one)) first.set(one, index);
    last.set(one, index);
  }
  const from = head.reduce((most, one) => Math.max(most, (first.get(one) ?? -1) + 1), 0);
  const to = end.reduce((least, one) => Math.min(least, last.get(one) ?? least), digests.length);
  return from === 0 && to === digests.length ? [0, 0] : [from, to];
}
