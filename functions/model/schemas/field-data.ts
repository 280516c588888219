import * as z from 'zod';
import { identifier, process } from './parts.ts';

/** The data of events of custom fields' definitions. */

const propertyValue = z.union([z.string(), z.boolean(), z.array(z.string()), z.null()]);

const propertyChange = z
  .strictObject({
    field: z
      .enum(['archived', 'name', 'options', 'type'])
      .meta({ description: "The definition's property." }),
    from: propertyValue.meta({ description: 'What was told before; null when there was none.' }),
    to: propertyValue.meta({ description: 'What was read.' }),
    added: z.array(z.string()).optional().meta({ description: 'options only: choices that came.' }),
    removed: z.array(z.string()).optional().meta({ description: 'options only: choices that went.' }),
  })
  .meta({ id: 'PropertyChange', description: 'One changed property of a definition.' });

export const fieldData = z.strictObject({
  process,
  field: z
    .strictObject({
      entity: z.enum(['project', 'task']).meta({ description: 'What the field is of.' }),
      externalId: identifier,
      name: z.string(),
      type: z.string().meta({
        description: 'text, number, date, single-choice or multiple-choice; else as the service wrote it.',
      }),
      options: z.array(z.string()).optional().meta({ description: 'The labels of the choices.' }),
      archived: z.boolean(),
    })
    .meta({ description: 'The definition as it now is; as it last was, when deleted.' }),
  changes: z.array(propertyChange),
  truncated: z.array(z.string()).optional().meta({
    description: 'What was cut to keep the event under 240 KB: `field.options`, `changes[i].from`.',
  }),
});
