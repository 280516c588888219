import type { JsonObject } from '../../basics/json.ts';
import type { AuditPosition } from '../../model/process-state.ts';
import type { Page } from '../../service/service.ts';
import { digest } from '../reading/digest.ts';
import { auditOrder } from './audit-order.ts';
import { FreshEntries } from './fresh-entries.ts';
import { forgotten, remembered } from './seen-entries.ts';

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
