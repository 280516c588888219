import type { Json } from '../../../functions/basics/json.ts';
import { isDueEvent } from '../../../functions/model/due.ts';
import type {
  Actor,
  ChangeEvent,
  FieldEvent,
  ProjectEvent,
  TaskEvent,
} from '../../../functions/model/event.ts';
import { isEmpty } from '../../kit/told.ts';
import { inOrder } from './items.ts';

type AnyRecord = ProjectEvent | TaskEvent | FieldEvent;
type Change = { field: string; from: Json; to: Json; type?: string; added?: Json[]; removed?: Json[] };

/** What a channel that gathers changes must be told of these events: what each record was before the first of them, and is after the last. */
export interface Folded {
  readonly events: readonly ChangeEvent[];
  /** How many changes there were, and how many of them no longer show. */
  readonly all: number;
  readonly back: number;
}

/** Which changes are gathered: all about records, fields and the audit log. */
export function isGathered({ type }: Pick<ChangeEvent, 'type'>): boolean {
  return ['project', 'task', 'field', 'audit'].includes(type.split('.')[0] as string);
}

export function fold(events: readonly ChangeEvent[]): Folded {
  const unique = inOrder([...new Map(events.map(event => [event.id, event])).values()]);
  const done = [...Map.groupBy(unique, keyOf).values()].map(some =>
    some.every(isAsItIs) ? { events: some, all: some.length, back: 0 } : foldRecord(some as AnyRecord[]),
  );
  return {
    events: inOrder(done.flatMap(one => one.events)),
    all: total(done.map(one => one.all)),
    back: total(done.map(one => one.back)),
  };
}

/** The same for each place, a project or process, in the order in which they come, and for all of them. What is left out in the end has no
 *  events. */
export function foldPlaces(events: readonly ChangeEvent[]): Folded & { readonly places: readonly Place[] } {
  const places = [...Map.groupBy(events, placeOf).values()].map(some => ({ of: some, ...fold(some) }));
  return {
    places,
    events: places.flatMap(place => place.events),
    all: total(places.map(({ all }) => all)),
    back: total(places.map(({ back }) => back)),
  };
}

interface Place extends Folded {
  readonly of: readonly ChangeEvent[];
}

function placeOf({ type, source, data }: ChangeEvent): string {
  if (type === 'audit.recorded') return `audit ${source}`;
  return 'project' in data ? JSON.stringify([source, data.project.id]) : source;
}

/** It changes no record: an entry of the audit log, or what fell due. */
function isAsItIs(event: ChangeEvent): boolean {
  return event.type === 'audit.recorded' || isDueEvent(event);
}

function keyOf({ type, source, data }: ChangeEvent): string {
  if (isDueEvent({ type })) return type;
  if ('field' in data) return JSON.stringify([source, 'field', data.field.entity, data.field.externalId]);
  if (type === 'audit.recorded' || !('project' in data)) return type;
  return JSON.stringify([source, data.project.id, 'task' in data ? data.task.id : 0]);
}

/** Walks over the record's events: what existed before and what exists after decides what is told. */
function foldRecord(events: readonly AnyRecord[]): Folded {
  const told: AnyRecord[] = [];
  let back = 0;
  let from = 0;
  for (let to = 1; to <= events.length; to++) {
    const next = events[to];
    const isEnd = isOf(events[to - 1], 'deleted') || next === undefined || isOf(next, 'created');
    if (!isEnd) continue;
    const some = events.slice(from, to);
    const one = foldLife(some);
    if (one) told.push(one.event);
    back += one ? one.back : total(some.map(count));
    from = to;
  }
  return { events: told as ChangeEvent[], all: total(events.map(count)), back };
}

function foldLife(events: readonly AnyRecord[]): { event: AnyRecord; back: number } | undefined {
  const [first, last] = [events[0] as AnyRecord, events.at(-1) as AnyRecord];
  const [isNew, isGone] = [isOf(first, 'created'), isOf(last, 'deleted')];
  if (isNew && isGone) return undefined;
  if (isGone) return { event: whole(events, last.type, last.data.changes as Change[]), back: 0 };
  const { changes, back } = foldFields(events);
  if (isNew)
    return {
      event: whole(
        events,
        first.type,
        changes.filter(({ to }) => !isEmpty(to)),
      ),
      back: 0,
    };
  const isCut = events.some(({ data }) => data.truncated?.includes('changes'));
  if (changes.length === 0 && !isCut) return undefined;
  return { event: whole(events, typeOf(last, changes, events), changes), back };
}

function foldFields(events: readonly AnyRecord[]): { changes: Change[]; back: number } {
  const all = events.flatMap(({ data }) => data.changes as Change[]);
  const changes: Change[] = [];
  let back = 0;
  for (const some of Map.groupBy(all, ({ field }) => field).values()) {
    const [begin, end] = [some[0] as Change, some.at(-1) as Change];
    if (some.length > 1 && areSame(begin.from, end.to, end.type)) back += some.length;
    else changes.push(some.length === 1 ? end : spanning(begin, end));
  }
  return { changes, back };
}

function typeOf({ type }: AnyRecord, changes: readonly Change[], { length }: readonly unknown[]): string {
  if (length === 1 || !/^field\.(archived|updated)$/.test(type)) return type;
  return changes.some(({ field, to }) => field === 'archived' && to === true)
    ? 'field.archived'
    : 'field.updated';
}

/** From the first value to the last; of a list, what came and what went. */
function spanning({ from }: Change, end: Change): Change {
  const { added: _, removed: __, ...rest } = end;
  const isList = end.type === 'multiple-choice' || (end.type === undefined && Array.isArray(end.to));
  if (!isList) return { ...rest, from };
  const [before, after] = [listOf(from), listOf(end.to)];
  const lacks = (list: Json[], value: Json) => !list.some(each => areSame(each, value, 'json'));
  return {
    ...rest,
    from,
    added: after.filter(value => lacks(before, value)),
    removed: before.filter(value => lacks(after, value)),
  };
}

function whole(events: readonly AnyRecord[], type: string, changes: readonly Change[]): AnyRecord {
  const last = events.at(-1) as AnyRecord;
  if (events.length === 1) return last;
  const data: Record<string, unknown> = { ...last.data, changes };
  if (!('field' in last.data)) {
    const records = events as (ProjectEvent | TaskEvent)[];
    const known = records.flatMap(each => each.data.actors ?? []);
    const isUnknown = records.some(each => each.data.actors === undefined);
    const byId = new Map<string, Actor>(known.map(actor => [actor.id, actor]));
    const actors = [...byId.values(), ...(isUnknown ? [{ id: '', name: 'unknown' }] : [])];
    data.actors = known.length > 0 ? actors : undefined;
    data.truncated = records.flatMap(each => each.data.truncated ?? []);
    const sortedBy = (pick: 'after' | 'before') =>
      records
        .map(each => each.data.observed[pick])
        .toSorted((one, other) => Date.parse(one) - Date.parse(other));
    data.observed = { after: sortedBy('after')[0], before: sortedBy('before').at(-1) };
  }
  return { ...last, type, data } as unknown as AnyRecord;
}

function listOf(value: Json): Json[] {
  return isEmpty(value) ? [] : Array.isArray(value) ? value : [value];
}

function areSame(one: Json, other: Json, type: string | undefined): boolean {
  if (isEmpty(one) && isEmpty(other))
    return type !== undefined || JSON.stringify(one) === JSON.stringify(other);
  if (type === 'multiple-choice') {
    const [left, right] = [listOf(one), listOf(other)];
    const isIn = (list: Json[]) => (value: Json) => list.some(each => areSame(each, value, 'json'));
    return left.every(isIn(right)) && right.every(isIn(left));
  }
  const isNumber = type === 'number' && [one, other].every(value => /^-?\d+(?:\.\d+)?$/.test(String(value)));
  if (isNumber) return Number(one) === Number(other);
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

function isOf(event: AnyRecord | undefined, action: string): boolean {
  return event?.type.endsWith(`.${action}`) === true;
}

function count({ type, data }: AnyRecord): number {
  return type.endsWith('.updated') ? Math.max(1, data.changes.length) : 1;
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, one) => sum + one, 0);
}
