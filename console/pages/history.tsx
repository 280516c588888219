import { useMemo, useState } from 'preact/hooks';
import type { ProcessStatus } from '../../functions/operations/protocol/status.ts';
import { addressOf } from '../model/routes.ts';
import { beginningOf, localInput, periodText, readLocalInput, SINCE, type Since } from '../model/times.ts';
import { FindRecord } from '../parts/find-record.tsx';
import { ProcessSelect } from '../parts/process-select.tsx';
import { RecordTimeline } from '../parts/record-timeline.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { WhatChanged } from '../parts/what-changed.tsx';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';

type Query = Readonly<Record<string, string>>;

/** Changes since a time by project, or all changes of a project or task. */
export function HistoryPage({ query }: { readonly query: Query }) {
  const processes = useStore(useWorld().status).status?.processes;
  const [first] = processes ?? [];
  if (query.project !== undefined) return <RecordTimeline query={{ ...query, project: query.project }} />;
  return (
    <div class="column">
      <div class="page-head">
        <h1 tabIndex={-1}>History</h1>
      </div>
      {!processes && <Loading what="The list of processes" />}
      {processes?.length === 0 && <Empty title="No processes yet." />}
      {processes && first && <Choices query={query} processes={processes} first={first} />}
    </div>
  );
}

interface Props {
  readonly query: Query;
  readonly processes: readonly ProcessStatus[];
  readonly first: ProcessStatus;
}

function Choices({ query, processes, first }: Props) {
  const chosen =
    processes.find(one => one.process === query.process && one.workspace === query.workspace) ?? first;
  const { workspace, process } = chosen;
  const go = (part: Record<string, string>) => {
    location.hash = addressOf('history', undefined, { workspace, process, since: query.since, ...part });
  };
  const { since, period, own } = useSince(query.since);
  return (
    <>
      <div class="history-bar">
        <ProcessSelect processes={processes} chosen={chosen} onChoose={go} />
        <label class="inline">
          <span>Since</span>
          <select
            value={own === undefined ? (query.since ?? 'monday') : 'own'}
            onChange={event => go({ since: sinceOf(event.currentTarget.value) })}
          >
            {Object.entries(SINCE).map(([key, text]) => (
              <option key={key} value={key}>
                {text}
              </option>
            ))}
            <option value="own">Custom…</option>
          </select>
        </label>
        {own !== undefined && (
          <input
            type="datetime-local"
            aria-label="Since this time"
            value={own}
            onChange={event => {
              const at = readLocalInput(event.currentTarget.value);
              if (at !== undefined) go({ since: new Date(at).toISOString() });
            }}
          />
        )}
        <FindRecord workspace={workspace} process={process} />
      </div>
      <WhatChanged
        key={`${workspace}/${process}/${since}`}
        workspace={workspace}
        process={process}
        since={since}
        period={period}
        watchedSince={chosen.watchedSince}
      />
    </>
  );
}

/** A custom time begins as yesterday. */
function sinceOf(value: string): string {
  return value === 'own' ? new Date(beginningOf('yesterday', Date.now())).toISOString() : value;
}

function useSince(given = 'monday'): {
  readonly since: string;
  readonly period: string;
  readonly own: string | undefined;
} {
  const [now] = useState(Date.now);
  return useMemo(() => {
    const own = Object.hasOwn(SINCE, given) ? undefined : Date.parse(given);
    const isTime = own !== undefined && !Number.isNaN(own);
    const key: Since = Object.hasOwn(SINCE, given) ? (given as Since) : 'monday';
    const since = new Date(isTime ? own : beginningOf(key, now)).toISOString();
    return {
      since,
      period: isTime ? `since ${localInput(own).replace('T', ' ')}` : periodText(key),
      own: isTime ? localInput(own) : undefined,
    };
  }, [given, now]);
}
