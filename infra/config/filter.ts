import * as z from 'zod';
import type { EventType } from '../../functions/changes/event.ts';
import { choice, list, object, text } from './values.ts';

/** Which of the attributes that not all events have (functions/topic/entry.ts) those of a type may have. */
const CARRIED = {
  'project.created': ['projectId', 'changedFields'],
  'project.updated': ['projectId', 'changedFields'],
  'project.deleted': ['projectId'],
  'task.created': ['projectId', 'changedFields'],
  'task.updated': ['projectId', 'changedFields'],
  'task.deleted': ['projectId'],
  'field.created': [],
  'field.updated': [],
  'field.archived': [],
  'field.deleted': [],
  'source.held': [],
  'source.stalled': [],
  'source.recovered': [],
  'source.skipped': ['projectId'],
} as const satisfies Record<EventType, readonly (keyof AttributeFilter)[]>;

/** Every event type. */
export const EVENT_TYPES = Object.keys(CARRIED) as EventType[];

/** Whether an event of this type can have this attribute. */
export function mayCarry(type: EventType, attribute: keyof AttributeFilter): boolean {
  if (attribute !== 'projectId' && attribute !== 'changedFields') return true;
  return (CARRIED[type] as readonly string[]).includes(attribute);
}

/** Characters of one value: those that SNS compares a message attribute with. */
export const LONGEST_TEXT = 256;

const value = () => text(/^.{1,256}$/s, 'text of 1 to 256 characters');

const values = {
  eventType: list(choice(EVENT_TYPES), 1, 'event types').optional(),
  workspace: list(value(), 1, 'workspace names').optional(),
  processId: list(value(), 1, 'process ids').optional(),
  projectId: list(value(), 1, 'project ids').optional(),
  changedFields: list(value(), 1, 'field names').optional(),
};

/** Which events a subscriber gets, by message attribute; every key given must match, with any of its values. */
export const attributeFilter = object(values);

const fieldValue = 'text of at most 256 characters, a number, true or false';
const fieldValuesError = { error: `${fieldValue}, or a list of at least one of these` };
const oneFieldValue = z.union(
  [z.string().max(LONGEST_TEXT, { error: fieldValue }), z.number(), z.boolean()],
  { error: fieldValue },
);
/** One value stands for a list of it. */
const fieldValues = z
  .union(
    [oneFieldValue.transform(one => [one]), z.array(oneFieldValue).min(1, fieldValuesError)],
    fieldValuesError,
  )
  .optional();

const CONDITIONS = ['from', 'to', 'added', 'removed'] as const;

/** What must be so of one changed field. */
const valueFilter = object({
  field: value(),
  from: fieldValues,
  to: fieldValues,
  added: fieldValues,
  removed: fieldValues,
}).refine(wanted => CONDITIONS.some(condition => wanted[condition]), {
  error: `beside "field" at least one of ${CONDITIONS.join(', ')}`,
});

/** The same in the words that people use, fields also by the name that they see, and by what they were and are. */
export const endpointFilter = object({
  events: values.eventType,
  workspaces: values.workspace,
  processes: values.processId,
  projects: values.projectId,
  fields: values.changedFields,
  values: list(valueFilter, 1, 'conditions on values').optional(),
});

export type AttributeFilter = z.infer<typeof attributeFilter>;
export type EndpointFilter = z.infer<typeof endpointFilter>;

/** The message attribute (functions/topic/entry.ts) that each of those words asks for. */
export const ATTRIBUTES = {
  events: 'eventType',
  workspaces: 'workspace',
  processes: 'processId',
  projects: 'projectId',
} as const satisfies Partial<Record<keyof EndpointFilter, keyof AttributeFilter>>;

/** An endpoint's filter as one by attributes: `fields` and `values`, which no attribute holds, are left out. */
export function attributesOf(filter: EndpointFilter): AttributeFilter {
  const asked = Object.entries(ATTRIBUTES).map(([word, attribute]) => [
    attribute,
    filter[word as keyof typeof ATTRIBUTES],
  ]);
  return Object.fromEntries(asked.filter(([, wanted]) => wanted !== undefined));
}
