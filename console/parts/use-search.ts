import { useEffect, useState } from 'preact/hooks';
import { isFiltered, type LineFilter } from '../model/line-filter.ts';
import { createSearch, NO_RESULT, type Search } from '../state/search.ts';
import { useWorld } from '../state/use.ts';

/** The delay after the last key. */
const TYPING_MS = 300;

/** Searches the journal with the filter; undefined without one. */
export function useSearch(filter: LineFilter): Search | undefined {
  const { session } = useWorld();
  const key = JSON.stringify(filter);
  const [known, setKnown] = useState<{ key: string; search: Search }>();
  useEffect(() => {
    const asked = JSON.parse(key) as LineFilter;
    if (!isFiltered(asked)) return;
    const ending = new AbortController();
    const begin = createSearch(session, asked, search => setKnown({ key, search }), ending.signal);
    const timer = setTimeout(begin, TYPING_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [key, session]);
  if (!isFiltered(filter)) return undefined;
  return known?.key === key ? known.search : { ...NO_RESULT, state: 'reading', further: () => undefined };
}
