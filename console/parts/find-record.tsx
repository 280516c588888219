import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChangeLine } from '../model/change-line.ts';
import { EVERYTHING } from '../model/line-filter.ts';
import { type FoundRecord, recordsNamed, recordText } from '../model/records.ts';
import { addressOf } from '../model/routes.ts';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';
import { Further } from './further.tsx';
import { Empty, Failed, Loading } from './states.tsx';
import { useSearch } from './use-search.ts';

/** Opens the timeline of a project or task by its id or a part of its name; suggests those that changed recently.
 *  `process`: `workspace/process`, or an empty text. */
export function FindRecord({ process }: { readonly process: string }) {
  const { lines } = useStore(useWorld().live.store).feed;
  const suggested = useMemo(() => recordsNamed(ofProcess(lines, process), ''), [lines, process]);
  const [text, setText] = useState('');
  const open = (wanted: string) => {
    const one = suggested.find(each => recordText(each) === wanted);
    if (one) location.hash = timelineOf(one);
    else if (wanted.trim() !== '')
      location.hash = addressOf('history', undefined, { record: wanted.trim(), process });
  };
  return (
    <form
      class="find-record"
      onSubmit={event => {
        event.preventDefault();
        open(text);
      }}
    >
      <label class="inline">
        <span>Timeline of</span>
        <input
          type="search"
          list="records"
          placeholder="Project or task"
          value={text}
          onInput={event => {
            const { value } = event.currentTarget;
            setText(value);
            if (suggested.some(each => recordText(each) === value)) open(value);
          }}
        />
      </label>
      <datalist id="records">
        {suggested.map(one => (
          <option key={recordText(one)} value={recordText(one)} />
        ))}
      </datalist>
      <button type="submit">Open</button>
    </form>
  );
}

function ofProcess(lines: readonly ChangeLine[], wanted: string): readonly ChangeLine[] {
  return wanted === ''
    ? lines
    : lines.filter(({ workspace, process }) => `${workspace}/${process}` === wanted);
}

function timelineOf({ workspace, process, project, task }: FoundRecord): string {
  return addressOf('history', undefined, { workspace, process, project: project.id, task: task?.id });
}

/** The records of the journal with a text in their name or as their id. The only one is opened. */
export function FoundRecords({ text, process }: { readonly text: string; readonly process: string }) {
  const search = useSearch({ ...EVERYTHING, words: text, process });
  const found = useMemo(() => recordsNamed(search?.lines ?? [], text), [search, text]);
  const exact = found.find(({ project, task }) => (task ?? project).id === text);
  const only = search?.state === 'all' && found.length === 1 ? found[0] : undefined;
  const target = exact ?? only;
  useEffect(() => {
    // Replaced, so that Back does not lead here and forward again.
    if (target) location.replace(timelineOf(target));
  }, [target]);
  return (
    <div class="column">
      <div class="page-head">
        <h1 tabIndex={-1}>
          <a class="crumb" href={addressOf('history', undefined, { process })}>
            History
          </a>
          <span class="step"> › </span>
          <bdi>“{text}”</bdi>
        </h1>
        <FindRecord process={process} />
      </div>
      {search?.error !== undefined && <Failed error={search.error} />}
      {found.length === 0 && search?.state === 'reading' && <Loading what="The records" />}
      {found.length === 0 && search?.state === 'all' && (
        <Empty title="No project or task with this name or id has changed since the journal begins." />
      )}
      {found.length > 0 && (
        <ul class="sheet found">
          {found.map(one => (
            <li key={timelineOf(one)}>
              <a href={timelineOf(one)}>
                <bdi>{recordText(one)}</bdi>
              </a>
              <bdi class="process-tag">{one.process}</bdi>
            </li>
          ))}
        </ul>
      )}
      {search && (
        <p>
          <Further search={search} />
        </p>
      )}
    </div>
  );
}
