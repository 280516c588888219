import type { JsonObject } from '../../basics/json.ts';
import type { AuditPosition } from '../../model/process-state.ts';
import { ENTRY_OVERHEAD } from './fresh-entries.ts';

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
    this.#room -= JSON.stringify(one.entry).length + ENTRY_OVERHEAD;
    if (this.#room < 0) this.isOverfull = true;
    else this.entries.push(one);
  }
}

/** The entries of one walk over the log that are not among those last seen, by where they stand: before the first of these, between
 *  them, or behind the last of them. */
export class PlacedEntries {
  readonly #head = new Held();
  readonly #inside = new Held();
  #end = new Held();
  /** The digests of the first and the last entry met of those last seen. */
  first: string | undefined;
  last: string | undefined;

  /** The next entry is one of those last seen, with this digest. */
  meet(seen: string): void {
    for (const one of this.#end.entries) this.#inside.add(one);
    this.#inside.isOverfull ||= this.#end.isOverfull;
    this.#end = new Held();
    this.first ??= seen;
    this.last = seen;
  }

  /** The next entry is none of those. */
  add(one: LogEntry): void {
    (this.first === undefined ? this.#head : this.#end).add(one);
  }

  /** True when an entry on the side where the log grows says that it is old. */
  hasOld(left: Pick<AuditPosition, 'order' | 'seen'>): boolean {
    return this.#grown(left).some(({ entries }) => entries.some(({ age }) => age === 'old'));
  }

  /** True when an entry on the other side says that it is new. */
  hasNewAside(left: Pick<AuditPosition, 'order' | 'seen'>): boolean {
    const grown = this.#grown(left);
    return this.#lists.some(list => !grown.includes(list) && list.entries.some(({ age }) => age === 'new'));
  }

  /** True when all of them say that they are new, and there was room for each. */
  get isTimed(): boolean {
    return this.#lists.every(
      ({ entries, isOverfull }) => !isOverfull && entries.every(({ age }) => age === 'new'),
    );
  }

  /** Those that say that they are new, wherever they stand. */
  get timed(): readonly LogEntry[] {
    return this.#lists.flatMap(({ entries }) => entries.filter(({ age }) => age === 'new'));
  }

  /** The entries that are new, and whether there were more of them than could be held. Those on the side where the log grows are, whatever
   *  they say; of others, those that say so: they may have shown up by a larger page, or a purge that moved them there. */
  newOnes({ order, seen, isInDoubt, isNothingSeen }: Left): {
    readonly entries: readonly LogEntry[];
    readonly isOverfull: boolean;
  } {
    const lists = this.#lists;
    const grown = this.#grown({ order, seen });
    const isNew = (list: Held, { age }: LogEntry) =>
      age === 'new' ||
      (grown.includes(list) && !(isInDoubt && age === 'old')) ||
      (isNothingSeen && age === 'unknown');
    return {
      entries: lists.flatMap(list => list.entries.filter(one => isNew(list, one))),
      isOverfull: (isNothingSeen ? lists : grown).some(({ isOverfull }) => isOverfull),
    };
  }

  get #lists(): readonly Held[] {
    return [this.#head, this.#inside, this.#end];
  }

  /** The lists on the side where the log grows. While its order is unknown that may be either side, beyond the outermost entry seen. */
  #grown({ order, seen }: Pick<AuditPosition, 'order' | 'seen'>): readonly Held[] {
    if (this.first === undefined) return [];
    if (order === 'newest-first') return [this.#head, this.#inside];
    if (order === 'oldest-first') return [this.#inside, this.#end];
    return [
      ...(this.first === seen[0] ? [this.#head] : []),
      ...(this.last === seen.at(-1) ? [this.#end] : []),
    ];
  }
}

/** How the log was left, and what the walks show of it. */
interface Left extends Pick<AuditPosition, 'order' | 'seen'> {
  /** True when its order may have been turned around: what says that it is old is old then, wherever it stands. */
  readonly isInDoubt: boolean;
  /** True when no walk met an entry that was seen: the log was purged beyond them, and what says no time is new as well. */
  readonly isNothingSeen: boolean;
}
