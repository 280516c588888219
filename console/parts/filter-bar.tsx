import { useMemo } from 'preact/hooks';
import type { ProcessStatus } from '../../functions/operations/protocol/status.ts';
import type { ChangeLine } from '../model/change-line.ts';
import { EVENT_TYPES } from '../model/event-types.ts';
import { type LineFilter, ofAllTimes } from '../model/line-filter.ts';
import { periodOf } from '../model/time-axis.ts';

interface Props {
  readonly filter: LineFilter;
  readonly onChange: (filter: LineFilter) => void;
  readonly processes: readonly ProcessStatus[];
  readonly lines: readonly ChangeLine[];
}

/** The number of lines whose field names are suggested. */
const SUGGESTED_FROM = 1_000;

/** Filters the changes by words, type, field and process. */
export function FilterBar({ filter, onChange, processes, lines }: Props) {
  const set = (part: Partial<LineFilter>) => onChange({ ...filter, ...part });
  const fields = useMemo(() => fieldsOf(lines), [lines]);
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
      <input
        type="search"
        list="stream-fields"
        class="field-input"
        placeholder="Field"
        aria-label="Field"
        value={filter.field}
        onInput={event => set({ field: event.currentTarget.value })}
      />
      <datalist id="stream-fields">
        {fields.map(field => (
          <option key={field} value={field} />
        ))}
      </datalist>
      {processes.length > 1 && (
        <select
          aria-label="Process"
          value={filter.process}
          onChange={event => set({ process: event.currentTarget.value })}
        >
          <option value="">All processes</option>
          {processes.map(({ workspace, process }) => (
            <option key={`${workspace}/${process}`} value={`${workspace}/${process}`}>
              {workspace}/{process}
            </option>
          ))}
        </select>
      )}
      {(filter.since !== '' || filter.until !== '') && (
        <button
          type="button"
          class="chip"
          aria-label={`${periodOf(filter)}: show all times`}
          onClick={() => onChange(ofAllTimes(filter))}
        >
          {periodOf(filter)} <span aria-hidden="true">✕</span>
        </button>
      )}
    </search>
  );
}

function fieldsOf(lines: readonly ChangeLine[]): string[] {
  const labels = lines.slice(0, SUGGESTED_FROM).flatMap(({ changes }) => changes.map(({ label }) => label));
  return [...new Set(labels)].toSorted().slice(0, 200);
}
