import { useEffect, useState } from 'preact/hooks';
import { EVERYTHING, type LineFilter } from '../model/line-filter.ts';
import { addressOf, readRoute } from '../model/routes.ts';

/** The filter of the live view. It is in the address, so that reload, back and bookmarks keep it. */
export function useRoutedFilter(): [filter: LineFilter, set: (filter: LineFilter) => void] {
  const [filter, setFilter] = useState(filterInAddress);
  useEffect(() => {
    const changed = () => readRoute(location.hash).page === 'now' && setFilter(filterInAddress());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  useEffect(() => {
    const address = addressOf('now', undefined, { ...filter });
    if (readRoute(location.hash).page !== 'now' || location.hash === address) return;
    try {
      // Replaced, so that typing does not add an entry to the history for each letter.
      history.replaceState(null, '', address);
    } catch {
      // Browsers limit changes of the address to some hundred in half a minute.
    }
  }, [filter]);
  return [filter, setFilter];
}

function filterInAddress(): LineFilter {
  const { query } = readRoute(location.hash);
  const { words, type, field, process, since, until } = { ...EVERYTHING, ...query };
  return { words, type, field, process, since: timeIn(since), until: timeIn(until) };
}

/** People write addresses, too: the operation would refuse a text that cannot be read as a time. */
function timeIn(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? '' : new Date(at).toISOString();
}
