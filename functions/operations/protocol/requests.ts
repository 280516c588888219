import * as z from 'zod';
import { bySetting, KIND_NAMES } from '../../model/kinds.ts';

/** The requests (design.md §13): one JSON object each, the same for every client and implementation. Times are
 *  ISO 8601 with a zone. */

/** The schema of one request: its operation, and its other keys. */
const asks = <Name extends string, Keys extends z.ZodRawShape>(operation: Name, keys: Keys) =>
  z.strictObject({ operation: z.literal(operation), ...keys });

/** A time, with any zone. */
const moment = z.iso.datetime({
  offset: true,
  error: 'a time with its zone, such as 2026-11-21T09:00:00Z',
});

/** A dry run answers as the operation would, and changes nothing. */
const asDryRun = { dryRun: z.boolean().optional() };

const asPage = {
  cursor: z.string().max(8192).optional().describe('The cursor of the previous page.'),
  limit: z.int().min(1).max(100).optional(),
};

const name = z.string().min(1).max(256);
const eventId = z.string().min(1).max(2048);
const names = z.array(name).min(1).max(100);
const record = z.string().min(1).max(1024);

/** A process; with its workspace only if two workspaces have a process of this id. */
const ofProcess = { process: name, workspace: name.optional() };

/** No endpoint has a longer name. */
const endpoint = z.string().min(1).max(100);
/** Enough for 50 mail addresses of 254 characters. */
const MAX_ADDRESSES = 16_384;
/** The values are checked by the same code as the configuration's. */
const endpointSettings = {
  filter: z.unknown().optional(),
  perSecond: z.number().nullable().optional(),
  keepSuccesses: z.boolean().nullable().optional(),
  record: z.boolean().nullable().optional(),
  ...bySetting({
    text: ({ name }) =>
      z
        .string()
        .max(name === 'to' ? MAX_ADDRESSES : 256)
        .nullable()
        .optional(),
    whole: () => z.number().nullable().optional(),
  }),
};

/** Which events are wanted. All given conditions must match. */
const eventQuery = {
  process: name.optional(),
  workspace: name.optional(),
  project: name.optional(),
  task: name.optional(),
  types: names.optional().describe('Event types, such as `task.updated`.'),
  field: name.optional().describe('A changed field, by id or name.'),
  actor: name.optional().describe('A user who made the change, by id or name.'),
  search: z
    .string()
    .max(256)
    .regex(/\S/, 'at least one word')
    .optional()
    .describe(
      'Words that must all occur in the event: type, ids, names, actors, fields or values, in any case.',
    ),
  since: moment.optional().describe('Committed at this time or later.'),
  until: moment.optional().describe('Committed before this time.'),
};

/** The functions of a stack. */
export const FUNCTIONS = ['poll', 'publish', 'route', 'deliver', 'tick', 'operate'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** The dead-letter queues: events that SNS refuses, parts of the table's stream, passes that could not be
 *  started, and messages that no run could process. */
export const FAILED_QUEUES = ['rejected', 'unpublished', 'unstarted', 'unsettled'] as const;
export type FailedQueueName = (typeof FAILED_QUEUES)[number];

const ofQueue = { queue: z.enum(FAILED_QUEUES) };

/** What `verify` reads. */
const VERIFIED_PARTS = ['journal', 'snapshots', 'deliveries', 'service'] as const;

/** Read-only requests. Their descriptions are also those of the tools of `changewire mcp`. */
export const lookRequests = [
  asks('status', asPage).describe('Shows the health of processes and endpoints, and their backlogs.'),
  asks('events', {
    ...eventQuery,
    order: z.enum(['newest-first', 'oldest-first']).optional(),
    ...asPage,
  }).describe('Lists events of the journal, by default newest first.'),
  asks('trace', { eventId }).describe('Shows an event and its deliveries.'),
  asks('record', {
    process: name.optional(),
    workspace: name.optional(),
    project: record,
    task: record.optional(),
  }).describe('Shows the stored snapshot of a project or task.'),
  asks('endpoints', asPage).describe('Lists endpoints with their health and backlog.'),
  asks('endpoint', { endpoint }).describe('Shows an endpoint with its settings, health and backlog.'),
  asks('attempts', {
    endpoint,
    eventId: eventId.optional(),
    failed: z.literal(true).optional().describe('Only failed ones.'),
    names: z.literal(true).optional().describe('With the names of records, of the first three events each.'),
    ...asPage,
  }).describe('Lists the attempts of an endpoint, newest first.'),
  asks('dead-letters', { endpoint, ...asPage }).describe(
    'Lists the dead letters of an endpoint, oldest first.',
  ),
  asks('preview', { endpoint, eventId: eventId.optional() }).describe(
    'Shows what an endpoint gets for an event; by default for the last one that its filter selects.',
  ),
  asks('actions', {
    endpoint: endpoint.optional(),
    process: name.optional(),
    workspace: name.optional(),
    ...asPage,
  })
    .refine(({ endpoint, process }) => endpoint === undefined || process === undefined, {
      path: ['endpoint'],
      error: 'an endpoint or a process, not both',
    })
    .describe(
      'Lists actions of operators, newest first: on one endpoint, on one process, or, if neither is named, all.',
    ),
  asks('definitions', ofProcess).describe('Shows the field definitions of a process.'),
  asks('doctor', ofProcess).describe(
    'Probes the service with a few dozen read-only requests, and suggests settings.',
  ),
  asks('verify', {
    ...ofProcess,
    part: z.enum(VERIFIED_PARTS),
    since: moment.optional().describe('Only for `journal`: committed at this time or later.'),
    projects: z
      .array(z.string().min(1).max(1024))
      .min(1)
      .max(100)
      .optional()
      .describe('Required for `snapshots`; with `service`, only these are compared.'),
    cursor: asPage.cursor,
  }).describe(
    "Reads a part of what `changewire verify` compares: a slice of a process's journal, the snapshots of some " +
      "projects, the deliveries of a slice of the last days' events, or what the service has now.",
  ),
  asks('logs', {
    function: z.enum(FUNCTIONS),
    since: moment,
    until: moment.optional(),
    all: z.boolean().optional(),
    ...asPage,
  }).describe(
    "Reads the log of a stack's function: warnings, errors, and runs that were killed; or everything.",
  ),
  asks('failed-messages', ofQueue).describe(
    'Shows some messages of a dead-letter queue of a stack; they stay in it.',
  ),
] as const;

/** Requests that change or send something. */
export const actRequests = [
  asks('add-endpoint', {
    endpoint,
    kind: z.enum(KIND_NAMES),
    /** Required, except for the kind pull, which has none. */
    url: z.string().max(4096).optional(),
    secrets: z.array(z.string().max(1024)).max(2).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    ...endpointSettings,
  }),
  /** Changes an endpoint. A key that is missing stays as it is; null means the default, or removes a header. */
  asks('update-endpoint', {
    endpoint,
    url: z.string().max(4096).optional(),
    headers: z.record(z.string(), z.string().nullable()).optional(),
    ...endpointSettings,
  }),
  asks('pause-endpoint', { endpoint }),
  asks('resume-endpoint', { endpoint }),
  asks('remove-endpoint', { endpoint, ...asDryRun }),
  asks('rotate-secret', { endpoint, secret: z.string().max(1024).optional() }),
  asks('finish-rotation', { endpoint }),
  asks('test-endpoint', { endpoint }),
  asks('resend', { eventId, to: endpoint }),
  /** Sends up to a thousand dead letters of an endpoint again, oldest first. */
  asks('resend-dead', { to: endpoint, ...asDryRun }),
  asks('replay', {
    to: endpoint,
    since: moment,
    until: moment.optional(),
    types: names.optional(),
    processes: names.optional(),
    ...asDryRun,
  }),
  asks('cancel-replay', { to: endpoint }),
  /** Sends the current state of all records to an endpoint. */
  asks('snapshot', {
    to: endpoint,
    /** All by default. */
    process: name.optional(),
    workspace: name.optional(),
    /** Only with a process. */
    project: record.optional(),
    ...asDryRun,
  }),
  asks('cancel-snapshot', { to: endpoint }),
  /** Starts a pass. */
  asks('pass', { ...ofProcess, mode: z.enum(['changes', 'sweep']) }),
  /** Lets the deletions of a process that is on hold go ahead. */
  asks('release', { ...ofProcess, ...asDryRun }),
  /** Deletes the stored data of a process that is no longer configured. */
  asks('forget', { ...ofProcess, ...asDryRun }),
  /** Has a run on one machine read its configuration again. */
  asks('reload', asDryRun),
  /** Erases the contents of a project's and its tasks' events: in the journal, backlogs and dead letters. Each request
   *  erases a slice; the first has no cursor. */
  asks('erase', {
    project: record,
    /** Required if no process has the project now or had it in the last 30 days. */
    process: name.optional(),
    workspace: name.optional(),
    cursor: asPage.cursor,
    ...asDryRun,
  }),
  /** Publishes change records of the journal again, to all subscribers, under the same ids. Each request
   *  publishes a slice; the first has no cursor. */
  asks('republish', {
    since: moment,
    until: moment,
    /** All by default. */
    processes: names.optional(),
    cursor: asPage.cursor,
    ...asDryRun,
  }),
  /** Deletes the messages of a dead-letter queue, once their cause is repaired. */
  asks('clear-failed-messages', { ...ofQueue, ...asDryRun }),
  /** Sends each message that no run could process back to its queue. */
  asks('retry-failed-messages', asDryRun),
] as const;

const receipts = z.array(z.string().min(1).max(2048)).min(1).max(100);

/** Requests of the consumers of pull endpoints. They are not recorded as actions. */
const pullRequests = [
  /** Leases events, for `lease` seconds. */
  asks('take', { endpoint, limit: asPage.limit, lease: z.int().min(1).max(43_200).optional() }),
  asks('ack', { endpoint, receipts }),
  /** Returns events, which are taken again after `delay` seconds. */
  asks('nack', { endpoint, receipts, delay: z.int().min(0).max(43_200).optional() }),
] as const;

export const request = z.discriminatedUnion('operation', [...lookRequests, ...actRequests, ...pullRequests]);

export type Request = z.infer<typeof request>;
export type Operation = Request['operation'];
export type Act = z.infer<(typeof actRequests)[number]>['operation'];

/** The request of one operation. */
export type RequestOf<Name extends Operation> = Extract<Request, { operation: Name }>;

/** Whether a request is read-only: it changes nothing, and sends only requests to the service. */
export function isLook({ operation }: { readonly operation: Operation }): boolean {
  return lookRequests.some(({ shape }) => shape.operation.value === operation);
}

/** Whether a request is of a consumer of a pull endpoint. */
export function isPull({ operation }: { readonly operation: Operation }): boolean {
  return pullRequests.some(({ shape }) => shape.operation.value === operation);
}

/** An answer over a wire, or the refusal. */
export const reply = z.union([
  z.strictObject({ answer: z.json() }),
  z.strictObject({
    /** The reason and the remedy, for people. */
    refused: z.string(),
    /** True when the request itself is wrong. */
    isUsage: z.boolean(),
  }),
]);

export type Reply = z.infer<typeof reply>;
