import * as z from 'zod';
import type { Json } from '../basics/json.ts';

/** The schemas of events, from which those under `docs/schemas` are made (design.md §8). Their TypeScript types are
 *  those of receivers: a test holds both equal. */

const json: z.ZodType<Json> = z.any().describe('Any JSON value, as the service sent it.');
const identifier = z.string().min(1);
const timestamp = z.iso.datetime();
const text = (description: string) => z.string().describe(description);
const cut = (parts: string) =>
  z.array(z.string()).optional().describe(`What was cut to keep the event under 240 KB: ${parts}.`);

const actor = z.strictObject({
  id: identifier.describe("The user's identifier, as text."),
  name: z.string().optional().describe('The name, if the service tells it.'),
});

const process = z.strictObject({ id: identifier });

const fieldChange = z
  .strictObject({
    field: text("The record's property."),
    name: text("The custom field's name; the property itself for a built-in field."),
    kind: z.enum(['custom', 'builtin']),
    type: text(
      'text, number, date, single-choice or multiple-choice for a custom field; the JSON type for a built-in one.',
    ),
    from: json.describe('The value told before; null when there was none.'),
    to: json.describe('The value that was read; null when there is none.'),
    added: z.array(json).optional().describe('multiple-choice only: choices that came.'),
    removed: z.array(json).optional().describe('multiple-choice only: choices that went.'),
  })
  .meta({ id: 'FieldChange', description: 'One changed field.' });

const recordRef = z.strictObject({
  id: identifier.describe('The identifier as text, also where the service sends a number.'),
  name: z.string().optional().describe("The record's name or title."),
});

const fullRecord = recordRef.extend({
  record: z
    .record(z.string(), json)
    .optional()
    .describe(
      'The whole record as it now is (as it last was, when deleted). Left out only when `truncated` says so.',
    ),
});

const observed = z
  .strictObject({
    after: timestamp.describe('The latest time at which the old state was still read.'),
    before: timestamp.describe('The time at which the new state was read.'),
  })
  .describe("The change happened somewhere between the two, by the service's clock.");

const actors = z
  .array(actor)
  .min(1)
  .optional()
  .describe(
    'The users whom new entries of the audit log name as those who changed this record between `observed.after` and ' +
      '`observed.before`, the earliest first. Left out where none is known for certain.',
  );

const changed = {
  changes: z.array(fieldChange),
  observed,
  actors,
  truncated: cut('`record`, `changes[i].from`, `changes`'),
};
const projectData = z.strictObject({ process, project: fullRecord, ...changed });
const taskData = z.strictObject({ process, project: recordRef, task: fullRecord, ...changed });

const propertyValue = z.union([z.string(), z.boolean(), z.array(z.string()), z.null()]);

const propertyChange = z
  .strictObject({
    field: z.enum(['archived', 'name', 'options', 'type']).describe("The definition's property."),
    from: propertyValue.describe('What was told before; null when there was none.'),
    to: propertyValue.describe('What was read.'),
    added: z.array(z.string()).optional().describe('options only: choices that came.'),
    removed: z.array(z.string()).optional().describe('options only: choices that went.'),
  })
  .meta({ id: 'PropertyChange', description: 'One changed property of a definition.' });

const fieldData = z.strictObject({
  process,
  field: z
    .strictObject({
      entity: z.enum(['project', 'task']).describe('What the field is of.'),
      externalId: identifier,
      name: z.string(),
      type: text('text, number, date, single-choice or multiple-choice; else as the service wrote it.'),
      options: z.array(z.string()).optional().describe('The labels of the choices.'),
      archived: z.boolean(),
    })
    .describe('The definition as it now is; as it last was, when deleted.'),
  changes: z.array(propertyChange),
  truncated: cut('`field.options`, `changes[i].from`'),
});

const heldData = z.strictObject({
  process,
  reason: text('Why deletions are held, in words.'),
  missing: z.int().positive().describe('How many projects the service no longer shows.'),
  known: z.int().positive().describe('How many projects were known.'),
});

const stalledData = z.strictObject({
  process,
  reason: text('What the last pass met, in words.'),
  since: timestamp.describe('When a pass was last completed.'),
});

const recoveredData = z.strictObject({
  process,
  since: timestamp.describe('The `since` of the stall that is over.'),
  until: timestamp.describe('When a pass was completed again.'),
});

const skippedData = z.strictObject({
  process,
  project: z.strictObject({ id: identifier }),
  reason: text('What the last try met, in words.'),
  since: timestamp.describe('What changed in the project after this may be untold.'),
});

const auditData = z.strictObject({
  process,
  entry: z
    .any()
    .describe(
      'The entry as the service wrote it; where `truncated` names it, the begin of its JSON as a text.',
    ) as z.ZodType<Json>,
  projects: z
    .array(z.strictObject({ id: identifier }))
    .describe('The known projects whose identifier stands anywhere in the entry, by identifier.'),
  tasks: z
    .array(z.strictObject({ id: identifier, projectId: identifier }))
    .describe(
      'The known tasks of these projects whose identifier stands anywhere in the entry, by project and identifier. ' +
        'Not known is one that no pass has read yet, or that was told as deleted.',
    ),
  users: z.array(actor).describe('The known users whom the entry names as those who acted.'),
  truncated: cut('`entry`, `projects`, `tasks`, `users`'),
});

function eventOf<Type extends string, Data extends z.ZodType>(type: Type, description: string, data: Data) {
  return z
    .strictObject({
      specversion: z.literal('1.0'),
      id: z.string().min(1).describe('Always the same for the same change: drop what you have seen.'),
      source: z
        .string()
        .min(1)
        .describe('/workspaces/<workspace>/processes/<process>; /endpoints/<name> of a test.'),
      type: z.literal(type),
      subject: z.string().min(1).optional(),
      time: timestamp,
      datacontenttype: z.literal('application/json'),
      sequence: z
        .string()
        .regex(/^\d{13,16}$/)
        .describe(
          "The project's version, or that of what the process says about itself: larger is newer. A text that also " +
            'sorts as text.',
        ),
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
    endpoint: z.strictObject({ name: text('What the operator calls it.') }),
    message: text('For people.'),
  }),
);

/** All events that an endpoint may get. */
export const sentSchemas = { ...eventSchemas, 'changewire.test': testEvent } as const;

/** The JSON Schema of every event type, by type. `docs/schemas` holds those of draft 2020-12. */
export function jsonSchemas(target: 'draft-2020-12' | 'draft-07' = 'draft-2020-12'): Record<string, object> {
  return Object.fromEntries(
    Object.entries(sentSchemas).map(([type, schema]) => [
      type,
      z.toJSONSchema(schema, {
        target,
        override: ({ jsonSchema }) => withoutDatePattern(jsonSchema),
      }),
    ]),
  );
}

/** Removes the pattern of 250 characters that zod adds: `format: date-time` says the same. */
function withoutDatePattern(schema: { format?: unknown; pattern?: unknown }): void {
  if (schema.format === 'date-time') delete schema.pattern;
}

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
