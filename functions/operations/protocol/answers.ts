import * as z from 'zod';
import { FILTER_KEYS } from '../../model/filter.ts';
import { KIND_NAMES } from '../../model/kinds.ts';
import { FAILED_QUEUES, FUNCTIONS, type Operation, type Request } from './requests.ts';
import { count, cursor, endpointStatus, statusAnswer, time } from './status.ts';

/** An event as it was committed: docs/events.md. */
const event = z.looseObject({
  id: z.string(),
  type: z.string(),
  /** Its contents were erased: names, values, records and actors. */
  erased: z.literal(true).optional(),
});

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

/** The names of the project and task of an event, if it has one. */
const record = z.string().optional();

/** One request to an endpoint. */
const attempt = z.strictObject({
  endpoint: z.string(),
  at: time,
  /** `record` only if the request wants names. */
  events: z.array(z.strictObject({ id: z.string(), type: z.string(), record })),
  /** The origin of the address that it was sent to; absent for attempts of earlier versions. */
  origin: z.string().optional(),
  status: z.int().optional(),
  /** Why it failed; absent when it did not. */
  failure: z.string().optional(),
  /** ms until the answer, or until it was given up. */
  took: z.number(),
  /** Of a failed attempt, some headers of the answer, made harmless. */
  headers: z.record(z.string(), z.string()).optional(),
  /** The first 1 KB of the answer, made harmless; absent if over 500 events were sent. */
  answer: z.string().optional(),
});

/** The delivery of one event to one endpoint. */
const deliveryStatus = z.strictObject({
  endpoint: z.string(),
  /** Whether its filter, as it is now, wants the event. */
  isWanted: z.boolean(),
  /** `unknown`: it is wanted, but not tried yet, or so long ago that its attempts are deleted. */
  state: z.enum(['delivered', 'waiting', 'dead', 'unknown']),
  /** When it is tried next. */
  nextTryAt: time.optional(),
  /** Why it waits, or why it was given up. */
  reason: z.string().optional(),
  /** The attempts that were found, the oldest first, without their other events. */
  attempts: z.array(attempt),
});

const traceAnswer = z.strictObject({
  committedAt: time,
  event,
  /** Whether it was published to the topic. `unknown`: the journal doesn't show it, and no endpoint got it. */
  published: z.enum(['yes', 'not yet', 'unknown']),
  /** The endpoints that want it, and those with a trace of it; by name. */
  endpoints: z.array(deliveryStatus),
  /** How many other endpoints there are, whose filters leave it out. */
  notWanted: z.int(),
  /** These endpoints by name, each with the first key of its filter that the event does not match. */
  leftOut: z.array(z.strictObject({ endpoint: z.string(), by: z.enum(FILTER_KEYS) })),
});

/** A delivery that was given up; it can be sent again for 30 days. */
const deadLetter = z.strictObject({
  endpoint: z.string(),
  eventId: z.string(),
  record,
  publishedAt: time,
  diedAt: time,
  reason: z.string(),
  attempts: z.int(),
});

/** What an endpoint gets for an event. */
const preview = z.strictObject({
  endpoint: z.string(),
  kind: z.enum(KIND_NAMES),
  event: z.strictObject({ id: z.string(), type: z.string() }),
  committedAt: time.optional(),
  /** A test event: the filter selects none of the last thousand change records. */
  isSample: z.boolean(),
  /** Why the filter excludes the event. */
  leftOut: z.string().optional(),
  /** When a chat that gathers changes would be sent one that came now; absent: at once. */
  nextMessageAt: time.optional(),
  /** Only of a chat: the message as people read it, and its notification. */
  text: z.string().optional(),
  notification: z.string().optional(),
  /** Without the values of secret ones. Absent for a pull endpoint, which is sent no request. */
  headers: z.record(z.string(), z.string()).optional(),
  body: z.json(),
});

/** An entry of the action log. */
const action = z.strictObject({
  at: time,
  /** On AWS the ARN of the caller, elsewhere the name of the user. */
  who: z.string(),
  /** False when `who` could not be verified. */
  isProven: z.boolean(),
  operation: z.string(),
  /** The subject: an endpoint, a process, or neither. */
  endpoint: z.string().optional(),
  workspace: z.string().optional(),
  process: z.string().optional(),
  /** The rest of the request, without addresses and secrets, in words. */
  details: z.string().optional(),
});

/** How the service behaves on one point that the API document leaves open. */
const finding = z.strictObject({
  /** Such as `updatedAfter`. */
  topic: z.string(),
  /** `fine`: no action needed. `setting`: a setting is proposed. `warning`: a known limitation. `unknown`: it could
   *  not be determined; `remedy` describes how to. */
  verdict: z.enum(['fine', 'setting', 'warning', 'unknown']),
  found: z.string(),
  /** The requests that it rests on, without credentials; if many are alike, the first ones. */
  asked: z.array(z.string()),
  came: z.string(),
  remedy: z.string().optional(),
});

export const doctorAnswer = z.strictObject({
  at: time,
  workspace: z.string(),
  process: z.string(),
  findings: z.array(finding),
  /** The proposed settings, in the form of a workspace and a process of the configuration. */
  settings: z.strictObject({
    workspace: z.record(z.string(), z.json()),
    process: z.record(z.string(), z.json()),
  }),
});

/** A value, as a text that is the same for all values that count as equal. */
const meaning = z.string();

const verifyAnswer = z.strictObject({
  ...{ workspace: z.string(), process: z.string() },
  /** The time of the answer, by the clock that dates commits. */
  at: time,
  /** False before the first baseline is complete: there is nothing to compare. */
  isBaselined: z.boolean(),
  /** The events of records in this slice of the journal, in the order of commits. */
  changes: z.array(
    z.strictObject({
      event: z.string(),
      /** The event's subject. */
      record: z.string(),
      version: z.int(),
      action: z.enum(['created', 'updated', 'deleted']),
      /** Each field with `from` and `to`; null for a value that the event has not in full. */
      fields: z.array(z.tuple([z.string(), meaning.nullable(), meaning.nullable()])),
      /** True when the event lacks some changes. */
      isCut: z.boolean().optional(),
    }),
  ),
  /** The snapshots of the projects, in the order of the request. A large one is continued in the next slice. */
  snapshots: z.array(
    z.strictObject({
      project: z.string(),
      /** Absent when the project has no snapshot. */
      version: z.int().optional(),
      /** Each record by the subject of its events, with the fields that have a value. */
      records: z.array(z.tuple([z.string(), z.array(z.tuple([z.string(), meaning]))])),
      /** Why it cannot be read. */
      problem: z.string().optional(),
      withheld: z.array(z.string()).optional(),
    }),
  ),
  /** Only for `deliveries`: those of the events in this slice, by state. */
  deliveries: z
    .strictObject({
      delivered: z.int(),
      waiting: z.int(),
      dead: z.int(),
      /** Without a trace, where there need not be one: successes were not kept, or the filter may have changed. */
      unknown: z.int(),
      /** Without a trace. */
      missing: z.array(z.strictObject({ event: z.string(), endpoint: z.string() })),
    })
    .optional(),
  /** Only for `service`: the projects in this slice, compared with their snapshots. */
  service: z
    .strictObject({
      projects: z.int(),
      /** Those that could not be compared. */
      unreadable: z.array(z.strictObject({ project: z.string(), reason: z.string() })),
      /** `field` is absent if one of the two lacks the record: then the values are `present` and `absent`. */
      differences: z.array(
        z.strictObject({
          ...{ record: z.string(), field: z.string().optional() },
          ...{ service: meaning, snapshot: meaning },
        }),
      ),
    })
    .optional(),
  /** The time of the last commit in this slice. */
  readTo: time.optional(),
  cursor,
});

const logEntry = z.strictObject({
  at: time,
  level: z.enum(['debug', 'info', 'warn', 'error']),
  message: z.string(),
  /** The other properties of the line. */
  details: z.record(z.string(), z.json()),
});

/** A message of a dead-letter queue. */
const failedMessage = z.strictObject({
  at: time,
  /** Why it was given up, if the message has that. */
  reason: z.string().optional(),
  /** Details by name: `process`, `event`, `from`, `to` and so on. */
  about: z.record(z.string(), z.string()),
});

const queue = z.enum(FAILED_QUEUES);
/** The number of messages, which SQS knows only approximately. */
const messages = z.int().nonnegative();

const dryRun = z.boolean();
const ofProcess = { workspace: z.string(), process: z.string() };

/** A signing secret that was made, which is shown only here. A given one is not shown. */
const made = z.strictObject({ endpoint: z.string(), secret: z.string().optional() });

/** Names in a filter that no change in the journal has: likely typos. */
const warnings = z.array(z.string()).optional();

/** The answers, by operation. */
const recordRef = z.strictObject({ id: z.string(), name: z.string().optional() });

const recordAnswer = z.strictObject({
  ...ofProcess,
  project: recordRef,
  task: recordRef.optional(),
  /** Its version, as in events. */
  sequence: z.string(),
  /** When it was read, by the service's clock. */
  readAt: time,
  record: z.record(z.string(), z.json()),
  /** The number of tasks of a project. */
  tasks: z.int().optional(),
});

/** The definitions of custom fields, as they were last emitted, without deleted ones. */
const definitions = z.array(
  z.strictObject({
    externalId: z.string(),
    name: z.string(),
    type: z.string(),
    options: z.array(z.string()).optional(),
    archived: z.boolean(),
  }),
);

const takeAnswer = z.strictObject({
  events: z.array(
    z.strictObject({
      event,
      /** For `ack` and `nack`. */
      receipt: z.string(),
      /** How often it was returned. */
      attempts: z.int(),
    }),
  ),
  /** When the lease ends. */
  until: time,
  isPaused: z.boolean(),
});
/** The names of a configuration, and how they differ from those before. */
const reloaded = z.strictObject({
  count: z.int(),
  ...{ added: z.array(z.string()), removed: z.array(z.string()) },
});

/** `late`: those that were acknowledged or returned before, or whose lease had ended: they come again. */
const leaseEnded = z.strictObject({ ended: z.int(), late: z.int() });

const cancelledJob = z.strictObject({ endpoint: z.string(), wasUnderWay: z.boolean(), added: z.int() });

export const answers = {
  status: statusAnswer,
  events: eventsAnswer,
  trace: traceAnswer,
  record: recordAnswer,
  endpoints: z.strictObject({ endpoints: z.array(endpointStatus), cursor }),
  /** For an added webhook, `isRotating` is true while the old secret signs too. `headers`: the names of its own
   *  headers. */
  endpoint: endpointStatus.extend({
    isRotating: z.boolean().optional(),
    headers: z.array(z.string()).optional(),
  }),
  /** Newest first. */
  attempts: z.strictObject({ attempts: z.array(attempt), cursor }),
  /** Oldest first. */
  'dead-letters': z.strictObject({ deadLetters: z.array(deadLetter), cursor }),
  preview,
  /** Newest first. */
  actions: z.strictObject({ actions: z.array(action), cursor }),
  definitions: z.strictObject({ ...ofProcess, project: definitions, task: definitions }),
  doctor: doctorAnswer,
  verify: verifyAnswer,
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
    closed: z.enum(['paused', 'stopped', 'failing', 'throttled', 'backlog']).optional(),
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
  'cancel-replay': cancelledJob,
  snapshot: z.strictObject({
    endpoint: z.string(),
    processes: z.array(z.string()),
    /** For a dry run: how many projects there are, before the filter. */
    projects: count.optional(),
    dryRun,
  }),
  'cancel-snapshot': cancelledJob,
  pass: z.strictObject({ ...ofProcess, mode: z.enum(['changes', 'sweep']), startedAt: time }),
  release: z.strictObject({
    ...ofProcess,
    /** How many disappeared. */
    projects: z.int(),
    /** The ids of the first thousand. */
    first: z.array(z.string()),
    ...{ since: time, dryRun },
  }),
  reload: z.strictObject({
    /** The file that was read. */
    config: z.string(),
    ...{ processes: reloaded, endpoints: reloaded, dryRun },
  }),
  /** For a dry run: how many projects would be deleted. If the number is not exact, more are left for another
   *  such request. */
  forget: z.strictObject({ ...ofProcess, projects: count, dryRun }),
  erase: z.strictObject({
    ...ofProcess,
    project: z.string(),
    /** What this slice erased: the contents of events in the journal, deliveries in backlogs, dead letters, and the
     *  answers of receivers. */
    erased: z.strictObject({
      events: z.int(),
      deliveries: z.int(),
      deadLetters: z.int(),
      answers: z.int(),
    }),
    /** Successful deliveries in this slice, as far as attempts are kept. They can't be recalled. */
    delivered: z.array(z.strictObject({ endpoint: z.string(), deliveries: z.int() })),
    /** Whether the service had the project when it was last read: its snapshot stays. */
    isInService: z.boolean(),
    /** The cursor of the next slice; absent on the last one. */
    cursor,
    dryRun,
  }),
  take: takeAnswer,
  ack: leaseEnded,
  nack: leaseEnded,
  /** Oldest first. A page may be empty and yet not the last. */
  logs: z.strictObject({ function: z.enum(FUNCTIONS), entries: z.array(logEntry), cursor }),
  republish: z.strictObject({
    /** The number of events in this slice. */
    events: z.int().nonnegative(),
    records: z.int().nonnegative(),
    /** How far the slice goes: its process, and the time of its last commit. */
    process: z.string().optional(),
    readTo: time.optional(),
    /** The cursor of the next slice; absent on the last one. */
    cursor,
    dryRun,
  }),
  'failed-messages': z.strictObject({ queue, messages, first: z.array(failedMessage) }),
  'clear-failed-messages': z.strictObject({ queue, messages, dryRun }),
  /** Sends back a thousand at most; `left` are left for another such request. */
  'retry-failed-messages': z.strictObject({ messages, left: messages, dryRun }),
} as const satisfies Record<Operation, z.ZodType>;

export type AnswerTo<Asked extends Request> = z.infer<(typeof answers)[Asked['operation']]>;
export type AnswerOf<Name extends Operation> = z.infer<(typeof answers)[Name]>;
export type DoctorAnswer = AnswerOf<'doctor'>;
export type Finding = z.infer<typeof finding>;
export type LogEntry = z.infer<typeof logEntry>;
export type FailedMessage = z.infer<typeof failedMessage>;
