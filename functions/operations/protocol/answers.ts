import * as z from 'zod';
import { actionsAnswer, attemptsAnswer, deadLettersAnswer } from './deliveries.ts';
import { doctorAnswer } from './doctor.ts';
import { endpointStatus } from './endpoints.ts';
import { eventsAnswer, traceAnswer } from './events.ts';
import { logsAnswer } from './logs.ts';
import { attempt, count, cursor, time } from './parts.ts';
import { republishAnswer } from './republish.ts';
import type { Operation, Request } from './requests.ts';
import { clearSetAsideAnswer, retrySetAsideAnswer, setAsideAnswer } from './set-aside.ts';
import { statusAnswer } from './status.ts';

const dryRun = z.boolean();
const ofProcess = { workspace: z.string(), process: z.string() };

/** A signing secret that was made, which is shown only here. A given one is not shown. */
const made = z.strictObject({ endpoint: z.string(), secret: z.string().optional() });

/** What a filter names, but no change of the last 30 days has: likely typing mistakes. */
const warnings = z.array(z.string()).optional();

/** The answers, by operation. */
export const answers = {
  status: statusAnswer,
  events: eventsAnswer,
  trace: traceAnswer,
  endpoints: z.strictObject({ endpoints: z.array(endpointStatus), cursor }),
  /** Of a webhook that was added: `isRotating` is true while the secret before the new one signs, too. */
  endpoint: endpointStatus.extend({ isRotating: z.boolean().optional() }),
  attempts: attemptsAnswer,
  'dead-letters': deadLettersAnswer,
  actions: actionsAnswer,
  doctor: doctorAnswer,
  'add-endpoint': made.extend({ warnings }),
  'update-endpoint': endpointStatus.extend({ warnings }),
  'pause-endpoint': endpointStatus,
  'resume-endpoint': endpointStatus,
  'remove-endpoint': z.strictObject({ endpoint: z.string(), waiting: count, dead: count, dryRun }),
  'rotate-secret': made,
  'finish-rotation': z.strictObject({ endpoint: z.string() }),
  'test-endpoint': attempt,
  resend: z.strictObject({
    endpoint: z.string(),
    eventId: z.string(),
    result: z.enum(['sent', 'already waiting']),
    /** Why the endpoint gets nothing now; the event is sent when that is over. */
    closed: z.enum(['paused', 'stopped', 'failing', 'held', 'behind']).optional(),
  }),
  /** Sends a thousand at most: if the number is not exact, more are left for another such request. */
  'resend-dead': z.strictObject({ endpoint: z.string(), deliveries: count, dryRun }),
  replay: z.strictObject({
    endpoint: z.string(),
    since: time,
    until: time,
    /** For a dry run: how many events the endpoint would get. */
    events: count.optional(),
    dryRun,
  }),
  'cancel-replay': z.strictObject({ endpoint: z.string(), wasUnderWay: z.boolean(), added: z.int() }),
  pass: z.strictObject({ ...ofProcess, mode: z.enum(['changes', 'sweep']), startedAt: time }),
  release: z.strictObject({ ...ofProcess, projects: z.int(), since: time, dryRun }),
  /** For a dry run: how many projects would be deleted. If the number is not exact, more are left for another
   *  such request. */
  forget: z.strictObject({ ...ofProcess, projects: count, dryRun }),
  logs: logsAnswer,
  republish: republishAnswer,
  'set-aside': setAsideAnswer,
  'clear-set-aside': clearSetAsideAnswer,
  'retry-set-aside': retrySetAsideAnswer,
} as const satisfies Record<Operation, z.ZodType>;

export type AnswerTo<Asked extends Request> = z.infer<(typeof answers)[Asked['operation']]>;
export type AnswerOf<Name extends Operation> = z.infer<(typeof answers)[Name]>;
