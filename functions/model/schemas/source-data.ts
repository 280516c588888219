import * as z from 'zod';
import { identifier, process, timestamp } from './parts.ts';

/** The data of what a process tells of its own polling. */

export const heldData = z.strictObject({
  process,
  reason: z.string().meta({ description: 'Why deletions are held, in words.' }),
  missing: z.int().positive().meta({ description: 'How many projects the service no longer shows.' }),
  known: z.int().positive().meta({ description: 'How many projects were known.' }),
});

export const stalledData = z.strictObject({
  process,
  reason: z.string().meta({ description: 'What the last pass met, in words.' }),
  since: timestamp.meta({ description: 'When a pass was last completed.' }),
});

export const recoveredData = z.strictObject({
  process,
  since: timestamp.meta({ description: 'The `since` of the stall that is over.' }),
  until: timestamp.meta({ description: 'When a pass was completed again.' }),
});

export const skippedData = z.strictObject({
  process,
  project: z.strictObject({ id: identifier }),
  reason: z.string().meta({ description: 'What the last try met, in words.' }),
  since: timestamp.meta({ description: 'What changed in the project after this may be untold.' }),
});
