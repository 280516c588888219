import type { JsonObject } from '../json.ts';
import type { Page } from '../service/service.ts';
import type { AuditPosition } from '../snapshots/state.ts';
import { auditOrder } from './audit-order.ts';
import { digest } from './digest.ts';

/** Characters of JSON that are held of new entries: some hundred thousand entries. */
const MOST_FRESH = 64 * 2 ** 20;

/** The pages of one reading of the audit log: what was new in them, and what they tell of its order. Only the first and
 *  the last page are kept: new entries can come nowhere else. */
export class WalkedPages {
  readonly fresh: JsonObject[] = [];
  #room = MOST_FRESH;
  readonly #before: AuditPosition | undefined;
  readonly #known: ReadonlySet<string>;
  #first: Page<JsonObject> | undefined;
  #last: Page<JsonObject> | undefined;
  #grewAtHead = false;
  #grewAtEnd = false;

  constructor(before: AuditPosition | undefined) {
    this.#before = before;
    this.#known = new Set(before?.seen);
  }

  add(page: Page<JsonObject>): void {
    const digests = page.items.map(digest);
    if (this.#before) for (const [index, entry] of page.items.entries()) this.#keep(entry, digests[index]);
    this.#grewAtHead ||= page.after === undefined && this.#startsWithNew(digests);
    this.#grewAtEnd ||= this.#endsWithNew(digests);
    this.#first ??= page;
    this.#last = page;
  }

  #keep(entry: JsonObject, digest: string | undefined): void {
    if (this.#room < 0 || this.#isKnown(digest)) return;
    this.#room -= JSON.stringify(entry).length;
    this.fresh.push(entry);
  }

  /** True when more was new than can be held: `fresh` is a part of it. */
  get isOverfull(): boolean {
    return this.#room < 0;
  }

  #isKnown(digest: string | undefined): boolean {
    return digest !== undefined && this.#known.has(digest);
  }

  /** True when what is new is followed by the entry that was the first: what else stands unseen before known entries was
   *  between the ends that we know, and moved to the head when the oldest entries were purged. */
  #startsWithNew(digests: readonly string[]): boolean {
    const known = digests.findIndex(one => this.#isKnown(one));
    return known > 0 && digests[known] === this.#before?.seen[0];
  }

  /** True when what is new follows the entry that was the last. */
  #endsWithNew(digests: readonly string[]): boolean {
    const known = digests.findLastIndex(one => this.#isKnown(one));
    return known >= 0 && known < digests.length - 1 && digests[known] === this.#before?.seen.at(-1);
  }

  /** Newest-first, everything behind an entry that we know is known. */
  reachesKnown(page: Page<JsonObject>): boolean {
    const last = page.items.at(-1);
    return last === undefined || this.#isKnown(digest(last));
  }

  get isNewestFirst(): boolean {
    return this.#order === 'newest-first';
  }

  get position(): AuditPosition {
    const order = this.#order;
    const ends = {
      'newest-first': [this.#first],
      'oldest-first': [this.#last],
      unknown: [this.#first, this.#last],
    };
    const entries = ends[order].flatMap(page => page?.items ?? []);
    return {
      order,
      tail: order === 'newest-first' ? undefined : this.#last?.after,
      seen: [...new Set(entries.map(digest))],
    };
  }

  get #order(): AuditPosition['order'] {
    if (this.#before && this.#before.order !== 'unknown') return this.#before.order;
    if (this.#grewAtHead !== this.#grewAtEnd) return this.#grewAtHead ? 'newest-first' : 'oldest-first';
    return auditOrder(this.#first?.items ?? []);
  }
}
