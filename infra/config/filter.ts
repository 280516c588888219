import type { z } from 'zod';
import { list, object, text } from './values.ts';

const EVENT_TYPE = /^((project|task)\.(created|updated|deleted)|(field|audit|source)\.[a-z][a-z_-]*)$/;
const value = () => text(/^.{1,256}$/s, 'text of 1 to 256 characters');

const values = {
  eventType: list(text(EVENT_TYPE, 'an event type such as "task.updated"'), 1, 'event types').optional(),
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
const ATTRIBUTES = {
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
