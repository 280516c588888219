import { useCallback, useMemo, useState } from 'preact/hooks';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { ChangeLine } from '../model/change-line.ts';
import { counted } from '../model/counted.ts';
import { MAX_LINES } from '../model/feed.ts';
import { glanceOf } from '../model/glance.ts';
import { EVERYTHING, ofAllTimes, withTimes } from '../model/line-filter.ts';
import { addressOf } from '../model/routes.ts';
import { matching } from '../model/search.ts';
import { periodOf } from '../model/time-axis.ts';
import { Activity } from '../parts/activity.tsx';
import { Announcer } from '../parts/announcer.tsx';
import { ChangeRow, hasActors } from '../parts/change-row.tsx';
import { EndpointCard } from '../parts/endpoint-card.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Further } from '../parts/further.tsx';
import { LongList } from '../parts/long-list.tsx';
import { ProcessCard } from '../parts/process-card.tsx';
import { Badge, Empty, Failed, Loading } from '../parts/states.tsx';
import { useNarrow } from '../parts/use-narrow.ts';
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
  const isNarrow = useNarrow();
  if (!status && trouble !== undefined) return <aside class="glance" aria-label="Processes and endpoints" />;
  if (!status)
    return (
      <aside class="glance">
        <Loading what="The status" rows={isNarrow ? 1 : 5} />
      </aside>
    );
  return (
    <aside class="glance" aria-label="Processes and endpoints">
      {isNarrow ? (
        <details>
          <summary>
            {glanceOf(status).map(({ text, tone }) => (
              <Badge key={text} tone={tone}>
                {text}
              </Badge>
            ))}
          </summary>
          <Cards status={status} />
        </details>
      ) : (
        <Cards status={status} />
      )}
    </aside>
  );
}

function Cards({ status: { processes, endpoints } }: { readonly status: AnswerOf<'status'> }) {
  return (
    <>
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
    </>
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
  const [routed, setFilter] = useRoutedFilter('now');
  const filter = useMemo(() => withTimes(routed, Date.now()), [routed]);
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
  const columns = { hasActors: useMemo(() => hasActors(lines), [lines]) };
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
      <FilterBar filter={filter} onChange={setFilter} processes={processes} lines={shown.lines}>
        {(filter.since !== '' || filter.until !== '') && (
          <button
            type="button"
            class="chip"
            aria-label={`${periodOf(filter)}: show all times`}
            onClick={() => setFilter(ofAllTimes(filter))}
          >
            {periodOf(filter)} <span aria-hidden="true">✕</span>
          </button>
        )}
      </FilterBar>
      {trouble !== undefined && trouble !== statusTrouble && <Failed error={trouble} />}
      {!isLoaded && trouble === undefined && <Loading what="The list of changes" rows={12} />}
      {search?.error !== undefined && <Failed error={search.error} />}
      {isLoaded && lines.length === 0 && <NoLines search={search} clear={() => setFilter(EVERYTHING)} />}
      {lines.length > 0 && (
        <LongList
          label="Changes, newest first"
          rows={lines}
          keyOf={idOf}
          hrefOf={eventOf}
          classOf={({ type }) => (type.startsWith('source.') ? 'line-source' : '')}
          onEnd={onEnd}
        >
          {line => (
            <ChangeRow line={line} process={processes.length > 1 ? tagOf(line) : undefined} {...columns} />
          )}
        </LongList>
      )}
      {isLoaded && lines.length > 0 && (
        <div class="stream-foot">
          {search ? (
            <Further search={search} />
          ) : (
            <Older
              older={older}
              isFull={shown.lines.length >= MAX_LINES}
              read={live.older}
              isPaused={paused !== undefined}
            />
          )}
        </div>
      )}
      <Announcer feed={feed} />
    </section>
  );
}

const idOf = ({ id }: ChangeLine) => id;
const eventOf = ({ id }: ChangeLine) => addressOf('event', id);

/** A line about the process itself shows its name anyway. */
function tagOf({ process, project, definition }: ChangeLine): string {
  return (project ?? definition) ? process : '';
}

interface OlderProps {
  readonly older: string;
  readonly isFull: boolean;
  /** Older changes would not be shown before the view is resumed. */
  readonly isPaused: boolean;
  readonly read: () => void;
}

function Older({ older, isFull, isPaused, read }: OlderProps) {
  if (isFull)
    return (
      <span class="quiet">
        The newest {MAX_LINES.toLocaleString('en')}. For older changes, see{' '}
        <a href={addressOf('history')}>History</a>.
      </span>
    );
  if (older === 'all') return <span class="quiet">End of the journal.</span>;
  if (isPaused) return null;
  return (
    <button type="button" class="small" disabled={older === 'loading'} onClick={read}>
      {older === 'loading' ? 'Loading…' : 'Load more'}
    </button>
  );
}

function countText(count: number, isAll: boolean): string {
  return isAll ? counted(count, 'event') : `the newest ${counted(count, 'event')}`;
}

function foundText(found: number, { searched, state }: Search): string {
  const [shown, all] = [found.toLocaleString('en'), counted(Math.max(found, searched), 'event')];
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
      : `No matches in the newest ${counted(searched, 'event')}.`;
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
