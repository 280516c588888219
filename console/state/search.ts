import { type ChangeLine, changeLine } from '../model/change-line.ts';
import type { LineFilter } from '../model/line-filter.ts';
import { hasNames, queryOf } from '../model/search.ts';
import { messageOf, NotAllowed } from './api.ts';
import type { Session } from './session.ts';

/** A search of the journal, newest first. */
export interface Search {
  readonly lines: readonly ChangeLine[];
  /** The number of events that were compared. */
  readonly searched: number;
  /** The time of the last event that was compared. */
  readonly readTo: string | undefined;
  /** `more`: older events are not searched yet. `all`: the whole journal is searched. */
  readonly state: 'reading' | 'more' | 'all';
  readonly error: string | undefined;
  /** Continues where it stopped. */
  readonly further: () => void | Promise<void>;
}

/** A search stops after this many lines or pages, until `further` is called. */
const [MAX_LINES, MAX_PAGES] = [100, 20];

export const NO_RESULT = { lines: [], searched: 0, readTo: undefined, error: undefined };

/** Searches the journal page by page, and calls `onUpdate` with each state.
 *  @returns a function that starts the search */
export function createSearch(
  session: Pick<Session, 'ask' | 'persist'>,
  filter: LineFilter,
  onUpdate: (search: Search) => void,
  signal: AbortSignal,
): () => Promise<void> {
  let cursor: string | undefined;
  let search: Search = { ...NO_RESULT, state: 'reading', further: () => undefined };
  const set = (part: Partial<Search>) => {
    search = { ...search, ...part };
    if (!signal.aborted) onUpdate(search);
  };
  const read = async (): Promise<'more' | 'all'> => {
    let found = 0;
    for (let pages = 0; pages < MAX_PAGES && found < MAX_LINES; pages += 1) {
      const place = cursor === undefined ? {} : { cursor };
      const page = await session.persist(
        () => session.ask({ operation: 'events', limit: 100, ...queryOf(filter), ...place }, signal),
        signal,
        error => error !== undefined && set({ error }),
      );
      const lines = page.events.filter(each => hasNames(each, filter)).map(changeLine);
      found += lines.length;
      cursor = page.cursor;
      set({
        lines: [...search.lines, ...lines],
        searched: search.searched + page.searched,
        readTo: page.readTo ?? search.readTo,
        error: undefined,
      });
      if (cursor === undefined) return 'all';
    }
    return 'more';
  };
  const further = async () => {
    set({ state: 'reading', further: () => undefined });
    try {
      set({ state: await read(), further });
    } catch (error) {
      if (!signal.aborted && !(error instanceof NotAllowed)) set({ error: messageOf(error) });
    }
  };
  return further;
}
