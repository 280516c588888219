import type { FilterType } from '../../functions/model/event.ts';
import {
  CONDITIONS,
  type EndpointFilter,
  FILTER_KEYS,
  type ValueFilter,
} from '../../functions/model/filter.ts';
import { readListed, showListed } from './listed.ts';
import { groupText, repeatedIn, type WhereForm, whereForm, whereOf } from './where-form.ts';

type FilterKey = (typeof FILTER_KEYS)[number];
/** The keys of a filter that the form shows as comma-separated texts. */
type ListKey = Exclude<FilterKey, 'events' | 'values' | 'where'>;

/** The name of each key in the form. */
export const FILTER_LABELS: Readonly<Record<FilterKey, string>> = {
  events: 'Event types',
  workspaces: 'Workspaces',
  processes: 'Processes',
  projects: 'Projects',
  fields: 'Changed fields',
  values: 'Values',
  where: 'Conditions',
  actors: 'Made by',
  exceptActors: 'Not made by',
};

/** A condition on a changed field. Each text is a list of values; an empty one means no condition. */
export type ValueRow = Readonly<Record<'field' | (typeof CONDITIONS)[number], string>>;

/** A filter in a form. Empty parts exclude nothing. */
export interface FilterForm extends Readonly<Record<ListKey, string>> {
  readonly events: readonly string[];
  readonly values: readonly ValueRow[];
  readonly where: WhereForm;
}

const LIST_KEYS = FILTER_KEYS.filter(key => key !== 'events' && key !== 'values' && key !== 'where');

export const NO_VALUES: ValueRow = { field: '', from: '', to: '', added: '', removed: '' };
export const NO_FILTER = formOf(undefined);

/** The filter of a form; undefined for all events. */
export function filterOf(form: FilterForm): EndpointFilter | undefined {
  const values = form.values.filter(({ field }) => field.trim() !== '').map(valueFilter);
  const where = whereOf(form.where);
  const filter: EndpointFilter = {
    ...(form.events.length > 0 && { events: form.events as readonly FilterType[] }),
    ...listed(LIST_KEYS, form),
    ...(values.length > 0 && { values }),
    ...(where.length > 0 && { where }),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** The filter of a form that is saved.
 *  @throws an Error, like a refusal, if a condition that is filled in would be left out */
export function savedFilterOf(form: FilterForm): EndpointFilter | undefined {
  const isEmpty = (text: string) => text.trim() === '';
  const hasLostValue = form.values.some(
    row => isEmpty(row.field) && !CONDITIONS.every(key => isEmpty(row[key])),
  );
  const hasLostTest = form.where.flat().some(({ field, value }) => isEmpty(field) && !isEmpty(value));
  const repeated = repeatedIn(form.where);
  const problems = [
    ...(hasLostValue ? [`filter.values: ${NO_FIELD}`] : []),
    ...(hasLostTest ? [`filter.where: ${NO_FIELD}`] : []),
    ...(repeated ? [`filter.where: Remove one of the two conditions on ${repeated.field}.`] : []),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return filterOf(form);
}

const NO_FIELD = 'Enter its field, or remove the condition.';

function valueFilter(row: ValueRow): ValueFilter {
  return { field: row.field.trim(), ...listed(CONDITIONS, row) };
}

/** The texts that are not empty, as lists. */
function listed<Key extends string>(keys: readonly Key[], texts: Readonly<Record<Key, string>>) {
  const lists = keys.map(key => [key, readListed(texts[key])] as const);
  return Object.fromEntries(lists.filter(([, values]) => values.length > 0));
}

/** The form of a filter. */
export function formOf(filter: unknown): FilterForm {
  const { events = [], values = [], where = [], ...lists } = (filter ?? {}) as EndpointFilter;
  const rows = values.map(({ field, ...conditions }) => ({ field, ...shown(CONDITIONS, conditions) }));
  return { events, values: rows, where: whereForm(where), ...shown(LIST_KEYS, lists) };
}

/** Lists as texts; a missing list is empty. */
function shown<Key extends string>(
  keys: readonly Key[],
  lists: { readonly [Each in Key]?: readonly unknown[] | undefined },
): Record<Key, string> {
  const texts = keys.map(key => [key, showListed(lists[key] ?? [])]);
  return Object.fromEntries(texts) as Record<Key, string>;
}

/** A filter in words, one line for each key. */
export function filterText(filter: unknown): readonly (readonly [name: string, text: string])[] {
  const form = formOf(filter);
  return FILTER_KEYS.flatMap(key => {
    if (key === 'events') return [['Types', form.events.join(', ')] as const];
    if (key === 'values') return form.values.map(row => ['Change of', rowText(row)] as const);
    if (key === 'where') return [['Where', form.where.map(groupText).join(', or ')] as const];
    return [[FILTER_LABELS[key], form[key]] as const];
  }).filter(([, text]) => text !== '');
}

function rowText({ field, ...row }: ValueRow): string {
  const asked = CONDITIONS.filter(key => row[key] !== '').map(key => `${key} ${row[key]}`);
  return [field, ...asked].join(', ');
}
