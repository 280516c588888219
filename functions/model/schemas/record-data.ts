import * as z from 'zod';
import { actor, identifier, json, process, timestamp } from './parts.ts';

/** The data of events of projects and tasks. */

const record = z.record(z.string(), json);

const fieldChange = z
  .strictObject({
    field: z.string().meta({ description: "The record's property." }),
    name: z
      .string()
      .meta({ description: "The custom field's name; the property itself for a built-in field." }),
    kind: z.enum(['custom', 'builtin']),
    type: z.string().meta({
      description:
        'text, number, date, single-choice or multiple-choice for a custom field; the JSON type for a built-in one.',
    }),
    from: json.meta({ description: 'The value told before; null when there was none.' }),
    to: json.meta({ description: 'The value that was read; null when there is none.' }),
    added: z.array(json).optional().meta({ description: 'multiple-choice only: choices that came.' }),
    removed: z.array(json).optional().meta({ description: 'multiple-choice only: choices that went.' }),
  })
  .meta({ id: 'FieldChange', description: 'One changed field.' });

const recordRef = z.strictObject({
  id: identifier.meta({ description: 'The identifier as text, also where the service sends a number.' }),
  name: z.string().optional().meta({ description: "The record's name or title." }),
});

const fullRecord = recordRef.extend({
  record: record.optional().meta({
    description:
      'The whole record as it now is (as it last was, when deleted). Left out only when `truncated` says so.',
  }),
});

const observed = z
  .strictObject({
    after: timestamp.meta({ description: 'The latest time at which the old state was still read.' }),
    before: timestamp.meta({ description: 'The time at which the new state was read.' }),
  })
  .meta({ description: "The change happened somewhere between the two, by the service's clock." });

const truncated = z.array(z.string()).optional().meta({
  description: 'What was cut to keep the event under 240 KB: `record`, `changes[i].from`, `changes`.',
});

const actors = z
  .array(actor)
  .min(1)
  .optional()
  .meta({
    description:
      'The users whom new entries of the audit log name as those who changed this record between `observed.after` and ' +
      '`observed.before`, the earliest first. Left out where none is known for certain.',
  });

export const projectData = z.strictObject({
  process,
  project: fullRecord,
  changes: z.array(fieldChange),
  observed,
  actors,
  truncated,
});

export const taskData = z.strictObject({
  process,
  project: recordRef,
  task: fullRecord,
  changes: z.array(fieldChange),
  observed,
  actors,
  truncated,
});
