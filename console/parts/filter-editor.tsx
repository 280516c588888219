import { useId, useMemo } from 'preact/hooks';
import { dataOf } from '../model/committed.ts';
import { EVENT_TYPES } from '../model/event-types.ts';
import { FILTER_LABELS, type FilterForm, filterOf, NO_VALUES, type ValueRow } from '../model/filter-form.ts';
import type { FormErrors } from '../model/form-errors.ts';
import { readListed, showListed } from '../model/listed.ts';
import { matched } from '../model/preview.ts';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';
import { What, Where } from './change.tsx';
import { Failed, Loading } from './states.tsx';
import { TextField } from './text-field.tsx';
import { Ago } from './times.tsx';
import { LOOKED_BACK, type PastEvents, usePast } from './use-past.ts';

interface Props {
  readonly form: FilterForm;
  readonly errors: FormErrors;
  readonly onChange: (form: FilterForm) => void;
}

/** Edits the filter of an endpoint, and shows which of the last thousand events it would have matched. */
export function FilterEditor({ form, errors, onChange }: Props) {
  const past = usePast();
  const set = (part: Partial<FilterForm>) => onChange({ ...form, ...part });
  const names = useMemo(() => fieldNames(past), [past]);
  const actors = useMemo(() => actorNames(past), [past]);
  const list = useId();
  const actorList = useId();
  return (
    <div class="filter-editor">
      <div class="form">
        <Types chosen={form.events} onChange={events => set({ events })} />
        <Wrong error={errors.events} />
        <Processes form={form} set={set} />
        <Wrong error={errors.workspaces} />
        <Wrong error={errors.processes} />
        <TextField
          label={FILTER_LABELS.projects}
          hint="Identifiers, with commas between. Empty: all."
          value={form.projects}
          error={errors.projects}
          onChange={value => set({ projects: value })}
        />
        <TextField
          label={FILTER_LABELS.fields}
          hint="Names that people see, or properties, with commas between. Empty: any."
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
        <Wrong error={errors.values} />
        <TextField
          label={FILTER_LABELS.actors}
          hint="Names or identifiers of users, with commas between. Empty: anybody, also where nobody is known."
          value={form.actors}
          error={errors.actors}
          list={actorList}
          onChange={value => set({ actors: value })}
        />
        <TextField
          label={FILTER_LABELS.exceptActors}
          hint="Leaves out what these alone changed, such as an integration."
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

/** An error of a group of boxes. */
function Wrong({ error }: { readonly error: string | undefined }) {
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
      {EVENT_TYPES.map(({ kind, types }) => (
        <div key={kind} class="type-row">
          <span class="quiet">{kind}</span>
          {types.map(type => (
            <label key={type} class="check">
              <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />
              {type.slice(kind.length + 1)}
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

/** A choice of several known values. A value that was chosen before, and is not known now, stays chosen. */
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

/** Conditions on changed fields, of which one must be met: from and to which values. */
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
            : 'one of these must be so; an empty box asks for nothing, "" for an empty value'}
        </span>
      </legend>
      {rows.map((row, index) => (
        <div key={index} class="value-row">
          <input
            type="text"
            list={list}
            placeholder="Field"
            aria-label={`Field of value ${index + 1}`}
            value={row.field}
            onInput={event => set(index, { field: event.currentTarget.value })}
          />
          {PARTS.map(([key, label]) => (
            <input
              key={key}
              type="text"
              placeholder={label}
              aria-label={`${label}, of value ${index + 1}`}
              value={row[key]}
              onInput={event => set(index, { [key]: event.currentTarget.value })}
            />
          ))}
          <button
            type="button"
            class="plain"
            aria-label={`Remove value ${index + 1}`}
            onClick={() => onChange(rows.filter((_, place) => place !== index))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" class="small" onClick={() => onChange([...rows, NO_VALUES])}>
        Add a value
      </button>
    </fieldset>
  );
}

const SHOWN = 12;

function Preview({
  form,
  past: { past, isRead, error },
}: {
  readonly form: FilterForm;
  readonly past: PastEvents;
}) {
  const wanted = useMemo(() => matched(filterOf(form), past), [form, past]);
  const oldest = past.at(-1)?.line.at;
  return (
    <section class="sheet preview" aria-label="What it would have got">
      <p class="preview-head" aria-live="polite">
        <strong>{wanted.length.toLocaleString('en')}</strong> of the last {past.length.toLocaleString('en')}{' '}
        events
        {isRead || past.length >= LOOKED_BACK ? '' : ' so far'}
        {oldest !== undefined && (
          <span class="quiet">
            , the first <Ago at={oldest} />
          </span>
        )}
      </p>
      {error !== undefined && <Failed error={error} />}
      {past.length === 0 && !isRead && error === undefined && <Loading what="The last events" />}
      {past.length === 0 && isRead && <p class="quiet">Nothing has changed yet: nothing to try it on.</p>}
      {past.length > 0 && wanted.length === 0 && <p class="quiet">None of them is so.</p>}
      <ul class="preview-lines">
        {wanted.slice(0, SHOWN).map(({ line }) => (
          <li key={line.id}>
            <div class="preview-line">
              <span class="where">
                <Where line={line} />
              </span>
              <span class="what">
                <What line={line} />
              </span>
            </div>
          </li>
        ))}
      </ul>
      {wanted.length > SHOWN && <p class="quiet">and {(wanted.length - SHOWN).toLocaleString('en')} more</p>}
    </section>
  );
}

function fieldNames({ past }: PastEvents): string[] {
  return [
    ...new Set(
      past.flatMap(({ line }) =>
        line.changes.map(({ field, label }) => (label.includes(',') ? field : rawName(label, field))),
      ),
    ),
  ].toSorted();
}

/** The names of those who made the changes; the id of one without a name, or with a comma in it. */
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

/** The name by which a filter finds the field: a custom field's name, or the property. The label of a
 *  built-in field is made of its property, and is neither. */
function rawName(label: string, field: string): string {
  return label.toLowerCase().replaceAll(/[\s_-]/g, '') === field.toLowerCase().replaceAll(/[\s_-]/g, '')
    ? field
    : label;
}
