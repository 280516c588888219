import { useMemo } from 'preact/hooks';
import { counted } from '../model/counted.ts';
import {
  type ProjectSummary,
  type RecordSummary,
  summaryOf,
  summaryText,
  watchedText,
} from '../model/history.ts';
import { addressOf } from '../model/routes.ts';
import { wallTime } from '../model/times.ts';
import { OneChange, What, Where } from './change.tsx';
import { Exports } from './exports.tsx';
import { Empty, Failed, Loading } from './states.tsx';
import { Ago } from './times.tsx';
import { useHistory } from './use-history.ts';
import { WhoChanged } from './who-changed.tsx';

interface Props {
  readonly workspace: string;
  readonly process: string;
  readonly since: string;
  /** `since` in words: `since Monday`, `in the last hour`. */
  readonly period: string;
  /** The time of the baseline. */
  readonly watchedSince: string | undefined;
}

/** The differences from the state at a time, by project. */
export function WhatChanged({ workspace, process, since, period, watchedSince }: Props) {
  const { entries, state, error } = useHistory({ workspace, process, since, order: 'oldest-first' });
  const summary = useMemo(() => summaryOf(entries), [entries]);
  const title = `What changed in ${process} ${period}`;
  const { projects, others } = summary;
  const watched = watchedText(watchedSince, Date.parse(since), Date.now());
  const isNothing = state !== 'reading' && projects.length === 0 && others.length === 0;
  return (
    <section aria-labelledby="what-changed" class="what-changed">
      <div class="section-head">
        <h2 id="what-changed">
          <bdi>{title}</bdi>
        </h2>
        <span class="quiet" role="status">
          {counted(summary.count, 'change')} in {counted(projects.length, 'project')}
          {state === 'reading' && ', loading more…'}
        </span>
        <Exports
          entries={entries}
          text={() => summaryText(summary, title)}
          name={[process, 'since', wallTime(Date.parse(since)).slice(0, 10)]}
        />
      </div>
      {error !== undefined && <Failed error={error} />}
      {watched !== undefined && (
        <p class="note">
          <span>
            <bdi>{process}</bdi> has been polled since {watched}. Earlier changes are not known.
          </span>
        </p>
      )}
      {state === 'cut' && (
        <p class="note warn">
          Too many events: only the first {counted(entries.length, 'event')} are shown. Choose a later time to
          see the rest.
        </p>
      )}
      {entries.length === 0 && state === 'reading' && error === undefined && (
        <Loading what="The changes" rows={8} />
      )}
      {isNothing && (
        <Empty
          title={
            entries.length === 0
              ? `Nothing has changed ${watched === undefined ? period : `since ${watched}`}.`
              : 'No differences: all changes were reverted.'
          }
        />
      )}
      <WhoChanged entries={entries} of={{ workspace, process, since }} />
      {projects.map(one => (
        <Project key={one.key} summary={one} of={{ workspace, process }} />
      ))}
      {others.length > 0 && (
        <article class="sheet project">
          <h3 class="project-head">Fields and the process</h3>
          <ul>
            {others.map(({ line }) => (
              <li key={line.id} class="task">
                <a class="task-name" href={addressOf('event', line.id)}>
                  <Where line={line} />
                </a>
                <span class="task-changes">
                  <What line={line} />
                </span>
              </li>
            ))}
          </ul>
        </article>
      )}
    </section>
  );
}

interface ProjectProps {
  readonly summary: ProjectSummary;
  readonly of: { readonly workspace: string; readonly process: string };
}

function Project({ summary: { id, project, tasks, at, count }, of }: ProjectProps) {
  return (
    <article class="sheet project">
      <h3 class="project-head">
        <a class="project-name" href={addressOf('history', undefined, { ...of, project: id })}>
          <bdi>{project.name}</bdi>
        </a>
        <DeliveryResult result={project.result} />
        <span class="quiet end">
          {counted(count, 'change')}, latest <Ago at={at} />
        </span>
      </h3>
      {project.changes.length > 0 && (
        <p class="project-changes">
          <Changes summary={project} />
        </p>
      )}
      <ul>
        {tasks.map(task => (
          <li key={task.key} class="task">
            <a
              class="task-name"
              href={addressOf('history', undefined, { ...of, project: id, task: task.key })}
            >
              <bdi>{task.name}</bdi>
            </a>
            <span class="task-changes">
              <DeliveryResult result={task.result} />
              <Changes summary={task} />
            </span>
          </li>
        ))}
      </ul>
    </article>
  );
}

function Changes({ summary: { changes, result } }: { readonly summary: RecordSummary }) {
  return (
    <>
      {changes.map(change => (
        <span key={change.field} class="one-change">
          <OneChange change={change} isNew={result === 'created'} />
        </span>
      ))}
    </>
  );
}

const RESULTS = {
  created: ['new', 'good'],
  deleted: ['deleted', 'bad'],
  passing: ['created and deleted', 'quiet'],
} as const;

function DeliveryResult({ result }: { readonly result: RecordSummary['result'] }) {
  if (result === undefined) return null;
  const [word, tone] = RESULTS[result];
  return <span class={`verb ${tone}`}>{word}</span>;
}
