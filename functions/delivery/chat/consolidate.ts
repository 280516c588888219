import { isEmpty } from '../../basics/empty.ts';
import { compareField } from '../../changes/compare-record.ts';
import { jsonEqual } from '../../changes/equal.ts';
import { isDueEvent } from '../../model/due.ts';
import type { Actor, FieldEvent, ProjectEvent, SentEvent, TaskEvent } from '../../model/event.ts';
import { byPosition } from './chat-topics.ts';

type RecordEvent = ProjectEvent | TaskEvent | FieldEvent;
type Change = RecordEvent['data']['changes'][number];

/** Several events, each record's as one, or as its deletion and creation. */
interface Consolidated {
  readonly events: readonly SentEvent[];
  /** Of the original events. */
  readonly changes: number;
  /** How many of these changed nothing in the end. */
  readonly takenBack: number;
}

/** Who else made changes, where that is unknown. No user has this id. */
export const UNKNOWN: Actor = { id: '', name: 'unknown' };

/** Consolidates events in any order, of which none comes twice: each field from its first value to its last. What went
 *  back, and a record that came and went, is left out. */
export function consolidate(events: readonly SentEvent[]): Consolidated {
  const sorted = events.toSorted(byPosition);
  const records = [...Map.groupBy(sorted, recordOf)].map(([key, some]) =>
    key === undefined ? asTheyAre(some) : ofRecord(some as RecordEvent[]),
  );
  return {
    events: records.flatMap(each => each.events).toSorted(byPosition),
    changes: sum(records.map(({ changes }) => changes)),
    takenBack: sum(records.map(({ takenBack }) => takenBack)),
  };
}

/** What a consolidated event needs of its event. */
export function compacted(event: SentEvent): SentEvent {
  if (recordOf(event) === undefined || 'field' in event.data || event.type.endsWith('.deleted')) return event;
  const { project, task, ...data } = event.data as TaskEvent['data'];
  const named = { ...data, project: nameOf(project), ...(task && { task: nameOf(task) }) };
  return { ...event, data: named } as SentEvent;
}

function nameOf({ id, name }: TaskEvent['data']['project']): object {
  return { id, ...(name !== undefined && { name }) };
}

/** The number of changes that an event counts for, as `changesIn` counts those of a record. */
export function changesOf({ type, data }: SentEvent): number {
  const changes = type.endsWith('.updated') && 'changes' in data ? data.changes : [];
  return Math.max(1, Array.isArray(changes) ? changes.length : 0);
}

/** Undefined for events that change no record. */
function recordOf({ type, source, data }: SentEvent): string | undefined {
  if (isDueEvent({ type })) return undefined;
  const [entity] = type.split('.');
  if (entity === 'project' || entity === 'task') {
    const { project, task } = data as TaskEvent['data'];
    return JSON.stringify([source, project.id, task?.id ?? null]);
  }
  if (entity !== 'field') return undefined;
  const { field } = data as FieldEvent['data'];
  return JSON.stringify([source, field.entity, field.externalId, 'field']);
}

function asTheyAre(events: readonly SentEvent[]): Consolidated {
  return { events, changes: sum(events.map(changesOf)), takenBack: 0 };
}

/** The events between a creation and a deletion of the record. */
interface Life {
  created?: RecordEvent;
  readonly updates: RecordEvent[];
  deleted?: RecordEvent;
}

function ofRecord(events: readonly RecordEvent[]): Consolidated {
  const lives: Life[] = [];
  for (const event of events) {
    const [, action] = event.type.split('.');
    let life = lives.at(-1);
    if (!life || life.deleted || (action === 'created' && (life.created || life.updates.length > 0))) {
      life = { updates: [] };
      lives.push(life);
    }
    if (action === 'created') life.created = event;
    else if (action === 'deleted') life.deleted = event;
    else life.updates.push(event);
  }
  const ended = lives.map(ofLife);
  return {
    events: ended.flatMap(each => each.events),
    changes: sum(events.map(changesOf)),
    takenBack: sum(ended.map(({ takenBack }) => takenBack)),
  };
}

function ofLife({ created, updates, deleted }: Life): Omit<Consolidated, 'changes'> {
  const all = [...(created ? [created] : []), ...updates, ...(deleted ? [deleted] : [])];
  if (created && deleted) return { events: [], takenBack: sum(all.map(changesOf)) };
  if (deleted) return { events: [merged(all, deleted.data.changes)], takenBack: 0 };
  const fields = [...Map.groupBy(all.flatMap(changesIn), ({ field }) => field).values()];
  const cut = {
    from: new Set(all.flatMap(each => cutIn(each, 'from'))),
    to: new Set(all.flatMap(each => cutIn(each, 'to'))),
  };
  const changes = fields.flatMap(some => fromFirstToLast(some, cut) ?? []);
  const isLeft = created !== undefined || changes.length > 0 || all.some(isIncomplete);
  const gone = fields.filter(some => fromFirstToLast(some, cut) === undefined);
  if (!isLeft) return { events: [], takenBack: sum(all.map(changesOf)) };
  return { events: [merged(all, changes)], takenBack: created ? 0 : sum(gone.map(({ length }) => length)) };
}

function changesIn({ data }: RecordEvent): readonly Change[] {
  return data.changes;
}

/** The changes of which this value was cut off. */
function cutIn({ data: { changes, truncated } }: RecordEvent, part: 'from' | 'to'): readonly Change[] {
  const cut = new Set(truncated);
  return cut.size === 0 ? [] : changes.filter((_, index) => cut.has(`changes[${index}].${part}`));
}

/** One event in place of several of a record: the last one, with these changes. */
function merged(events: readonly RecordEvent[], changes: readonly Change[]): SentEvent {
  const last = events.at(-1) as RecordEvent;
  const first = events[0] as RecordEvent;
  if (events.length === 1) return last;
  const isCreated = first.type.endsWith('.created');
  const type = isCreated ? first.type : typeOf(last, changes);
  const data = { ...last.data, changes: isCreated ? ofNew(changes) : changes };
  if ('field' in data) return { ...last, type, data } as SentEvent;
  const cut = new Set((events as (ProjectEvent | TaskEvent)[]).flatMap(each => each.data.truncated ?? []));
  const spans = (events as (ProjectEvent | TaskEvent)[]).map(each => each.data.observed);
  const actors = actorsOf(events as (ProjectEvent | TaskEvent)[]);
  const { actors: _, truncated: __, ...rest } = data;
  return {
    ...last,
    type,
    data: {
      ...rest,
      observed: {
        after: edge(
          spans.map(({ after }) => after),
          Math.min,
        ),
        before: edge(
          spans.map(({ before }) => before),
          Math.max,
        ),
      },
      ...(actors && { actors }),
      ...(cut.size > 0 && { truncated: [...cut] }),
    },
  } as SentEvent;
}

/** A field is archived, or changed otherwise. */
function typeOf(last: RecordEvent, changes: readonly Change[]): string {
  if (!/^field\.(?:updated|archived)$/.test(last.type)) return last.type;
  const isArchived = changes.some(({ field, to }) => field === 'archived' && to === true);
  return isArchived ? 'field.archived' : 'field.updated';
}

function isIncomplete({ data }: RecordEvent): boolean {
  return data.truncated?.includes('changes') === true;
}

/** A new record has every field with a value. */
function ofNew(changes: readonly Change[]): readonly Change[] {
  return changes.filter(({ to }) => !isEmpty(to));
}

/** One change in place of several of a field; undefined where it went back. Values that were cut off can differ in
 *  what is lost, though they look the same. */
function fromFirstToLast(
  changes: readonly Change[],
  cut: Readonly<Record<'from' | 'to', ReadonlySet<Change>>>,
): Change | undefined {
  const last = changes.at(-1) as Change;
  const first = changes[0] as Change;
  const { from } = first;
  if (changes.length === 1) return last;
  const isCut = cut.from.has(first) || cut.to.has(last);
  if (!isCut && jsonEqual(from, last.to)) return undefined;
  if ('kind' in last) {
    const custom = last.kind === 'custom' ? last : undefined;
    const change = compareField(last.field, from, last.to, custom);
    return change ? { ...change, name: last.name } : isCut ? { ...last, from } : undefined;
  }
  if (!Array.isArray(last.to)) return { field: last.field, from, to: last.to } as Change;
  const [before, after] = [Array.isArray(from) ? from : [], last.to] as (readonly string[])[] as [
    string[],
    string[],
  ];
  const added = after.filter(each => !before.includes(each));
  const removed = before.filter(each => !after.includes(each));
  return { field: last.field, from, to: last.to, added, removed } as Change;
}

/** All who made changes, the earliest first. */
function actorsOf(events: readonly (ProjectEvent | TaskEvent)[]): readonly Actor[] | undefined {
  const known = events.flatMap(({ data }) => data.actors ?? []);
  if (known.length === 0) return undefined;
  const isUnknown = events.some(({ data }) => data.actors === undefined);
  return [...new Map(known.map(actor => [actor.id, actor])).values(), ...(isUnknown ? [UNKNOWN] : [])];
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** The first or last of these times. */
function edge(times: readonly string[], of: (...all: number[]) => number): string {
  const ms = times.map(time => Date.parse(time));
  return times[ms.indexOf(of(...ms))] ?? (times[0] as string);
}
