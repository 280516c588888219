import { useEffect, useState } from 'preact/hooks';
import { type ChangeLine, changeLine } from '../model/change-line.ts';
import { isFiltered, type LineFilter } from '../model/line-filter.ts';
import { hasField, queryOf } from '../model/search.ts';
import { messageOf, NotAllowed } from '../state/api.ts';
import { useWorld } from '../state/use.ts';

/** A search of the journal, newest first. */
export interface Search {
  readonly lines: readonly ChangeLine[];
  /** How many events were compared. */
  readonly searched: number;
  /** The time of the last event that was compared. */
  readonly readTo: string | undefined;
  /** `more`: older ones were not searched yet. `all`: the journal was searched to its end. */
  readonly state: 'reading' | 'more' | 'all';
  readonly error: string | undefined;
  /** Goes on where it stopped. */
  readonly further: () => void;
}

/** The time without a key pressed before the search begins. */
const TYPING_MS = 300;
/** A search stops after this many lines or pages, until more is asked for. */
const [MAX_LINES, MAX_PAGES] = [100, 20];

const NOTHING = { lines: [], searched: 0, readTo: undefined, error: undefined };

/** Searches the journal of 30 days page by page; `undefined` without a filter. */
export function useSearch(filter: LineFilter): Search | undefined {
  const { session } = useWorld();
  const key = JSON.stringify(filter);
  const [known, setKnown] = useState<{ key: string; search: Search }>();
  useEffect(() => {
    const asked = JSON.parse(key) as LineFilter;
    if (!isFiltered(asked)) return;
    const ending = new AbortController();
    const { signal } = ending;
    let cursor: string | undefined;
    let search: Search = { ...NOTHING, state: 'reading', further: () => undefined };
    const tell = (part: Partial<Search>) => {
      search = { ...search, ...part };
      if (!signal.aborted) setKnown({ key, search });
    };
    const read = async () => {
      let found = 0;
      for (let pages = 0; pages < MAX_PAGES && found < MAX_LINES; pages += 1) {
        const place = cursor === undefined ? {} : { cursor };
        const page = await session.persist(
          () => session.ask({ operation: 'events', limit: 100, ...queryOf(asked), ...place }, signal),
          signal,
          error => error !== undefined && tell({ error }),
        );
        const lines = page.events.filter(each => hasField(each, asked)).map(changeLine);
        found += lines.length;
        cursor = page.cursor;
        tell({
          lines: [...search.lines, ...lines],
          searched: search.searched + page.searched,
          readTo: page.readTo ?? search.readTo,
          error: undefined,
        });
        if (cursor === undefined) return tell({ state: 'all' });
      }
      tell({ state: 'more' });
    };
    const further = () => {
      tell({ state: 'reading', further: () => undefined });
      read()
        .then(() => tell({ further }))
        .catch((error: unknown) => {
          if (!signal.aborted && !(error instanceof NotAllowed)) tell({ error: messageOf(error) });
        });
    };
    const timer = setTimeout(further, TYPING_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [key, session]);
  if (!isFiltered(filter)) return undefined;
  return known?.key === key ? known.search : { ...NOTHING, state: 'reading', further: () => undefined };
}
