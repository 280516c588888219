import * as z from 'zod';
import type { Json } from '../../basics/json.ts';
import { actor, identifier, process } from './parts.ts';

/** The data of an event that tells an entry of the audit log. */

export const auditData = z.strictObject({
  process,
  entry: z.any().meta({
    description:
      'The entry as the service wrote it; where `truncated` names it, the begin of its JSON as a text.',
  }) as z.ZodType<Json>,
  projects: z.array(z.strictObject({ id: identifier })).meta({
    description: 'The known projects whose identifier stands anywhere in the entry, by identifier.',
  }),
  tasks: z.array(z.strictObject({ id: identifier, projectId: identifier })).meta({
    description:
      'The known tasks of these projects whose identifier stands anywhere in the entry, by project and identifier. ' +
      'Not known is one that no pass has read yet, or that was told as deleted.',
  }),
  users: z.array(actor).meta({ description: 'The known users whom the entry names as those who acted.' }),
  truncated: z.array(z.string()).optional().meta({
    description: 'What was cut to keep the event under 240 KB: `entry`, `projects`, `tasks`, `users`.',
  }),
});
