import { useCallback, useMemo, useState } from 'preact/hooks';
import { MAX_LINES } from '../model/feed.ts';
import { EVERYTHING } from '../model/line-filter.ts';
import { addressOf } from '../model/routes.ts';
import { matching } from '../model/search.ts';
import { wallTime } from '../model/times.ts';
import { Activity } from '../parts/activity.tsx';
import { Announcer } from '../parts/announcer.tsx';
import { EndpointCard } from '../parts/endpoint-card.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { LiveList } from '../parts/live-list.tsx';
import { ProcessCard } from '../parts/process-card.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useRoutedFilter } from '../parts/use-routed-filter.ts';
import { useSearch } from '../parts/use-search.ts';
import type { Search } from '../state/search.ts';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';

/** The live view: processes and endpoints at a glance, and each change as it arrives. */
export function NowPage() {
  return (
    <div class="now">
      <h1 class="hidden" tabIndex={-1}>
        Now
      </h1>
      <Glance />
      <Stream />
    </div>
  );
}

function Glance() {
  const { status, trouble } = useStore(useWorld().status);
  if (!status && trouble !== undefined) return <aside class="glance" aria-label="Processes and endpoints" />;
  if (!status)
    return (
      <aside class="glance">
        <Loading what="The status" rows={5} />
      </aside>
    );
  const { processes, endpoints } = status;
  return (
    <aside class="glance" aria-label="Processes and endpoints">
      <section aria-labelledby="processes">
        <h2 id="processes">Processes</h2>
        {processes.length === 0 ? (
          <Empty title="No processes yet." />
        ) : (
          <ul class="cards">
            {processes.map(one => (
              <ProcessCard key={`${one.workspace}/${one.process}`} status={one} />
            ))}
          </ul>
        )}
      </section>
      <section aria-labelledby="endpoints">
        <h2 id="endpoints">
          Endpoints
          <AddLink />
        </h2>
        {endpoints.length === 0 ? (
          <Empty title="No endpoints yet.">
            <p>
              Send changes to a <a href={addressOf('endpoints', 'new', { new: '1' })}>webhook or chat</a>.
            </p>
          </Empty>
        ) : (
          <ul class="cards">
            {endpoints.map(one => (
              <EndpointCard key={one.name} status={one} />
            ))}
          </ul>
        )}
      </section>
    </aside>
  );
}

function AddLink() {
  if (useWorld().session.isReadOnly) return null;
  return (
    <a class="more-link" href={addressOf('endpoints', 'new', { new: '1' })}>
      Add
    </a>
  );
}

function Stream() {
  const { live, status } = useWorld();
  const { feed, isLoaded, trouble, older } = useStore(live.store);
  const { status: known, trouble: statusTrouble } = useStore(status);
  const processes = known?.processes ?? [];
  const [filter, setFilter] = useRoutedFilter();
  const [paused, setPaused] = useState<typeof feed>();
  const shown = paused ?? feed;
  const search = useSearch(filter);
  const lines = useMemo(
    () => (search ? matching(shown.lines, search.lines, filter) : shown.lines),
    [shown, filter, search],
  );
  const onEnd = useCallback(() => {
    if (!paused && !search) live.older();
  }, [paused, live, search]);
  const waiting = paused ? feed.arrived - paused.arrived : 0;
  return (
    <section class="stream" aria-labelledby="stream">
      <div class="stream-head">
        <h2 id="stream">Changes</h2>
        <span class="quiet">
          {search ? foundText(lines.length, search) : countText(lines.length, older === 'all')}
        </span>
        <button
          type="button"
          class="small"
          aria-pressed={paused !== undefined}
          onClick={() => setPaused(paused ? undefined : feed)}
        >
          {paused ? `Resume${waiting > 0 ? ` (${waiting} new)` : ''}` : 'Pause'}
        </button>
      </div>
      <Activity filter={filter} lines={shown.lines} />
      <FilterBar filter={filter} onChange={setFilter} processes={processes} lines={shown.lines} />
      {trouble !== undefined && trouble !== statusTrouble && <Failed error={trouble} />}
      {!isLoaded && trouble === undefined && <Loading what="The list of changes" rows={12} />}
      {search?.error !== undefined && <Failed error={search.error} />}
      {isLoaded && lines.length === 0 && <NoLines search={search} clear={() => setFilter(EVERYTHING)} />}
      {lines.length > 0 && <LiveList lines={lines} showProcess={processes.length > 1} onEnd={onEnd} />}
      {isLoaded && lines.length > 0 && (
        <div class="stream-foot">
          {search ? (
            <Further search={search} />
          ) : (
            <Older older={older} isFull={shown.lines.length >= MAX_LINES} read={live.older} />
          )}
        </div>
      )}
      <Announcer feed={feed} />
    </section>
  );
}

function Older({ older, isFull, read }: { older: string; isFull: boolean; read: () => void }) {
  if (isFull)
    return (
      <span class="quiet">
        The newest {MAX_LINES.toLocaleString('en')}. For older changes, see{' '}
        <a href={addressOf('history')}>History</a>.
      </span>
    );
  if (older === 'all') return <span class="quiet">End of the journal.</span>;
  return (
    <button type="button" class="small" disabled={older === 'loading'} onClick={read}>
      {older === 'loading' ? 'Loading…' : 'Load more'}
    </button>
  );
}

/** How far the journal was searched, and a button to continue. */
function Further({ search }: { search: Search }) {
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

function countText(count: number, isAll: boolean): string {
  return isAll ? count.toLocaleString('en') : `the newest ${count.toLocaleString('en')}`;
}

function foundText(found: number, { searched, state }: Search): string {
  const [shown, all] = [found, Math.max(found, searched)].map(count => count.toLocaleString('en'));
  return state === 'all' ? `${shown} of ${all}` : `${shown} of the newest ${all}`;
}

function NoLines({ search, clear }: { search: Search | undefined; clear: () => void }) {
  if (!search)
    return (
      <Empty title="Nothing has changed yet.">
        <p>Changes appear here as soon as a pass finds them.</p>
      </Empty>
    );
  const { state, searched } = search;
  if (state === 'reading' && searched === 0) return <Loading what="The search" rows={6} />;
  const title =
    state === 'all'
      ? 'No matching changes in the journal.'
      : `No matches in the newest ${searched.toLocaleString('en')} changes.`;
  return (
    <Empty title={title}>
      {state !== 'all' && (
        <p>
          <Further search={search} />
        </p>
      )}
      <button type="button" onClick={clear}>
        Show all
      </button>
    </Empty>
  );
}
