import type { Json } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { Actor, ChangeEvent, FieldChange, FilterType, HealthEvent } from './event.ts';
import { changesOf, type FilterValue, isField, isValue } from './filter-value.ts';
import { type Conditions, unmet } from './where.ts';

/** Which events an endpoint wants. An event must match each key that is given, by any of its entries. */
export interface EndpointFilter {
  readonly events?: readonly FilterType[] | undefined;
  readonly workspaces?: readonly string[] | undefined;
  readonly processes?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
  /** A field that changed, by its property or by the name that people see. */
  readonly fields?: readonly string[] | undefined;
  readonly values?: readonly ValueFilter[] | undefined;
  /** Conditions on the record, its project and its change: all of one of these groups. */
  readonly where?: readonly Conditions[] | undefined;
  /** A user who made the change, or acted in the audit entry, by id or name. */
  readonly actors?: readonly string[] | undefined;
  /** Leaves out what these alone did, by id or name. */
  readonly exceptActors?: readonly string[] | undefined;
}

/** The types of events about the health of other endpoints. Only a filter that names them selects them. */
export const HEALTH_TYPES = [
  'endpoint.failing',
  'endpoint.recovered',
  'endpoint.stopped',
  'delivery.dead',
] as const satisfies readonly HealthEvent['type'][];

/** The keys of a filter, in the order in which they are compared. */
export const FILTER_KEYS = [
  'events',
  'workspaces',
  'processes',
  'projects',
  'fields',
  'values',
  'where',
  'actors',
  'exceptActors',
] as const satisfies readonly (keyof EndpointFilter)[];

/** The keys by which a filter compares the value of a changed field. */
export const CONDITIONS = [
  'from',
  'to',
  'added',
  'removed',
] as const satisfies readonly (keyof ValueFilter)[];

/** Whether an endpoint wants an event. A filter for projects leaves out events that concern no project; a
 *  filter for fields, those that change no field of a record; one for actors, those of which no actor is
 *  known. One that excepts actors leaves out only changes in which no other user is known to have had a part.
 *  The actors of an audit entry are its users. */
export function wants(filter: EndpointFilter, event: ChangeEvent | HealthEvent): boolean {
  return leftOutBy(filter, event) === undefined;
}

/** Whether an endpoint wants the current state of a record, if `where`, which needs the event, does not exclude it.
 *  Fields, values and actors are not compared, because nothing changed; of the event types, it counts whether one is of
 *  this kind of record. */
export function wantsRecord(
  { events, workspaces, processes, projects }: EndpointFilter,
  record: { readonly kind: 'project' | 'task'; readonly project: string } & ProcessKey,
): boolean {
  return (
    (events?.some(type => type.startsWith(`${record.kind}.`)) ?? true) &&
    (workspaces?.includes(record.workspace) ?? true) &&
    (processes?.includes(record.processId) ?? true) &&
    (projects?.includes(record.project) ?? true)
  );
}

/** The first key of a filter that an event does not match; undefined when it matches all. */
export function leftOutBy(
  filter: EndpointFilter,
  event: ChangeEvent | HealthEvent,
): keyof EndpointFilter | undefined {
  if (isHealthEvent(event)) return healthLeftOutBy(filter, event.type);
  const { type, source, data } = event;
  const { fields, values, where, actors, exceptActors } = filter;
  const misses = (wanted: readonly string[] | undefined, found: string | undefined) =>
    wanted !== undefined && !wanted.some(each => each === found);
  if (misses(filter.events, type)) return 'events';
  if (misses(filter.workspaces, source.split('/')[2])) return 'workspaces';
  if (misses(filter.processes, data.process.id)) return 'processes';
  if (misses(filter.projects, 'project' in data ? data.project.id : undefined)) return 'projects';
  const changes = changesOf(event);
  if (fields && !changes.some(change => fields.some(field => isField(field, change)))) return 'fields';
  if (values && !changes.some(change => values.some(value => matchesValues(value, change)))) return 'values';
  if (where && unmet(where, event) !== undefined) return 'where';
  const acted = actorsOf(event);
  if (actors && !acted.some(actor => isActor(actors, actor))) return 'actors';
  const isExcepted = (except: readonly string[]) =>
    acted.length > 0 && !isCut(event) && acted.every(actor => isActor(except, actor));
  return exceptActors && isExcepted(exceptActors) ? 'exceptActors' : undefined;
}

export function isHealthEvent(event: { readonly type: string }): event is HealthEvent {
  return (HEALTH_TYPES as readonly string[]).includes(event.type);
}

/** These events have no part that another key could compare. */
function healthLeftOutBy(
  filter: EndpointFilter,
  type: HealthEvent['type'],
): keyof EndpointFilter | undefined {
  if (!filter.events?.includes(type)) return 'events';
  return FILTER_KEYS.find(key => key !== 'events' && key !== 'exceptActors' && filter[key] !== undefined);
}

export function actorsOf({ data }: ChangeEvent): readonly Actor[] {
  if ('users' in data) return data.users;
  // Stryker disable next-line ArrayDeclaration: a text is not a user that a filter could name
  return ('actors' in data && data.actors) || [];
}

/** Whether further users may have acted who had no room in the event. */
function isCut({ data }: ChangeEvent): boolean {
  return 'users' in data && data.truncated?.includes('users') === true;
}

function isActor(named: readonly string[], { id, name }: Actor): boolean {
  return named.some(each => each === id || each === name);
}

/** What one changed field must match: every key that is given, by any of its values. */
export interface ValueFilter {
  /** The field's property, or the name that people see. */
  readonly field: string;
  readonly from?: readonly FilterValue[] | undefined;
  readonly to?: readonly FilterValue[] | undefined;
  /** Of a multiple choice: a choice that was added. */
  readonly added?: readonly FilterValue[] | undefined;
  /** Of a multiple choice: a choice that was removed. */
  readonly removed?: readonly FilterValue[] | undefined;
}

export function matchesValues(wanted: ValueFilter, change: FieldChange): boolean {
  const is = (values: readonly FilterValue[] | undefined, found: readonly Json[] | undefined) =>
    values === undefined ||
    found?.some(each => values.some(value => isValue(value, each, change.type))) === true;
  return (
    isField(wanted.field, change) &&
    is(wanted.from, [change.from]) &&
    is(wanted.to, [change.to]) &&
    is(wanted.added, change.added) &&
    is(wanted.removed, change.removed)
  );
}
