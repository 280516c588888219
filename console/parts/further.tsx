import { wallTime } from '../model/times.ts';
import type { Search } from '../state/search.ts';

/** How far the journal was searched, and a button to continue. */
export function Further({ search }: { readonly search: Search }) {
  const { state, readTo, further } = search;
  const back = readTo === undefined ? '' : ` back to ${wallTime(Date.parse(readTo))}`;
  if (state === 'all') return <span class="quiet">Searched the whole journal.</span>;
  return (
    <>
      <span class="quiet">
        {state === 'reading' ? 'Searching' : 'Searched'}
        {back}
        {state === 'reading' ? '…' : '.'}
      </span>{' '}
      {state === 'more' && (
        <button type="button" class="small" onClick={further}>
          Search further back
        </button>
      )}
    </>
  );
}
