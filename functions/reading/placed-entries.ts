import type { JsonObject } from '../basics/json.ts';
import type { AuditPosition } from '../snapshots/state.ts';

/** An entry of the audit log that may be told. */
export interface LogEntry {
  /** Its digest, whatever the order of its keys. */
  readonly id: string;
  readonly entry: JsonObject;
  /** When it was written, as far as it says so: `new` if after what was last read, `old` if before. */
  readonly age: 'new' | 'old' | 'unknown';
}

/** How many characters of JSON each list holds. */
const MOST = 16 * 2 ** 20;

/** A list that holds as many entries as there is room for. */
class Held {
  readonly entries: LogEntry[] = [];
  #room = MOST;
  isOverfull = false;

  add(one: LogEntry): void {
    this.#room -= JSON.stringify(one.entry).length;
    if (this.#room < 0) this.isOverfull = true;
    else this.entries.push(one);
  }
}

/** The entries of one walk over the log that are not among those last seen, by where they stand: before the first of these, between
 *  them, or behind the last of them. */
export class PlacedEntries {
  readonly #before: AuditPosition;
  readonly #head = new Held();
  readonly #inside = new Held();
  #end = new Held();
  #first: string | undefined;
  #last: string | undefined;

  constructor(before: AuditPosition) {
    this.#before = before;
  }

  /** The next entry is one of those last seen, with this digest. */
  meet(seen: string): void {
    for (const one of this.#end.entries) this.#inside.add(one);
    this.#inside.isOverfull ||= this.#end.isOverfull;
    this.#end = new Held();
    this.#first ??= seen;
    this.#last = seen;
  }

  /** The next entry is none of those. */
  add(one: LogEntry): void {
    (this.#first === undefined ? this.#head : this.#end).add(one);
  }

  get meetsSeen(): boolean {
    return this.#first !== undefined;
  }

  /** The entries that are new, and whether there were more of them than could be held. Those on the side where the log grows are, whatever
   *  they say; of others, those that say so: they may have shown up by an order that changed, a larger page, or a purge that moved them
   *  there. `isNothingSeen`: no walk met any that was seen. Then the log was purged beyond them, and what says no time is new as well. */
  newOnes(isNothingSeen: boolean): { readonly entries: readonly LogEntry[]; readonly isOverfull: boolean } {
    const lists = [this.#head, this.#inside, this.#end];
    const grown = this.#grown;
    const isNew = (list: Held, { age }: LogEntry) =>
      grown.includes(list) || age === 'new' || (isNothingSeen && age === 'unknown');
    return {
      entries: lists.flatMap(list => list.entries.filter(one => isNew(list, one))),
      isOverfull: (isNothingSeen ? lists : grown).some(({ isOverfull }) => isOverfull),
    };
  }

  /** The lists on the side where the log grows. While its order is unknown that may be either side, beyond the outermost entry seen. */
  get #grown(): readonly Held[] {
    const { order, seen } = this.#before;
    if (!this.meetsSeen) return [];
    if (order === 'newest-first') return [this.#head, this.#inside];
    if (order === 'oldest-first') return [this.#inside, this.#end];
    return [
      ...(this.#first === seen[0] ? [this.#head] : []),
      ...(this.#last === seen.at(-1) ? [this.#end] : []),
    ];
  }
}
