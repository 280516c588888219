import * as z from 'zod';
import { FILTER_KEYS } from '../../model/filter.ts';
import { doctorAnswer } from './doctor.ts';
import { endpointStatus } from './endpoints.ts';
import { attempt, count, cursor, time } from './parts.ts';
import type { Operation, Request } from './requests.ts';
import {
  clearSetAsideAnswer,
  logsAnswer,
  republishAnswer,
  retrySetAsideAnswer,
  setAsideAnswer,
} from './stack.ts';
import { statusAnswer } from './status.ts';

/** An event as it was committed: docs/events.md. */
const event = z.looseObject({ id: z.string(), type: z.string() });

/** An event with the time of its commit. */
const committedEvent = z.strictObject({ committedAt: time, event });

const eventsAnswer = z.strictObject({
  /** The time of the answer, by the clock that dates commits. */
  at: time,
  events: z.array(committedEvent),
  /** The time of the last commit that was read, even if none of its events matched: a page ends after a
   *  thousand change records, and after 3 MB. Absent when none was read. */
  readTo: time.optional(),
  /** How many events of this page were compared with the request. */
  searched: z.int(),
  cursor,
});

/** The delivery of one event to one endpoint. */
const deliveryStatus = z.strictObject({
  endpoint: z.string(),
  /** Whether its filter, as it is now, wants the event. */
  isWanted: z.boolean(),
  /** `unknown`: it is wanted, and there is no trace of it, because it is too early or too late (attempts are
   *  kept for 7 days). */
  state: z.enum(['delivered', 'waiting', 'dead', 'unknown']),
  /** When it is tried next. */
  nextTryAt: time.optional(),
  /** Why it waits, or why it was given up. */
  reason: z.string().optional(),
  /** The attempts that were found, the oldest first. */
  attempts: z.array(attempt),
});

const traceAnswer = z.strictObject({
  committedAt: time,
  event,
  /** Whether it was published to the topic. `unknown`: the journal doesn't say, and no endpoint got it. */
  published: z.enum(['yes', 'not yet', 'unknown']),
  /** The endpoints that want it, and those with a trace of it; by name. */
  endpoints: z.array(deliveryStatus),
  /** How many other endpoints there are, whose filters leave it out. */
  notWanted: z.int(),
  /** These endpoints by name, each with the first key of its filter that the event does not match. */
  leftOut: z.array(z.strictObject({ endpoint: z.string(), by: z.enum(FILTER_KEYS) })),
});

/** Newest first. */
const attemptsAnswer = z.strictObject({ attempts: z.array(attempt), cursor });

/** A delivery that was given up; it can be sent again for 30 days. */
const deadLetter = z.strictObject({
  endpoint: z.string(),
  eventId: z.string(),
  publishedAt: time,
  diedAt: time,
  reason: z.string(),
  attempts: z.int(),
});

/** Oldest first. */
const deadLettersAnswer = z.strictObject({ deadLetters: z.array(deadLetter), cursor });

/** An entry of the action log. */
const action = z.strictObject({
  at: time,
  /** On AWS the ARN of the caller, elsewhere the name of the user. */
  who: z.string(),
  /** False when `who` could not be verified. */
  isProven: z.boolean(),
  operation: z.string(),
  /** What it concerned; without any of these, neither an endpoint nor a process. */
  endpoint: z.string().optional(),
  workspace: z.string().optional(),
  process: z.string().optional(),
  /** The rest of the request, without addresses and secrets, in words. */
  details: z.string().optional(),
});

/** Newest first. */
const actionsAnswer = z.strictObject({ actions: z.array(action), cursor });

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
