import { useEffect, useState } from 'preact/hooks';
import { filterIn, type LineFilter } from '../model/line-filter.ts';
import { addressOf, readRoute } from '../model/routes.ts';

/** The filter of a page. It is in the address, so that reload, back, bookmarks and shared links keep it. */
export function useRoutedFilter(
  page: 'now' | 'history',
): [filter: LineFilter, set: (filter: LineFilter) => void] {
  const [filter, setFilter] = useState(() => filterIn(readRoute(location.hash).query));
  useEffect(() => {
    const changed = () => {
      const route = readRoute(location.hash);
      if (route.page === page) setFilter(filterIn(route.query));
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, [page]);
  useEffect(() => {
    const address = addressOf(page, undefined, { ...filter });
    if (readRoute(location.hash).page !== page || location.hash === address) return;
    try {
      // Replaced, so that typing does not add an entry to the history for each letter.
      history.replaceState(history.state, '', address);
    } catch {
      // Browsers limit changes of the address to some hundred in half a minute.
    }
  }, [filter, page]);
  return [filter, setFilter];
}
