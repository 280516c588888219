import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProcessStatus } from '../../functions/operations/protocol/status.ts';
import type { ChangeLine } from '../model/change-line.ts';
import { EVENT_TYPES } from '../model/event-types.ts';
import type { LineFilter } from '../model/line-filter.ts';

interface Props {
  readonly filter: LineFilter;
  readonly onChange: (filter: LineFilter) => void;
  readonly processes: readonly ProcessStatus[];
  readonly lines: readonly ChangeLine[];
  /** More fields of the form, after the others. */
  readonly children?: ComponentChildren;
}

/** The number of lines whose names are suggested, and of names. */
const [SUGGESTED_FROM, MAX_NAMES] = [1_000, 200];

/** Filters the changes by words, type, field, person and process. A person can be chosen where actors are known. */
export function FilterBar({ filter, onChange, processes, lines, children }: Props) {
  const set = (part: Partial<LineFilter>) => onChange({ ...filter, ...part });
  const fields = useMemo(() => namesIn(lines, ({ changes }) => changes.map(({ label }) => label)), [lines]);
  const people = useMemo(() => namesIn(lines, ({ actors }) => actors.map(({ name }) => name)), [lines]);
  const hasSeveral = new Set(processes.map(({ workspace }) => workspace)).size > 1;
  return (
    <search class="filter-bar">
      <input
        type="search"
        class="grow"
        placeholder="Search: words, names, values"
        aria-label="Words"
        value={filter.words}
        onInput={event => set({ words: event.currentTarget.value })}
      />
      <select
        aria-label="Type"
        value={filter.type}
        onChange={event => set({ type: event.currentTarget.value })}
      >
        <option value="">All types</option>
        {EVENT_TYPES.map(({ kind, types }) => (
          <optgroup key={kind} label={kind}>
            <option value={kind}>{kind}: all</option>
            {types.map(type => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <NameInput label="Field" value={filter.field} names={fields} onInput={field => set({ field })} />
      {(people.length > 0 || filter.person !== '') && (
        <NameInput label="Person" value={filter.person} names={people} onInput={person => set({ person })} />
      )}
      {processes.length > 1 && (
        <select
          aria-label="Process"
          value={filter.process}
          onChange={event => set({ process: event.currentTarget.value })}
        >
          <option value="">All processes</option>
          {processes.map(({ workspace, process }) => (
            <option key={`${workspace}/${process}`} value={`${workspace}/${process}`}>
              {hasSeveral ? `${workspace}/${process}` : process}
            </option>
          ))}
        </select>
      )}
      {children}
    </search>
  );
}

interface NameProps {
  readonly label: string;
  readonly value: string;
  readonly names: readonly string[];
  readonly onInput: (value: string) => void;
}

/** A part of a name, with suggestions. */
function NameInput({ label, value, names, onInput }: NameProps) {
  const id = `names-${label}`;
  return (
    <>
      <input
        type="search"
        list={id}
        class="field-input"
        placeholder={label}
        aria-label={label}
        value={value}
        onInput={event => onInput(event.currentTarget.value)}
      />
      <datalist id={id}>
        {names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function namesIn(
  lines: readonly ChangeLine[],
  namesOf: (line: ChangeLine) => readonly string[],
): readonly string[] {
  return [...new Set(lines.slice(0, SUGGESTED_FROM).flatMap(namesOf))].toSorted().slice(0, MAX_NAMES);
}
