import { useMemo, useState } from 'preact/hooks';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { eraseAll, erasedLines, erasedText } from '../../functions/operations/walk-erase.ts';
import { counted } from '../model/counted.ts';
import { byDay } from '../model/days.ts';
import { changesOf, type Entry } from '../model/history.ts';
import { lineText } from '../model/line-text.ts';
import { addressOf } from '../model/routes.ts';
import { wallTime } from '../model/times.ts';
import { useWorld } from '../state/use.ts';
import { By, What } from './change.tsx';
import { ConfirmButton } from './confirm.tsx';
import { Exports } from './exports.tsx';
import { FieldTimeline } from './field-timeline.tsx';
import { Empty, Failed, Loading } from './states.tsx';
import { useHistory } from './use-history.ts';

interface Query {
  readonly project: string;
  readonly task?: string;
  readonly process?: string;
  readonly workspace?: string;
}

/** The number of events that are shown at first, and added with each "Show more". */
const PAGE = 300;

/** All changes of a project with its tasks, or of a task, newest first. */
export function RecordTimeline({ query }: { readonly query: Query }) {
  const { project, task, process, workspace } = query;
  const given = {
    project,
    ...(task && { task }),
    ...(process && { process }),
    ...(workspace && { workspace }),
  };
  const [round, setRound] = useState(0);
  const [shown, setShown] = useState(PAGE);
  const { entries, state, error } = useHistory({ ...given, order: 'newest-first' }, round);
  const days = useMemo(() => byDay(entries.slice(0, shown)), [entries, shown]);
  const named = entries[0]?.line;
  const name =
    (task === undefined ? undefined : named?.task?.name) ?? named?.project?.name ?? task ?? project;
  return (
    <div class="column">
      <div class="page-head">
        <h1 tabIndex={-1}>
          <a class="crumb" href={addressOf('history', undefined, { process, workspace })}>
            History
          </a>
          <span class="step"> › </span>
          {task !== undefined && (
            <>
              <a class="crumb" href={addressOf('history', undefined, { process, workspace, project })}>
                <bdi>{named?.project?.name ?? project}</bdi>
              </a>
              <span class="step"> › </span>
            </>
          )}
          <bdi>{name}</bdi>
        </h1>
        <span class="quiet" role="status">
          {counted(
            entries.reduce((sum, { line }) => sum + changesOf(line), 0),
            'change',
          )}
          {state === 'reading' && ', loading more…'}
        </span>
        <Exports
          {...{ entries, state }}
          text={title => timelineText(title, entries)}
          title={name}
          name={[project, task ?? '', name]}
        />
        {task === undefined && (
          <EraseButton query={query} name={name} onDone={() => setRound(number => number + 1)} />
        )}
      </div>
      {error !== undefined && <Failed error={error} />}
      {entries.length === 0 && state === 'reading' && error === undefined && (
        <Loading what="The timeline" rows={8} />
      )}
      {entries.length === 0 && state === 'all' && (
        <Empty title="No changes in the journal">
          <p>
            Or no project or task has this id: <bdi class="mono">{task ?? project}</bdi>
          </p>
        </Empty>
      )}
      <FieldTimeline entries={entries} isOfTask={task !== undefined} />
      {days.map(day => (
        <section key={day.key} class="day">
          <h2>
            {new Date(day.at).toLocaleDateString('en', { weekday: 'long', day: 'numeric', month: 'long' })}
          </h2>
          <ol class="timeline">
            {day.entries.map(entry => (
              <Moment key={entry.line.id} entry={entry} isOfTask={task !== undefined} />
            ))}
          </ol>
        </section>
      ))}
      {entries.length > shown && (
        <button type="button" onClick={() => setShown(shown + PAGE)}>
          Show more: {counted(entries.length - shown, 'earlier event')}
        </button>
      )}
      {state === 'cut' && <p class="note warn">Too many changes: older ones are not shown.</p>}
      {state === 'all' && entries.length > 0 && entries.length <= shown && (
        <p class="quiet">End of the journal.</p>
      )}
    </div>
  );
}

interface EraseProps {
  readonly query: Query;
  readonly name: string;
  readonly onDone: () => void;
}

function EraseButton({ query: { project, process, workspace }, name, onDone }: EraseProps) {
  const { session } = useWorld();
  const asked: RequestOf<'erase'> = {
    operation: 'erase',
    project,
    ...(process && { process }),
    ...(workspace && { workspace }),
  };
  const ask = (request: RequestOf<'erase'>) => session.ask(request);
  return (
    <ConfirmButton
      title={`Erase ${name}`}
      label="Erase"
      tone="bad"
      preview={async () => erasedLines(await eraseAll(ask, { ...asked, dryRun: true })).join('\n')}
      act={async () => erasedText(await eraseAll(ask, asked))}
      onDone={onDone}
    />
  );
}

function Moment({ entry: { line }, isOfTask }: { readonly entry: Entry; readonly isOfTask: boolean }) {
  return (
    <li class={`moment ${line.action}`}>
      <time class="moment-time" dateTime={new Date(line.at).toISOString()}>
        {wallTime(line.at).slice(11)}
      </time>
      <a class="moment-what" href={addressOf('event', line.id)}>
        {!isOfTask && (
          <span class="moment-where">
            <bdi>{line.task?.name ?? 'The project'}</bdi>
          </span>
        )}
        <span>
          <What line={line} />
          <By line={line} after=" · " />
        </span>
      </a>
    </li>
  );
}

function timelineText(title: string, entries: readonly Entry[]): string {
  return `${[title, ...entries.map(({ line }) => `${wallTime(line.at)}  ${lineText(line)}`)].join('\n')}\n`;
}
