import type {
  ChangeEvent,
  FieldChange,
  FieldEvent,
  ProjectEvent,
  TaskEvent,
} from '../../../functions/changes/event.ts';
import type { Json } from '../../../functions/json.ts';
import { visible } from './shown.ts';

type RecordEvent = ProjectEvent | TaskEvent;

/** One event as a channel has to tell it. */
export interface Item {
  readonly place: 'project' | 'task' | 'field';
  readonly id: string;
  readonly name: string;
  /** What the heading says of it when its lines stand below. */
  readonly what: string;
  readonly action: string;
  readonly changes: readonly Change[];
  /** An update counts as many changes as it has fields, a record that came or went as one. */
  readonly count: number;
  readonly isIncomplete: boolean;
}

export type Change = Pick<FieldChange, 'name' | 'from' | 'to' | 'added' | 'removed'>;

export function itemOf(event: RecordEvent | FieldEvent): Item {
  return 'field' in event.data ? fieldItem(event as FieldEvent) : recordItem(event as RecordEvent);
}

function recordItem({ type, data }: RecordEvent): Item {
  const [, action = ''] = type.split('.');
  const isTask = 'task' in data;
  const { id, name } = isTask ? data.task : data.project;
  const label = visible(name ?? '') === '' ? id : (name ?? '');
  return {
    place: isTask ? 'task' : 'project',
    id,
    name: isTask ? label : 'The project',
    what: isTask ? `task ${action}` : action,
    action,
    changes:
      action === 'deleted' ? [] : data.changes.filter(change => !isInHeading(action, change, id, label)),
    count: action === 'updated' ? Math.max(1, data.changes.length) : 1,
    isIncomplete: data.truncated?.includes('changes') === true,
  };
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
    what: `${entity} field ${action}`,
    action,
    changes:
      action === 'deleted' ? [] : changes.filter(change => !isInHeading(action, change, externalId, label)),
    count: action === 'updated' ? Math.max(1, changes.length) : 1,
    isIncomplete: false,
  };
}

/** The heading of a new record has its name, where it is not cut; and its identifier tells people nothing. */
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
