import { useId, useMemo } from 'preact/hooks';
import { dataOf } from '../model/committed.ts';
import { FILTER_TYPES } from '../model/event-types.ts';
import { FILTER_LABELS, type FilterForm, NO_VALUES, type ValueRow } from '../model/filter-form.ts';
import type { FormErrors } from '../model/form-errors.ts';
import { readListed, showListed } from '../model/listed.ts';
import { fieldNames } from '../model/preview.ts';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';
import { Preview } from './filter-preview.tsx';
import { TextField } from './text-field.tsx';
import { type PastEvents, usePast } from './use-past.ts';
import { Where } from './where-editor.tsx';

interface Props {
  readonly form: FilterForm;
  readonly errors: FormErrors;
  readonly onChange: (form: FilterForm) => void;
}

/** Edits the filter of an endpoint, with a preview of matches in the last thousand events. */
export function FilterEditor({ form, errors, onChange }: Props) {
  const past = usePast();
  const set = (part: Partial<FilterForm>) => onChange({ ...form, ...part });
  const names = useMemo(() => fieldNames(past.past), [past]);
  const actors = useMemo(() => actorNames(past), [past]);
  const list = useId();
  const actorList = useId();
  return (
    <div class="filter-editor">
      <div class="form">
        <Types chosen={form.events} onChange={events => set({ events })} />
        <GroupError error={errors.events} />
        <Processes form={form} set={set} />
        <GroupError error={errors.workspaces} />
        <GroupError error={errors.processes} />
        <TextField
          label={FILTER_LABELS.projects}
          hint="Comma-separated ids. Empty = all."
          value={form.projects}
          error={errors.projects}
          onChange={value => set({ projects: value })}
        />
        <TextField
          label={FILTER_LABELS.fields}
          hint="Comma-separated names or ids of fields. Empty = any."
          value={form.fields}
          error={errors.fields}
          list={list}
          onChange={value => set({ fields: value })}
        />
        <datalist id={list}>
          {names.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Values rows={form.values} list={list} onChange={values => set({ values })} />
        <GroupError error={errors.values} />
        <Where groups={form.where} list={list} onChange={where => set({ where })} />
        <GroupError error={errors.where} />
        <TextField
          label={FILTER_LABELS.actors}
          hint="Comma-separated names or ids of users. Empty = anyone, including unknown."
          value={form.actors}
          error={errors.actors}
          list={actorList}
          onChange={value => set({ actors: value })}
        />
        <TextField
          label={FILTER_LABELS.exceptActors}
          hint="Skip changes made only by these users, e.g. an integration."
          value={form.exceptActors}
          error={errors.exceptActors}
          list={actorList}
          onChange={value => set({ exceptActors: value })}
        />
        <datalist id={actorList}>
          {actors.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <Preview form={form} past={past} />
    </div>
  );
}

/** The error of a group of fields. */
function GroupError({ error }: { readonly error: string | undefined }) {
  return error === undefined ? null : (
    <p class="hint bad-text lines" role="alert">
      {error}
    </p>
  );
}

function Types({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
}) {
  const toggle = (type: string) =>
    onChange(chosen.includes(type) ? chosen.filter(one => one !== type) : [...chosen, type]);
  return (
    <fieldset>
      <legend>
        {FILTER_LABELS.events}{' '}
        <span class="quiet">{chosen.length === 0 ? 'all' : `${chosen.length} chosen`}</span>
      </legend>
      {FILTER_TYPES.map(({ kind, types }) => (
        <div key={kind} class="type-row">
          <span class="quiet">{kind}</span>
          {types.map(type => (
            <label key={type} class="check">
              <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />
              {type.startsWith(`${kind}.`) ? type.slice(kind.length + 1) : type}
              <span class="hidden"> {kind}</span>
            </label>
          ))}
        </div>
      ))}
    </fieldset>
  );
}

function Processes({
  form,
  set,
}: {
  readonly form: FilterForm;
  readonly set: (part: Partial<FilterForm>) => void;
}) {
  const processes = useStore(useWorld().status).status?.processes ?? [];
  const workspaces = [...new Set(processes.map(({ workspace }) => workspace))];
  return (
    <>
      {(workspaces.length > 1 || form.workspaces !== '') && (
        <Chosen
          legend={FILTER_LABELS.workspaces}
          all={workspaces}
          text={form.workspaces}
          onChange={text => set({ workspaces: text })}
        />
      )}
      <Chosen
        legend={FILTER_LABELS.processes}
        all={[...new Set(processes.map(({ process }) => process))]}
        text={form.processes}
        onChange={text => set({ processes: text })}
      />
    </>
  );
}

interface ChosenProps {
  readonly legend: string;
  readonly all: readonly string[];
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Checkboxes for known values, and for chosen values that are no longer known. */
function Chosen({ legend, all, text, onChange }: ChosenProps) {
  const chosen = readListed(text);
  const shown = [...new Set([...all, ...chosen])];
  const toggle = (one: string) =>
    onChange(showListed(chosen.includes(one) ? chosen.filter(each => each !== one) : [...chosen, one]));
  return (
    <fieldset>
      <legend>
        {legend} <span class="quiet">{chosen.length === 0 ? 'all' : `${chosen.length} chosen`}</span>
      </legend>
      <div class="type-row">
        {shown.map(one => (
          <label key={one} class="check">
            <input type="checkbox" checked={chosen.includes(one)} onChange={() => toggle(one)} />
            <bdi>{one}</bdi>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface ValuesProps {
  readonly rows: readonly ValueRow[];
  readonly list: string;
  readonly onChange: (rows: readonly ValueRow[]) => void;
}

const PARTS = [
  ['from', 'From'],
  ['to', 'To'],
  ['added', 'Added'],
  ['removed', 'Removed'],
] as const;

/** Conditions on changed fields, of which one must match. */
function Values({ rows, list, onChange }: ValuesProps) {
  const set = (index: number, part: Partial<ValueRow>) =>
    onChange(rows.map((row, place) => (place === index ? { ...row, ...part } : row)));
  return (
    <fieldset>
      <legend>
        {FILTER_LABELS.values}{' '}
        <span class="quiet">
          {rows.length === 0
            ? 'any'
            : 'Match any of these. Leave a box empty to ignore it; "" means no value.'}
        </span>
      </legend>
      {rows.map((row, index) => (
        <div key={index} class="value-row">
          <input
            type="text"
            list={list}
            placeholder="Field"
            aria-label={`Field of condition ${index + 1}`}
            value={row.field}
            onInput={event => set(index, { field: event.currentTarget.value })}
          />
          {PARTS.map(([key, label]) => (
            <input
              key={key}
              type="text"
              placeholder={label}
              aria-label={`${label}, condition ${index + 1}`}
              value={row[key]}
              onInput={event => set(index, { [key]: event.currentTarget.value })}
            />
          ))}
          <button
            type="button"
            class="plain"
            aria-label={`Remove condition ${index + 1}`}
            onClick={() => onChange(rows.filter((_, place) => place !== index))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" class="small" onClick={() => onChange([...rows, NO_VALUES])}>
        Add a condition
      </button>
    </fieldset>
  );
}

/** The names of actors; the id if the name is missing or has a comma. */
function actorNames({ past }: PastEvents): string[] {
  return [
    ...new Set(
      past.flatMap(({ committed }) =>
        (dataOf(committed).actors ?? []).map(({ id, name }) =>
          name === undefined || name.includes(',') ? id : name,
        ),
      ),
    ),
  ].toSorted();
}
