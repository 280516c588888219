import type { EventType } from '../../functions/model/event.ts';
import type { EndpointFilter } from '../../functions/model/filter.ts';
import type { ValueFilter } from '../../functions/model/value-filter.ts';
import { readListed, showListed } from './listed.ts';

/** A condition on a changed field. Each text is a list of values; an empty one means no condition. */
export interface ValueRow {
  readonly field: string;
  readonly from: string;
  readonly to: string;
  readonly added: string;
  readonly removed: string;
}

/** A filter as people fill it in. Empty parts exclude nothing. */
export interface FilterForm {
  readonly events: readonly string[];
  readonly workspaces: string;
  readonly processes: string;
  readonly projects: string;
  readonly fields: string;
  readonly values: readonly ValueRow[];
  readonly actors: string;
  readonly exceptActors: string;
}

export const NO_FILTER: FilterForm = {
  events: [],
  workspaces: '',
  processes: '',
  projects: '',
  fields: '',
  values: [],
  actors: '',
  exceptActors: '',
};
export const NO_VALUES: ValueRow = { field: '', from: '', to: '', added: '', removed: '' };

const VALUE_KEYS = ['from', 'to', 'added', 'removed'] as const;

/** The filter that a form asks for; undefined for all events. */
export function filterOf(form: FilterForm): EndpointFilter | undefined {
  const listed = (text: string) => {
    const values = readListed(text);
    return values.length > 0 ? values : undefined;
  };
  const values = form.values.filter(({ field }) => field.trim() !== '').map(valueFilter);
  const filter: Record<string, unknown> = {
    events: form.events.length > 0 ? (form.events as readonly EventType[]) : undefined,
    workspaces: listed(form.workspaces),
    processes: listed(form.processes),
    projects: listed(form.projects),
    fields: listed(form.fields),
    values: values.length > 0 ? values : undefined,
    actors: listed(form.actors),
    exceptActors: listed(form.exceptActors),
  };
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.length > 0 ? (Object.fromEntries(given) as EndpointFilter) : undefined;
}

function valueFilter(row: ValueRow): ValueFilter {
  const asked = VALUE_KEYS.map(key => [key, readListed(row[key])] as const).filter(
    ([, values]) => values.length > 0,
  );
  return { field: row.field.trim(), ...Object.fromEntries(asked) };
}

/** The form filled in with a filter that is in use. */
export function formOf(filter: unknown): FilterForm {
  const { events = [], values = [], ...lists } = (filter ?? {}) as EndpointFilter;
  const text = (key: keyof typeof lists) => showListed(lists[key] ?? []);
  return {
    events,
    workspaces: text('workspaces'),
    processes: text('processes'),
    projects: text('projects'),
    fields: text('fields'),
    values: values.map(value => ({
      field: value.field,
      from: showListed(value.from ?? []),
      to: showListed(value.to ?? []),
      added: showListed(value.added ?? []),
      removed: showListed(value.removed ?? []),
    })),
    actors: text('actors'),
    exceptActors: text('exceptActors'),
  };
}

/** What a filter asks for, a line for each of its keys. */
export function filterText(filter: unknown): readonly (readonly [name: string, text: string])[] {
  const form = formOf(filter);
  const lines = [
    ['Types', form.events.join(', ')],
    ['Workspaces', form.workspaces],
    ['Processes', form.processes],
    ['Projects', form.projects],
    ['Changed fields', form.fields],
    ...form.values.map(row => ['Change of', rowText(row)] as const),
    ['Made by', form.actors],
    ['Not made by', form.exceptActors],
  ] as const;
  return lines.filter(([, text]) => text !== '');
}

function rowText({ field, ...row }: ValueRow): string {
  const asked = VALUE_KEYS.filter(key => row[key] !== '').map(key => `${key} ${row[key]}`);
  return [field, ...asked].join(', ');
}
