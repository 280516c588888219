import type { Actor, ChangeEvent, EventType, FieldChange } from '../changes/event.ts';
import { isField, matchesValues, type ValueFilter } from './value-filter.ts';

/** Which events an endpoint wants. An event must match each key that is given, by any of its entries. */
export interface EndpointFilter {
  readonly events?: readonly EventType[] | undefined;
  readonly workspaces?: readonly string[] | undefined;
  readonly processes?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
  /** A field that changed, by its property or by the name that people see. */
  readonly fields?: readonly string[] | undefined;
  readonly values?: readonly ValueFilter[] | undefined;
  /** Somebody who made the change, or acted by the audit entry, by id or name. */
  readonly actors?: readonly string[] | undefined;
  /** Leaves out what these alone did, by id or name. */
  readonly exceptActors?: readonly string[] | undefined;
}

/** Whether an endpoint wants an event. A filter for projects leaves out events that concern no project; a
 *  filter for fields, those that change no field of a record; one for actors, those of which no actor is
 *  known. One that excepts actors leaves out only what nobody else had a part in, as far as is known. The actors
 *  of an audit entry are its users. */
export function wants(filter: EndpointFilter, event: ChangeEvent): boolean {
  const { type, source, data } = event;
  const isAmong = (wanted: readonly string[] | undefined, found: string | undefined) =>
    wanted === undefined || wanted.some(each => each === found);
  const changes = changesOf(event);
  const { fields, values, actors, exceptActors } = filter;
  const acted = actorsOf(event);
  return (
    isAmong(filter.events, type) &&
    (filter.workspaces?.includes(source.split('/')[2] as string) ?? true) &&
    isAmong(filter.processes, data.process.id) &&
    isAmong(filter.projects, 'project' in data ? data.project.id : undefined) &&
    (fields === undefined || changes.some(change => fields.some(field => isField(field, change)))) &&
    (values === undefined || changes.some(change => values.some(value => matchesValues(value, change)))) &&
    (actors === undefined || acted.some(actor => isActor(actors, actor))) &&
    (exceptActors === undefined ||
      acted.length === 0 ||
      isCut(event) ||
      !acted.every(actor => isActor(exceptActors, actor)))
  );
}

function actorsOf({ data }: ChangeEvent): readonly Actor[] {
  if ('users' in data) return data.users;
  // Stryker disable next-line ArrayDeclaration: a text is nobody whom a filter could name
  return ('actors' in data && data.actors) || [];
}

/** Whether somebody else may have acted who had no room in the event. */
function isCut({ data }: ChangeEvent): boolean {
  return 'users' in data && data.truncated?.includes('users') === true;
}

function isActor(named: readonly string[], { id, name }: Actor): boolean {
  return named.some(each => each === id || each === name);
}

/** The changed fields of a record. Those of a field's definition don't count: filters for fields mean values
 *  in records. */
export function changesOf({ data }: ChangeEvent): readonly FieldChange[] {
  // Stryker disable next-line ArrayDeclaration: a text is no change of any field
  return 'changes' in data && !('field' in data) ? data.changes : [];
}
