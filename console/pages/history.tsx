import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ProcessStatus } from '../../functions/operations/protocol/status.ts';
import { counted } from '../model/counted.ts';
import { changeGroups, entriesOf, historyText, matchingGroups, watchedTexts } from '../model/history.ts';
import { EVERYTHING, isFiltered, lineMatcher, processOf } from '../model/line-filter.ts';
import {
  beginningOf,
  localInput,
  periodText,
  readLocalInput,
  SINCE,
  type Since,
  sinceText,
  sinceTime,
  wallTime,
} from '../model/times.ts';
import { ChangeGroups } from '../parts/change-groups.tsx';
import { Exports } from '../parts/exports.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { FindRecord, FoundRecords } from '../parts/find-record.tsx';
import { RecordTimeline } from '../parts/record-timeline.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useHistory } from '../parts/use-history.ts';
import { useRoutedFilter } from '../parts/use-routed-filter.ts';
import { WhoChanged } from '../parts/who-changed.tsx';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';

type Query = Readonly<Record<string, string>>;

/** Changes since a time by project, all changes of a project or task, or records by name. */
export function HistoryPage({ query }: { readonly query: Query }) {
  const processes = useStore(useWorld().status).status?.processes;
  if (query.project !== undefined) return <RecordTimeline query={{ ...query, project: query.project }} />;
  if (query.record !== undefined)
    return <FoundRecords key={query.record} text={query.record} process={query.process ?? ''} />;
  return (
    <div class="column">
      {!processes && (
        <>
          <h1 tabIndex={-1}>History</h1>
          <Loading what="The list of processes" />
        </>
      )}
      {processes && <Changes processes={processes} />}
    </div>
  );
}

/** The changes are read again when the page becomes visible after this time: a page may stay open overnight. */
const MAX_AGE_MS = 10 * 60_000;

function Changes({ processes }: { readonly processes: readonly ProcessStatus[] }) {
  const [filter, setFilter] = useRoutedFilter('history');
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const ending = new AbortController();
    const look = () =>
      document.visibilityState === 'visible' && Date.now() - now > MAX_AGE_MS && setNow(Date.now());
    document.addEventListener('visibilitychange', look, { signal: ending.signal });
    return () => ending.abort();
  }, [now]);
  const since = filter.since === '' ? 'monday' : filter.since;
  const from = sinceTime(since, now) ?? now;
  const of = processOf(filter);
  const { entries, state, error } = useHistory(
    { ...of, since: new Date(from).toISOString(), order: 'oldest-first' },
    now,
  );
  const groups = useMemo(() => changeGroups(entries), [entries]);
  const rest = { ...filter, process: '', since: '', until: '' };
  const matches = useMemo(() => lineMatcher(rest), [filter]);
  const shown = useMemo(() => matchingGroups(groups, matches), [groups, matches]);
  const exported = useMemo(() => (isFiltered(rest) ? entriesOf(shown, entries) : entries), [entries, shown]);
  const lines = useMemo(() => groups.flatMap(group => group.lines), [groups]);
  const count = shown.reduce((sum, group) => sum + group.lines.length, 0);
  const projects = shown.filter(({ project }) => project !== undefined).length;
  const period = isSince(since) ? periodText(since, now) : `since ${wallTime(from).slice(0, 16)}`;
  const title = `What changed${of.process === undefined ? '' : ` in ${of.process}`} ${period}`;
  const watched = watchedTexts(
    processes.filter(one => filter.process === '' || `${one.workspace}/${one.process}` === filter.process),
    from,
    now,
  );
  const total = isFiltered(rest) ? ` of ${lines.length.toLocaleString('en')}` : '';
  return (
    <>
      <div class="page-head">
        <h1 tabIndex={-1}>History</h1>
        <FindRecord process={filter.process} />
      </div>
      <FilterBar filter={filter} onChange={setFilter} processes={processes} lines={lines}>
        <SinceInput
          since={since}
          now={now}
          onChange={chosen => {
            setNow(Date.now());
            setFilter({ ...filter, since: chosen });
          }}
        />
      </FilterBar>
      <section aria-labelledby="what-changed" class="what-changed">
        <div class="section-head">
          <h2 id="what-changed">
            <bdi>{title}</bdi>
          </h2>
          <span class="quiet" role="status">
            {counted(count, 'change')}
            {total} in {counted(projects, 'project')}
            {state === 'reading' && ', loading more…'}
          </span>
          <Exports
            entries={exported}
            state={state}
            text={head => historyText(shown, head, of.process === undefined && processes.length > 1)}
            title={title}
            name={[of.process ?? '', 'since', wallTime(from).slice(0, 10)]}
          />
        </div>
        {error !== undefined && <Failed error={error} />}
        {watched.map(text => (
          <p key={text} class="note">
            {text} Earlier changes are not known.
          </p>
        ))}
        {state === 'cut' && (
          <p class="note warn">
            Too many events: only the first {counted(entries.length, 'event')} are shown. Choose a later time
            or one process to see the rest.
          </p>
        )}
        {entries.length === 0 && state === 'reading' && error === undefined && (
          <Loading what="The changes" rows={8} />
        )}
        {count === 0 && state !== 'reading' && (
          <Empty title={emptyText(entries.length, lines.length, period, watched.length > 0)}>
            {lines.length > 0 && (
              <button
                type="button"
                onClick={() => setFilter({ ...EVERYTHING, process: filter.process, since: filter.since })}
              >
                Show all
              </button>
            )}
          </Empty>
        )}
        <WhoChanged lines={lines} filter={filter} />
        {count > 0 && (
          <ChangeGroups groups={shown} showProcess={of.process === undefined && processes.length > 1} />
        )}
      </section>
    </>
  );
}

function emptyText(events: number, changes: number, period: string, isPart: boolean): string {
  if (changes > 0) return `None of the ${counted(changes, 'change')} matches.`;
  if (events > 0) return 'No differences: all changes were reverted.';
  return isPart ? `No changes are known ${period}.` : `Nothing has changed ${period}.`;
}

function isSince(text: string): text is Since {
  return Object.hasOwn(SINCE, text);
}

interface SinceProps {
  readonly since: string;
  readonly now: number;
  readonly onChange: (since: string) => void;
}

/** Selects the beginning: a word, or any time. */
function SinceInput({ since, now, onChange }: SinceProps) {
  const own = isSince(since) ? undefined : sinceTime(since, now);
  const iso = (at: number) => new Date(at).toISOString();
  return (
    <>
      <label class="inline">
        <span>Since</span>
        <select
          value={own === undefined ? since : 'own'}
          onChange={event => {
            const { value } = event.currentTarget;
            // A custom time begins as yesterday.
            onChange(value === 'own' ? iso(beginningOf('yesterday', now)) : value);
          }}
        >
          {Object.keys(SINCE).map(key => (
            <option key={key} value={key}>
              {sinceText(key as Since, now)}
            </option>
          ))}
          <option value="own">Custom…</option>
        </select>
      </label>
      {own !== undefined && (
        <input
          type="datetime-local"
          aria-label="Since this time"
          value={localInput(own)}
          onChange={event => {
            const at = readLocalInput(event.currentTarget.value);
            if (at !== undefined) onChange(iso(at));
          }}
        />
      )}
    </>
  );
}
