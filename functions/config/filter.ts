import * as z from 'zod';
import { canonicalDecimal } from '../basics/decimal.ts';
import type { EventType, FilterType } from '../model/event.ts';
import {
  CONDITIONS,
  type EndpointFilter,
  HEALTH_TYPES,
  isHealthEvent,
  type ValueFilter,
} from '../model/filter.ts';
import { type FilterValue, isDate } from '../model/filter-value.ts';
import {
  type Conditions,
  type FieldTests,
  MOVES,
  type NegatedTests,
  type ValueTests,
} from '../model/where.ts';
import { pathText, problemAt } from './problems.ts';
import { choice, key, list, object, remedies, text, yesNo } from './values.ts';

/** Filters select by message attributes (functions/topic/send-batch.ts) and by actors, which are not message
 *  attributes. Those of an audit entry are its users. */
type Part = keyof AttributeFilter | 'actors' | 'record';

/** The optional parts that events of each type may have. */
const CARRIED = {
  'project.created': ['projectId', 'changedFields', 'actors', 'record'],
  'project.updated': ['projectId', 'changedFields', 'actors', 'record'],
  'project.deleted': ['projectId', 'actors', 'record'],
  'task.created': ['projectId', 'changedFields', 'actors', 'record'],
  'task.updated': ['projectId', 'changedFields', 'actors', 'record'],
  'task.deleted': ['projectId', 'actors', 'record'],
  'task.due': ['projectId', 'record'],
  'task.overdue': ['projectId', 'record'],
  'project.due': ['projectId', 'record'],
  'project.overdue': ['projectId', 'record'],
  'project.unchanged': ['projectId', 'record'],
  'field.created': [],
  'field.updated': [],
  'field.archived': [],
  'field.deleted': [],
  'source.held': [],
  'source.stalled': [],
  'source.recovered': [],
  'source.skipped': ['projectId'],
  'audit.recorded': ['actors'],
} as const satisfies Record<EventType, readonly Part[]>;

/** Every type of published events. */
export const EVENT_TYPES = Object.keys(CARRIED) as EventType[];

/** Every type that an endpoint's filter can name. */
export const FILTER_TYPES: readonly FilterType[] = [...EVENT_TYPES, ...HEALTH_TYPES];

/** Whether an event of this type can have this part. */
export function mayCarry(type: FilterType, part: Part): boolean {
  if (isHealthEvent({ type })) return part === 'eventType';
  if (part === 'eventType' || part === 'workspace' || part === 'processId') return true;
  return (CARRIED[type as EventType] as readonly Part[]).includes(part);
}

/** The maximum length of a value: that which SNS compares. */
export const MAX_TEXT_LENGTH = 256;

export const filterValue = () => text(/^.{1,256}$/s, 'text of 1 to 256 characters');

const fieldNames = () => list(filterValue(), 1, 'field names').optional();

const ofEndpoints = Object.fromEntries(
  HEALTH_TYPES.map(type => [type, 'SNS does not get it: make it an endpoint']),
);

const values = {
  eventType: key(
    list(choice(EVENT_TYPES, ofEndpoints), 1, 'event types').optional(),
    'The [types of events](events.md).',
    'any',
  ),
  workspace: key(
    list(filterValue(), 1, 'workspace names').optional(),
    'Names of configured workspaces.',
    'any',
  ),
  processId: key(list(filterValue(), 1, 'process ids').optional(), 'Ids of configured processes.', 'any'),
  projectId: key(list(filterValue(), 1, 'project ids').optional(), 'Ids of projects.', 'any'),
  changedFields: key(fieldNames(), 'Ids of fields, of which at least one changed.', 'any'),
};

const ENDPOINTS_ALONE = "SNS can't filter by that: make it an endpoint, whose filter has this key";

/** The events that a subscriber gets, by message attributes. An event must match every given key, by any
 *  of the key's values. A policy takes five attributes, and all are used: actors have no attribute. */
export const attributeFilter = object(values).register(remedies, {
  values: ENDPOINTS_ALONE,
  where: ENDPOINTS_ALONE,
  actors: ENDPOINTS_ALONE,
  exceptActors: ENDPOINTS_ALONE,
});

const fieldValue = 'text of at most 256 characters, a number, true or false';
const fieldValuesError = { error: `${fieldValue}, or a list of at least one of these` };
const oneFieldValue = z.union(
  [z.string().max(MAX_TEXT_LENGTH, { error: fieldValue }), z.number(), z.boolean()],
  { error: fieldValue },
);
/** A list of values; a single value is treated as a list. */
const fieldValues = () =>
  z
    .union(
      [oneFieldValue.transform(one => [one]), z.array(oneFieldValue).min(1, fieldValuesError)],
      fieldValuesError,
    )
    .optional();

/** Without this, a misspelt key would cause a second problem. */
const isValidSoFar = ({ issues }: z.core.ParsePayload): boolean => issues.length === 0;

/** A condition on one changed field. */
const valueFilter = object({
  field: key(filterValue(), 'The id or the displayed name of the field.'),
  from: key(fieldValues(), 'The value before the change.', 'any'),
  to: key(fieldValues(), 'The value after the change.', 'any'),
  added: key(fieldValues(), 'A choice that a multiple-choice field gained.', 'any'),
  removed: key(fieldValues(), 'A choice that a multiple-choice field lost.', 'any'),
} satisfies Record<keyof ValueFilter, z.ZodType>).refine(
  wanted => CONDITIONS.some(condition => wanted[condition]),
  {
    error: `in addition to "field", at least one of ${CONDITIONS.join(', ')}`,
    when: isValidSoFar,
  },
);

const numberError = { error: 'a number' };
const number = () =>
  z
    .union(
      [z.number(), z.string().refine(text => canonicalDecimal(text) !== undefined, numberError)],
      numberError,
    )
    .optional();

const dateError = {
  error:
    'a day of the calendar such as "2026-05-01", a time in ISO 8601, or a day from that of the event such as "today", "+7d" or "-1d"',
};
const date = () => z.string(dateError).refine(isDate, dateError).optional();

const valueTests = () =>
  ({
    in: fieldValues(),
    contains: fieldValues(),
    above: number(),
    below: number(),
    before: date(),
    after: date(),
    exists: yesNo().optional(),
  }) satisfies Record<keyof ValueTests, z.ZodType>;

/** Tests of a value; a value or a list of values stands for `in`. */
function testsOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const keys = Object.keys(shape).join(', ');
  const error = `a value, a list of values, or an object with at least one of ${keys}`;
  const tests = object(shape).refine(given => Object.values(given).some(test => test !== undefined), {
    error,
    when: isValidSoFar,
  });
  return z.union(
    [
      oneFieldValue.transform(one => ({ in: [one] })),
      z
        .array(oneFieldValue)
        .min(1, { error })
        .transform(all => ({ in: all })),
      tests,
    ],
    { error },
  );
}

const negatedTests = () =>
  ({ ...valueTests(), not: testsOf(valueTests()).optional() }) satisfies Record<
    keyof NegatedTests,
    z.ZodType
  >;

const fieldTests = testsOf({
  ...negatedTests(),
  became: testsOf(negatedTests()).optional(),
  moved: choice(MOVES).optional(),
} satisfies Record<keyof FieldTests, z.ZodType>);

const conditionsError = { error: 'an object with at least one field, each with its condition' };
const conditions = z
  .record(filterValue(), fieldTests, conditionsError)
  .refine(given => Object.keys(given).length > 0, conditionsError);

const groupsError = { error: 'an object with conditions by field, or a list of such objects' };

/** Groups of conditions; a single group is treated as a list. */
export const whereConditions = () =>
  z
    .union(
      [conditions.transform(one => [one]), z.array(conditions, groupsError).min(1, groupsError)],
      groupsError,
    )
    .optional() satisfies z.ZodType<readonly Conditions[] | undefined>;

const actors = () => list(filterValue(), 1, "actors' ids or names").optional();

/** An endpoint's filter, with keys in plain words. It can also select by the displayed names of fields, by
 *  their values before and after the change, and by actors. */
export const endpointFilter = object({
  events: key(
    list(choice(FILTER_TYPES), 1, 'event types').optional(),
    'The [types of events](events.md). Those [about other endpoints](events.md#endpointfailing) are sent only if they are named here.',
    'any',
  ),
  workspaces: values.workspace,
  processes: values.processId,
  projects: values.projectId,
  fields: key(fieldNames(), 'Ids or displayed names of fields, of which at least one changed.', 'any'),
  values: key(
    list(valueFilter, 1, 'conditions on values').optional(),
    'Conditions, of which a changed field meets at least one.',
    'any',
  ),
  where: key(
    whereConditions(),
    'The [conditions](filters.md) on fields as they now are, and how they changed.',
    'any',
  ),
  actors: key(
    actors(),
    'Ids or names of users, of whom at least one [made the change](events.md#actors); for `audit.recorded`, one of its `users`. An event without known actors never matches.',
    'any',
  ),
  exceptActors: key(
    actors(),
    'Leaves out events whose known actors are all in this list; for `audit.recorded`, all its `users`.',
    'none',
  ),
} satisfies Record<keyof EndpointFilter, z.ZodType>);

export type AttributeFilter = z.infer<typeof attributeFilter>;

/** The message attribute (functions/topic/send-batch.ts) of each of these keys. */
const ATTRIBUTES = {
  events: 'eventType',
  workspaces: 'workspace',
  processes: 'processId',
  projects: 'projectId',
} as const satisfies Partial<Record<keyof EndpointFilter, keyof AttributeFilter>>;

/** The part of an endpoint's filter that message attributes can express: without fields, values and
 *  actors. */
export function attributesOf(filter: EndpointFilter): AttributeFilter {
  const asked = Object.entries(ATTRIBUTES).map(([word, attribute]) => [
    attribute,
    filter[word as keyof typeof ATTRIBUTES],
  ]);
  return Object.fromEntries(asked.filter(([, wanted]) => wanted !== undefined));
}

type Path = readonly PropertyKey[];

/** The parts of an endpoint's filter that no event can ever match, in any configuration; one line each. */
export function neverMatching(filter: EndpointFilter, path: Path): string[] {
  return [
    ...neverCarried(filter, path),
    ...(filter.values ?? []).flatMap((condition, index) => [
      ...unchanged(condition, [...path, 'values', index]),
      ...madeOf(condition, filter.events, [...path, 'values', index]),
    ]),
  ];
}

/** The keys of filters that require a part which only some events have. */
const PARTS = {
  workspaces: 'workspace',
  processes: 'processId',
  projectId: 'projectId',
  projects: 'projectId',
  changedFields: 'changedFields',
  fields: 'changedFields',
  values: 'changedFields',
  where: 'record',
  actors: 'actors',
} as const satisfies Partial<Record<keyof AttributeFilter | keyof EndpointFilter, Part>>;

/** Event types that the filter names, but that its other keys exclude; one line each. */
export function neverCarried(filter: AttributeFilter & EndpointFilter, path: Path): string[] {
  const typesKey = filter.events ? 'events' : 'eventType';
  return Object.entries(PARTS).flatMap(([key, usual]) => {
    if (filter[key as keyof typeof PARTS] === undefined) return [];
    const part = key === 'where' && filter.where?.every(asksOfChange) ? 'changedFields' : usual;
    const fitting = FILTER_TYPES.filter(type => mayCarry(type, part)).join(', ');
    return (filter[typesKey] ?? []).flatMap((type, index) => {
      if (mayCarry(type, part)) return [];
      const place = pathText([...path, typesKey, index]);
      const what = pathText([...path, key]);
      return [`${place}: found "${type}", which never matches ${what}; allowed with it: ${fitting}`];
    });
  });
}

export function asksOfChange(group: Conditions): boolean {
  return Object.values(group).some(({ became, moved }) => became !== undefined || moved !== undefined);
}

/** Conditions whose `from` and `to` are equal: a change always has two values. */
function unchanged({ from, to }: ValueFilter, place: Path): string[] {
  if (!from || !to || !isOne(from) || !isOne(to) || String(from[0]) !== String(to[0])) return [];
  return [problemAt(place, 'the same value in "from" and "to", which no change has', 'two different values')];
}

/** Conditions on the value before, in a filter for created records only: they have no earlier value. */
function madeOf({ from, removed }: ValueFilter, events: EndpointFilter['events'], place: Path): string[] {
  if (!events?.every(type => type.endsWith('.created'))) return [];
  const asked = from && !from.includes('') ? 'from' : removed && 'removed';
  if (asked === undefined) return [];
  const names = pathText([...place.slice(0, -2), 'events']);
  const found = `a value before the change, but ${names} lists only created events, which have none`;
  return [problemAt([...place, asked], found, 'add "project.updated" or "task.updated" there')];
}

function isOne(values: readonly FilterValue[]): boolean {
  return values.length === 1;
}
