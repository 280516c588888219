import type { Json } from '../../../functions/basics/json.ts';
import { isDueEvent } from '../../../functions/model/due.ts';
import type {
  Actor,
  ChangeEvent,
  DueEvent,
  FieldChange,
  FieldEvent,
  ProjectEvent,
  TaskEvent,
} from '../../../functions/model/event.ts';
import { visible } from '../../kit/delivery/shown.ts';
import { isReadable } from './tells.ts';

type RecordEvent = ProjectEvent | TaskEvent;

/** What a channel must be told of one event. */
export interface Item {
  readonly place: 'project' | 'task' | 'field';
  readonly id: string;
  readonly name: string;
  /** The name in a notification. */
  readonly label: string;
  /** What the heading says when there are lines below. */
  readonly what: string;
  readonly action: string;
  readonly changes: readonly Change[];
  /** Filled fields of a new record that are counted only. */
  readonly untold: number;
  /** How many changes it counts for: an update as many as it has fields, a record that was created or
   *  deleted as one. */
  readonly count: number;
  readonly isIncomplete: boolean;
  /** Who made the change; empty when nobody is known. */
  readonly actors: readonly Actor[];
  /** What is stated of a record that falls due. */
  readonly stated?: string;
}

export type Change = Pick<FieldChange, 'name' | 'from' | 'to' | 'added' | 'removed'>;

export function itemOf(event: RecordEvent | FieldEvent): Item {
  if (isDueEvent(event as ChangeEvent)) return dueItem(event as unknown as DueEvent);
  return 'field' in event.data ? fieldItem(event as FieldEvent) : recordItem(event as RecordEvent);
}

/** What an event counts for, as `Item.count`. */
export function countOf(type: string, data: object): number {
  return type.endsWith('.updated') && 'changes' in data ? Math.max(1, (data.changes as []).length) : 1;
}

/** A record that falls due: its date, and the field that has it, unless it is called a due date. */
function dueItem({ type, data }: DueEvent): Item {
  const [, action = ''] = type.split('.');
  const isTask = 'task' in data;
  const { id, name, names = {} } = isTask ? data.task : data.project;
  const label = visible(name ?? '') === '' ? id : (name ?? '');
  const { field = '', after } = data.rule;
  const [day, time] = 'since' in data ? data.since.split('T') : [''];
  const since = after?.endsWith('d') ? day : `${day} ${time?.slice(0, 5)} UTC`;
  const called = names[field] ?? calledBy({ kind: 'builtin', name: field });
  const isUsual = [field, called].some(text => WANTED[2]?.includes(squeezed(text)));
  const shown = visible(called) === '' ? '(no name)' : called;
  const on = `${'value' in data ? data.value : ''}${isUsual ? '' : ` (${shown})`}`;
  const stated = {
    due: `due on ${on}`,
    overdue: `overdue: was due on ${on}`,
    unchanged: `unchanged since ${since}`,
  }[action] as string;
  return {
    ...{ place: isTask ? 'task' : 'project', id, label, action, stated },
    name: isTask ? label : 'The project',
    what: isTask ? `task ${stated}` : stated,
    ...{ changes: [], untold: 0, count: 1, isIncomplete: false, actors: [] },
  };
}

/** Without the items that state of a record what an earlier one states. */
export function eachOnce<Event extends RecordEvent | FieldEvent>(events: readonly Event[]): Event[] {
  const keyOf = (event: Event) => {
    const { stated, place, id } = itemOf(event);
    return stated === undefined ? event.id : JSON.stringify([place, id, stated]);
  };
  const keys = events.map(keyOf);
  return events.filter((_, index) => keys.indexOf(keys[index] as string) === index);
}

function recordItem({ type, data }: RecordEvent): Item {
  const [, action = ''] = type.split('.');
  const isTask = 'task' in data;
  const { id, name, record = {} } = isTask ? data.task : data.project;
  const label = visible(name ?? '') === '' ? id : (name ?? '');
  const deleted = Object.entries(record).map(([field, to]) => ({
    ...{ field, name: field, kind: 'builtin', type: '', from: null, to },
  })) as FieldChange[];
  const wanted = wantedOf(action === 'deleted' ? deleted : data.changes, name);
  const updated = data.changes.toSorted((one, other) => placeOf(one) - placeOf(other));
  const { fields, untold } = action === 'updated' ? { fields: updated, untold: 0 } : wanted;
  return {
    place: isTask ? 'task' : 'project',
    id,
    name: isTask ? label : 'The project',
    label,
    what: isTask ? `task ${action}` : action,
    action,
    changes: fields.map(change => ({ ...change, name: calledBy(change) })),
    untold,
    count: countOf(type, data),
    isIncomplete: data.truncated?.includes('changes') === true,
    actors: data.actors ?? [],
  };
}

/** The fields that are told of a record that was created or deleted (docs/chat.md): in each line the
 *  possible names, the most usual one first. */
const WANTED = [
  'status state phase stage',
  'assignee assignees assigned assignedto responsible owner owners',
  'duedate due dueon dueat deadline',
].map(names => names.split(' '));
const OTHERS = 3;

const squeezed = (text: string) => [...text.toLowerCase()].filter(unit => !/[-_\s]/.test(unit)).join('');

/** The place of a changed field: a status, an owner, a due date, another date, and the rest. */
function placeOf({ field, name, type }: FieldChange): number {
  const words = [field, name].flatMap(text => [
    squeezed(text),
    ...text.split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).map(word => word.toLowerCase()),
  ]);
  const places = WANTED.map(names => names.some(name => words.includes(name)));
  if (type === 'date') return places[2] && !places[0] && !places[1] ? 2 : 3;
  return places.includes(true) ? places.indexOf(true) : 4;
}

/** The events of one project as a message shows them: those of a record together, and the records by the place of their first
 *  change. `isFolded`: they stand for several each; then deleted records come first, then new ones. */
export function asShown<Event extends RecordEvent | FieldEvent>(
  events: readonly Event[],
  isFolded = false,
): Event[] {
  const [first] = events;
  if (!first || 'field' in first.data) return [...events];
  const idOf = ({ data }: Event) => ('task' in data ? `task ${data.task.id}` : '');
  const placeOfAll = (some: readonly Event[]) =>
    Math.min(
      4,
      ...some.flatMap(({ type, data }) =>
        type.endsWith('.updated') ? (data.changes as FieldChange[]).map(placeOf) : [0],
      ),
    );
  const shown = [...new Set(events.map(idOf))]
    .map(id => events.filter(event => idOf(event) === id))
    .toSorted((one, other) => placeOfAll(one) - placeOfAll(other))
    .flat();
  const ofAction = (action: string) => shown.filter(({ type }) => type.endsWith(`.${action}`));
  if (!isFolded) return shown;
  const [gone, made] = [ofAction('deleted'), ofAction('created')];
  return [...gone, ...made, ...shown.filter(event => !gone.includes(event) && !made.includes(event))];
}

function wantedOf(all: readonly FieldChange[], recordName: string | undefined) {
  const fields: FieldChange[] = [];
  for (const names of WANTED) {
    const ranked = all
      .filter(({ to }) => isReadable(to))
      .map(change => ({
        change,
        rank: Math.min(...[change.field, change.name].map(text => rankIn(names, squeezed(text)))),
      }))
      .filter(({ rank }) => rank < names.length)
      .sort((one, other) => one.rank - other.rank);
    if (ranked[0]) fields.push(ranked[0].change);
  }
  const custom = all.filter(
    change =>
      change.kind === 'custom' &&
      !fields.includes(change) &&
      !(['name', 'title'].includes(change.field) && change.to === recordName),
  );
  const others = custom.filter(({ to }) => isReadable(to)).slice(0, OTHERS);
  return { fields: [...fields, ...others], untold: custom.length - others.length };
}

function rankIn(names: readonly string[], name: string): number {
  return names.includes(name) ? names.indexOf(name) : names.length;
}

/** The name of a field. A built-in field has only its property, which is shown as words where it consists
 *  of words. */
function calledBy({ kind, name }: Pick<FieldChange, 'kind' | 'name'>): string {
  if (
    kind === 'custom' ||
    !/^[a-z]/i.test(name) ||
    name.split(/[_-]/).some(word => !/^[a-z0-9]+$/i.test(word))
  )
    return name;
  const words = name.split(/[_-]|(?<=[^A-Z])(?=[A-Z])/);
  const [first = '', ...rest] = words.map(word =>
    word.slice(1) === word.slice(1).toLowerCase() ? word.toLowerCase() : word,
  );
  return [`${first[0]?.toUpperCase()}${first.slice(1)}`, ...rest].join(' ');
}

const PROPERTIES = { archived: 'Archived', name: 'Name', options: 'Choices', type: 'Type' } as const;

function fieldItem({ type, data }: FieldEvent): Item {
  const [, action = ''] = type.split('.');
  const { externalId, name, entity } = data.field;
  const label = visible(name) === '' ? externalId : name;
  const changes = data.changes
    .filter(({ field }) => action !== 'archived' || field !== 'archived')
    .map(change => ({ ...change, name: PROPERTIES[change.field], kind: 'builtin' as const }));
  return {
    place: 'field',
    id: `${entity} ${externalId}`,
    name: label,
    label,
    what: `${entity} field ${action}`,
    action,
    changes:
      action === 'deleted' ? [] : changes.filter(change => !isInHeading(action, change, externalId, label)),
    untold: 0,
    count: countOf(type, data),
    isIncomplete: false,
    actors: [],
  };
}

/** Whether the heading shows this change of a new field: its name does, where it is not cut. Its
 *  identifier is not shown, because it tells people nothing. */
function isInHeading(action: string, change: { kind: string; to: Json }, id: string, label: string): boolean {
  if (action !== 'created' || change.kind === 'custom') return false;
  const text = String(change.to);
  return text === id || (visible(text) === visible(label) && text.length <= 120);
}

/** Events in the order in which they were read. */
export function inOrder<Event extends ChangeEvent>(events: readonly Event[]): Event[] {
  const place = ({ id, sequence }: ChangeEvent) => [Number(sequence), Number(id.split('.').at(-1))] as const;
  return events.toSorted((one, other) => {
    const [[sequence, index], [theirs, their]] = [place(one), place(other)];
    return sequence - theirs || index - their;
  });
}
