import * as z from 'zod';
import type { Json } from '../basics/json.ts';

/** The schemas of events, from which those under `docs/schemas` are made (design.md §8). Their TypeScript types are
 *  those of receivers: a test holds both equal. */

const json: z.ZodType<Json> = z.any().describe('Any JSON value, as the service sent it.');
const identifier = z.string().min(1);
const timestamp = z.iso.datetime();
const text = (description: string) => z.string().describe(description);
const cut = (parts: string) => z.array(z.string()).optional().describe(`The cut parts: ${parts}.`);

const actor = z.strictObject({
  id: identifier.describe("The user's identifier, as text."),
  name: z.string().optional().describe("The user's name, if the service has one."),
});

const process = z.strictObject({ id: identifier.describe('The identifier of the process.') });

const fieldChange = z
  .strictObject({
    field: text(
      "The record's property. A custom field's is its `externalId`, on tasks usually in camelCase.",
    ),
    name: text("The custom field's name; for a built-in field, the property."),
    kind: z
      .enum(['custom', 'builtin'])
      .describe('`custom` if the process defines the field, otherwise `builtin`.'),
    type: text(
      "A custom field's type (`text`, `number`, `date`, `single-choice`, `multiple-choice`), or the JSON type.",
    ),
    from: json.describe('The last emitted value, or null.'),
    to: json.describe('The new value, or null.'),
    added: z.array(json).optional().describe('Only for `multiple-choice`: the added choices.'),
    removed: z.array(json).optional().describe('Only for `multiple-choice`: the removed choices.'),
  })
  .meta({ id: 'FieldChange', description: 'One changed field.' });

const recordRef = z.strictObject({
  id: identifier.describe('The identifier as text, even if the service sends a number.'),
  name: z.string().optional().describe("The record's name or title."),
});

const names = z
  .record(z.string(), z.string())
  .optional()
  .describe('Displayed names of its custom fields, by property, unless equal.');

const fullRecord = recordRef.extend({
  record: z
    .record(z.string(), json)
    .optional()
    .describe('The complete record; the last known one if it was deleted.'),
});
const namedRecord = fullRecord.extend({ names });

const taskProject = recordRef.extend({
  context: z
    .record(z.string(), json)
    .optional()
    .describe(
      'Short values of its fields: each of at most 256 characters of JSON, together 4,096; custom fields first.',
    ),
  names: names.describe(
    'Displayed names of its fields, by property, unless equal; also of long and ignored ones, which `context` lacks.',
  ),
});

const observed = z
  .strictObject({
    after: timestamp.describe("When the old state was last read, by the service's clock."),
    before: timestamp.describe("When the new state was read, by the service's clock."),
  })
  .describe('The interval in which the change happened.');

const actors = z
  .array(actor)
  .min(1)
  .optional()
  .describe('The users who changed the record, earliest first, if known.');

const changed = {
  changes: z
    .array(fieldChange)
    .describe(
      'The changed fields, by `field`. A new record has every field with a value, a deleted one none.',
    ),
  observed,
  actors,
  truncated: cut('`record`, `changes[i].from`, `changes`'),
};
const projectData = z.strictObject({ process, project: namedRecord, ...changed });
const taskData = z.strictObject({ process, project: taskProject, task: namedRecord, ...changed });

const dueData = {
  rule: z
    .strictObject({
      field: z.string().optional().describe('The field with the date, as the rule names it.'),
      before: z.string().optional().describe('How long before the date, such as `2d`.'),
      after: z.string().optional().describe('How long after the last change, such as `14d`.'),
    })
    .describe('The rule of the process.'),
  dueAt: timestamp.describe('The time by the rule.'),
  truncated: cut('`record`'),
};
const value = text('The date in the field.');
const taskDueData = z.strictObject({ process, project: taskProject, task: namedRecord, value, ...dueData });
const projectDueData = z.strictObject({ process, project: namedRecord, value, ...dueData });
const unchangedData = z.strictObject({
  process,
  project: namedRecord,
  since: timestamp.describe('When the project or one of its tasks last changed, as far as known.'),
  ...dueData,
});

const propertyValue = z.union([z.string(), z.boolean(), z.array(z.string()), z.null()]);

const propertyChange = z
  .strictObject({
    field: z
      .enum(['archived', 'name', 'options', 'type'])
      .describe('The changed property of the definition.'),
    from: propertyValue.describe('The previous value, or null.'),
    to: propertyValue.describe('The new value.'),
    added: z.array(z.string()).optional().describe('Only for `options`: the added choices.'),
    removed: z.array(z.string()).optional().describe('Only for `options`: the removed choices.'),
  })
  .meta({ id: 'PropertyChange', description: 'One changed property of a definition.' });

const fieldData = z.strictObject({
  process,
  field: z
    .strictObject({
      entity: z.enum(['project', 'task']).describe('The kind of record that has the field.'),
      externalId: identifier.describe(
        "The identifier: the name of the records' property, on tasks usually in camelCase.",
      ),
      name: text("The field's name."),
      type: text("The type as in a change, or another of the service's own."),
      options: z.array(z.string()).optional().describe('The labels of the choices, in order.'),
      archived: z.boolean().describe('Whether the field is archived.'),
    })
    .describe('The current definition; for a deleted field, the last known definition.'),
  changes: z
    .array(propertyChange)
    .describe('The changed properties. A new field has all, a deleted one none.'),
  truncated: cut('`field.options`, `changes[i].from`'),
});

const onHoldData = z.strictObject({
  process,
  reason: text('Why deletions are on hold, for people.'),
  missing: z.int().positive().describe('The number of missing projects.'),
  known: z.int().positive().describe('The number of projects before.'),
});

const stalledData = z.strictObject({
  process,
  reason: text("The last pass's error, for people."),
  since: timestamp.describe("When a pass last completed, by the poller's clock."),
});

const recoveredData = z.strictObject({
  process,
  since: timestamp.describe('The `since` of the `source.stalled` before.'),
  until: timestamp.describe("When a pass completed again, by the poller's clock."),
});

const skippedData = z.strictObject({
  process,
  project: z.strictObject({ id: identifier.describe('The identifier of the project.') }),
  reason: text("The last attempt's error, for people."),
  since: timestamp.describe("Later changes of the project may be missing, by the service's clock."),
});

const auditData = z.strictObject({
  process,
  entry: z.any().describe('The entry as the service sent it.') as z.ZodType<Json>,
  projects: z
    .array(z.strictObject({ id: identifier.describe('The identifier of the project.') }))
    .describe('The known projects whose identifier appears anywhere in the entry.'),
  tasks: z
    .array(
      z.strictObject({
        id: identifier.describe('The identifier of the task.'),
        projectId: identifier.describe('The project in which a pass last read the task.'),
      }),
    )
    .describe('Their known tasks whose identifier appears anywhere in the entry.'),
  users: z.array(actor).describe('The known users whom the entry names as its actors.'),
  truncated: cut('`entry`, `projects`, `tasks`, `users`'),
});

const snapshotRef = z
  .strictObject({ id: identifier.describe('The identifier of the snapshot.') })
  .describe('The snapshot that the event belongs to.');
const cutRecord = cut('`record`');
const projectSnapshot = z.strictObject({
  process,
  project: fullRecord,
  snapshot: snapshotRef,
  truncated: cutRecord,
});
const taskSnapshot = z.strictObject({
  process,
  project: recordRef,
  task: fullRecord,
  snapshot: snapshotRef,
  truncated: cutRecord,
});
const snapshotStarted = z.strictObject({ process, snapshot: snapshotRef });
const snapshotCompleted = snapshotStarted.extend({
  projects: z.int().nonnegative().describe('The number of projects that the snapshot names.'),
  tasks: z.int().nonnegative().describe('The number of tasks that the snapshot names.'),
});

const endpointRef = z.strictObject({
  name: identifier.describe("The endpoint's name."),
  kind: text('Its kind, such as `webhook`.'),
  origin: z.string().optional().describe('The origin of its address, if known.'),
});
const healthData = z.strictObject({
  endpoint: endpointRef,
  since: timestamp.describe('When the problem began, by the clock of Changewire.'),
});
const healthProblem = healthData.extend({ reason: text('The last failure, for people.') });
const deliveryDead = healthProblem.extend({
  deliveries: z
    .int()
    .positive()
    .describe('The number of deliveries that were given up. After a crash, one may count twice.'),
});

function eventOf<Type extends string, Data extends z.ZodType>(type: Type, description: string, data: Data) {
  return z
    .strictObject({
      specversion: z.literal('1.0').describe('Always `1.0`.'),
      id: z.string().min(1).describe('The same change always has the same `id`: drop repeated ids.'),
      source: z
        .string()
        .min(1)
        .describe(
          '`/workspaces/<workspace>/processes/<process>`; in `endpoint.*`, `delivery.dead` and a test, `/endpoints/<name>`.',
        ),
      type: z.literal(type).describe('The event type.'),
      subject: z
        .string()
        .min(1)
        .optional()
        .describe(
          '`projects/<id>`, `projects/<id>/tasks/<id>`, `project-fields/<externalId>` or `task-fields/<externalId>`, percent-encoded. Absent in `source.*`, `audit.recorded`, `endpoint.*`, `delivery.dead`, `changewire.test`, and `snapshot.*` of a whole process.',
        ),
      time: timestamp.describe('When the new state was read; when a date fell due, the time of the commit.'),
      datacontenttype: z.literal('application/json').describe('Always `application/json`.'),
      sequence: z
        .string()
        .regex(/^\d{13,16}$/)
        .describe(
          'The version of the project, 13 to 16 digits; in `field.*`, `source.*` and `audit.recorded`, of the process; in `snapshot.*`, a minute before its start; in `endpoint.*` and `delivery.dead`, of the endpoint. Larger is newer.',
        ),
      data,
    })
    .meta({ title: type, description });
}

/** Every event type, with its schema. */
export const eventSchemas = {
  'project.created': eventOf(
    'project.created',
    'A project appeared. Its `task.created` have the same `sequence`.',
    projectData,
  ),
  'project.updated': eventOf('project.updated', 'Fields of a project changed.', projectData),
  'project.deleted': eventOf(
    'project.deleted',
    'A project was deleted. Its `task.deleted` have the same `sequence`.',
    projectData,
  ),
  'task.created': eventOf('task.created', 'A task appeared.', taskData),
  'task.updated': eventOf('task.updated', 'Fields of a task changed.', taskData),
  'task.deleted': eventOf('task.deleted', 'A task was deleted, or moved to another project.', taskData),
  'task.due': eventOf('task.due', 'The time of a task came, by a rule. Nothing changed.', taskDueData),
  'task.overdue': eventOf('task.overdue', 'The date of a task passed, by a rule.', taskDueData),
  'project.due': eventOf('project.due', 'The time of a project came, by a rule.', projectDueData),
  'project.overdue': eventOf('project.overdue', 'The date of a project passed, by a rule.', projectDueData),
  'project.unchanged': eventOf(
    'project.unchanged',
    'Neither a project nor its tasks changed for as long as a rule states.',
    unchangedData,
  ),
  'field.created': eventOf(
    'field.created',
    'A custom field appeared in the definitions of the process.',
    fieldData,
  ),
  'field.updated': eventOf(
    'field.updated',
    "A custom field's name, type or choices changed, or the field was restored.",
    fieldData,
  ),
  'field.archived': eventOf('field.archived', 'A custom field was archived.', fieldData),
  'field.deleted': eventOf('field.deleted', 'A custom field of tasks was deleted.', fieldData),
  'source.held': eventOf(
    'source.held',
    'Too many projects disappeared at once. Deletions are on hold.',
    onHoldData,
  ),
  'source.stalled': eventOf(
    'source.stalled',
    'No pass completed for 5 intervals, at least 1 minute.',
    stalledData,
  ),
  'source.recovered': eventOf(
    'source.recovered',
    'A pass completed again after a stall, and its changes were emitted.',
    recoveredData,
  ),
  'source.skipped': eventOf(
    'source.skipped',
    'One project cannot be read or committed. Its changes are late.',
    skippedData,
  ),
  'audit.recorded': eventOf(
    'audit.recorded',
    'The audit log has a new entry (only with `audit: true`).',
    auditData,
  ),
} as const;

/** Sent to one endpoint when an operator tests it. Filters do not apply, and it is never published to the topic. */
const testEvent = eventOf(
  'changewire.test',
  'An operator tests an endpoint. Nothing changed.',
  z.strictObject({
    endpoint: z.strictObject({ name: text("The endpoint's name in the configuration.") }),
    message: text('A sentence for people.'),
  }),
);

/** Sent to one endpoint for which an operator requests a snapshot, and never published to the topic. */
const snapshotSchemas = {
  'project.snapshot': eventOf(
    'project.snapshot',
    'The current state of a project, in a requested snapshot. Nothing changed.',
    projectSnapshot,
  ),
  'task.snapshot': eventOf(
    'task.snapshot',
    'The current state of a task, in a requested snapshot. Nothing changed.',
    taskSnapshot,
  ),
  'snapshot.started': eventOf(
    'snapshot.started',
    'A snapshot of a process begins. Its events may arrive in any order.',
    snapshotStarted,
  ),
  'snapshot.completed': eventOf(
    'snapshot.completed',
    'All records of a snapshot were sent before, as many as it counts.',
    snapshotCompleted,
  ),
} as const;

/** Sent to the other endpoints whose filter names the type, and never published to the topic. */
const healthSchemas = {
  'endpoint.failing': eventOf(
    'endpoint.failing',
    'Another endpoint failed 5 times in a row, over a minute.',
    healthProblem,
  ),
  'endpoint.recovered': eventOf('endpoint.recovered', 'Another endpoint accepts events again.', healthData),
  'endpoint.stopped': eventOf(
    'endpoint.stopped',
    'Another endpoint answered 410, or failed for 5 days. An operator must resume it.',
    healthProblem,
  ),
  'delivery.dead': eventOf('delivery.dead', 'Deliveries to another endpoint were given up.', deliveryDead),
} as const;

/** All events that an endpoint may get. */
export const sentSchemas = {
  ...eventSchemas,
  ...snapshotSchemas,
  ...healthSchemas,
  'changewire.test': testEvent,
} as const;

/** The JSON Schema of every event type, by type. `docs/schemas` holds those of draft 2020-12. */
export function jsonSchemas(target: 'draft-2020-12' | 'draft-07' = 'draft-2020-12'): Record<string, object> {
  return Object.fromEntries(
    Object.entries(sentSchemas).map(([type, schema]) => [type, jsonSchemaOf(schema, target)]),
  );
}

const [firstSchema, ...otherSchemas] = Object.values(sentSchemas);
const anyEvent = z.discriminatedUnion('type', [firstSchema, ...otherSchemas] as [typeof testEvent]).meta({
  title: 'event',
  description: 'Any event that an endpoint may get. Later versions add types: ignore unknown ones.',
});

/** The JSON Schema of all events: `docs/schemas/event.json`. It refers to no other file. */
export function unionSchema(): object {
  return jsonSchemaOf(anyEvent, 'draft-2020-12');
}

function jsonSchemaOf(schema: z.ZodType, target: 'draft-2020-12' | 'draft-07'): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target,
    override: ({ jsonSchema }) => withoutDatePattern(jsonSchema),
  });
  return { $schema, $id: `urn:changewire:schema:${rest.title}`, ...rest };
}

/** Removes the pattern of 250 characters that zod adds: `format: date-time` covers it. */
function withoutDatePattern(schema: { format?: unknown; pattern?: unknown }): void {
  if (schema.format === 'date-time') delete schema.pattern;
}

export type {
  Actor,
  AuditEvent,
  ChangeEvent,
  DueEvent,
  EventType,
  FieldChange,
  FieldEvent,
  FilterType,
  HealthEvent,
  ProjectEvent,
  PropertyChange,
  SentEvent,
  SnapshotEvent,
  SourceEvent,
  TaskEvent,
  TestEvent,
} from '../../receiver/event.ts';
