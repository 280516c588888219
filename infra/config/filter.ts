import type { z } from 'zod';
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

/** The same, in the words that people use. Five keys, because SNS takes no more in one policy. */
export const endpointFilter = object({
  events: values.eventType,
  workspaces: values.workspace,
  processes: values.processId,
  projects: values.projectId,
  fields: values.changedFields,
});

export type AttributeFilter = z.infer<typeof attributeFilter>;
export type EndpointFilter = z.infer<typeof endpointFilter>;

/** The message attribute (functions/topic/entry.ts) that each of those words asks for. */
export const ATTRIBUTES = {
  events: 'eventType',
  workspaces: 'workspace',
  processes: 'processId',
  projects: 'projectId',
  fields: 'changedFields',
} as const satisfies Record<keyof EndpointFilter, keyof AttributeFilter>;

/** An endpoint's filter as SNS asks it. */
export function attributesOf(filter: EndpointFilter): AttributeFilter {
  return Object.fromEntries(
    Object.entries(filter).map(([word, wanted]) => [ATTRIBUTES[word as keyof EndpointFilter], wanted]),
  );
}
