import { useMemo, useState } from 'preact/hooks';
import type { ChangeLine } from '../model/change-line.ts';
import { addressOf } from '../model/routes.ts';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';

interface Props {
  readonly workspace: string;
  readonly process: string;
}

interface Found {
  readonly text: string;
  readonly project: string;
  readonly task: string | undefined;
}

const MAX_COUNT = 500;

/** Opens the timeline of a project or task, by the name of a recently changed one or by a project id. */
export function FindRecord({ workspace, process }: Props) {
  const { lines } = useStore(useWorld().live.store).feed;
  const found = useMemo(() => records(lines, process), [lines, process]);
  const [text, setText] = useState('');
  const open = (wanted: string) => {
    const one = found.find(each => each.text === wanted);
    const project = one?.project ?? wanted.trim();
    if (project !== '')
      location.hash = addressOf('history', undefined, { workspace, process, project, task: one?.task });
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
            if (found.some(each => each.text === value)) open(value);
          }}
        />
      </label>
      <datalist id="records">
        {found.map(one => (
          <option key={one.text} value={one.text} />
        ))}
      </datalist>
      <button type="submit">Open</button>
    </form>
  );
}

function records(lines: readonly ChangeLine[], process: string): Found[] {
  const found = new Map<string, Found>();
  for (const { project, task, process: of } of lines) {
    if (found.size >= MAX_COUNT) break;
    if (!project || of !== process) continue;
    const own = `${project.name} (${project.id})`;
    found.set(own, { text: own, project: project.id, task: undefined });
    if (!task) continue;
    const text = `${project.name} › ${task.name} (${task.id})`;
    found.set(text, { text, project: project.id, task: task.id });
  }
  return [...found.values()];
}
