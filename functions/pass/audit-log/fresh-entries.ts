import type { JsonObject } from '../../basics/json.ts';

/** How many characters of JSON are held of new entries: some hundred thousand entries. */
const MOST = 64 * 2 ** 20;
/** What an entry takes beside its characters: very many small ones must not fill the memory either. */
export const ENTRY_OVERHEAD = 200;

/** The new entries of the audit log, each once by its digest, however often the log is read for them: all readings share the room. */
export class FreshEntries {
  readonly #entries = new Map<string, JsonObject>();
  #room = MOST;

  add(digest: string, entry: JsonObject): void {
    if (this.isOverfull || this.#entries.has(digest)) return;
    this.#room -= JSON.stringify(entry).length + ENTRY_OVERHEAD;
    this.#entries.set(digest, entry);
  }

  /** True when there were more new entries than can be held. */
  get isOverfull(): boolean {
    // Stryker disable next-line EqualityOperator: one entry more or less is nothing beside those hundred thousands.
    return this.#room < 0;
  }

  get all(): readonly JsonObject[] {
    return [...this.#entries.values()];
  }
}
