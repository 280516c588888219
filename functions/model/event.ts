import * as z from 'zod';
import { auditData } from './schemas/audit-data.ts';
import { fieldData } from './schemas/field-data.ts';
import { timestamp } from './schemas/parts.ts';
import { projectData, taskData } from './schemas/record-data.ts';
import { heldData, recoveredData, skippedData, stalledData } from './schemas/source-data.ts';

/** The schemas of events, from which those under `docs/schemas` are made (design.md §8). Their TypeScript types are
 *  those of receivers: a test holds both equal. */

function eventOf<Type extends string, Data extends z.ZodType>(type: Type, description: string, data: Data) {
  return z
    .strictObject({
      specversion: z.literal('1.0'),
      id: z
        .string()
        .min(1)
        .meta({ description: 'Always the same for the same change: drop what you have seen.' }),
      source: z
        .string()
        .min(1)
        .meta({ description: '/workspaces/<workspace>/processes/<process>; /endpoints/<name> of a test.' }),
      type: z.literal(type),
      subject: z.string().min(1).optional(),
      time: timestamp,
      datacontenttype: z.literal('application/json'),
      sequence: z
        .string()
        .regex(/^\d{13,16}$/)
        .meta({
          description:
            "The project's version, or that of what the process says about itself: larger is newer. A text that also " +
            'sorts as text.',
        }),
      data,
    })
    .meta({ title: type, description });
}

/** Every event type, with its schema. */
export const eventSchemas = {
  'project.created': eventOf('project.created', 'A project appeared; its tasks follow.', projectData),
  'project.updated': eventOf('project.updated', 'Fields of a project changed.', projectData),
  'project.deleted': eventOf('project.deleted', 'A project is gone; its tasks went before.', projectData),
  'task.created': eventOf('task.created', 'A task appeared.', taskData),
  'task.updated': eventOf('task.updated', 'Fields of a task changed.', taskData),
  'task.deleted': eventOf('task.deleted', 'A task is gone.', taskData),
  'field.created': eventOf('field.created', 'A custom field appeared.', fieldData),
  'field.updated': eventOf('field.updated', "A custom field's definition changed.", fieldData),
  'field.archived': eventOf('field.archived', 'A custom field was archived.', fieldData),
  'field.deleted': eventOf('field.deleted', 'A custom field is gone.', fieldData),
  'source.held': eventOf(
    'source.held',
    'So many projects vanished at once that nothing was deleted: an operator decides.',
    heldData,
  ),
  'source.stalled': eventOf(
    'source.stalled',
    'No pass was completed for 5 intervals: changes are late until `source.recovered`.',
    stalledData,
  ),
  'source.recovered': eventOf(
    'source.recovered',
    'A pass was completed again: what changed during the stall is told.',
    recoveredData,
  ),
  'source.skipped': eventOf(
    'source.skipped',
    'A project can not be read or committed: its changes are late, those of all others are told.',
    skippedData,
  ),
  'audit.recorded': eventOf(
    'audit.recorded',
    'The audit log has a new entry. Told only of processes for which the configuration asks for it.',
    auditData,
  ),
} as const;

/** Sent to one endpoint alone, at somebody's request. No filter concerns it, and it is never published to the
 *  topic. */
const testEvent = eventOf(
  'changewire.test',
  'Somebody tests whether events arrive at this endpoint. Nothing changed.',
  z.strictObject({
    endpoint: z.strictObject({ name: z.string().meta({ description: 'What the operator calls it.' }) }),
    message: z.string().meta({ description: 'For people.' }),
  }),
);

/** All events that an endpoint may get. */
export const sentSchemas = { ...eventSchemas, 'changewire.test': testEvent } as const;

export type {
  Actor,
  AuditEvent,
  ChangeEvent,
  EventType,
  FieldChange,
  FieldEvent,
  ProjectEvent,
  PropertyChange,
  SentEvent,
  SourceEvent,
  TaskEvent,
  TestEvent,
} from '../../receiver/event.ts';
