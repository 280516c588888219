import * as z from 'zod';
import { bySetting, KIND_NAMES } from '../../model/kinds.ts';
import { asDryRun, asPage, moment } from './parts.ts';
import {
  clearSetAsideRequest,
  logsRequest,
  republishRequest,
  retrySetAsideRequest,
  setAsideRequest,
} from './stack.ts';

/** The requests (design.md §13): one JSON object each, the same for every client and implementation. Times are ISO 8601 with a zone. */

const name = z.string().min(1).max(256);
const eventId = z.string().min(1).max(2048);
const names = z.array(name).min(1).max(100);

/** A process; with its workspace only if two workspaces have a process of this id. */
const ofProcess = { process: name, workspace: name.optional() };

/** No endpoint has a longer name. */
const endpoint = z.string().min(1).max(100);
const endpointName = { endpoint };
/** The values are checked by the same code as the configuration's. */
const endpointSettings = {
  filter: z.unknown().optional(),
  perSecond: z.number().nullable().optional(),
  keepSuccesses: z.boolean().nullable().optional(),
  ...bySetting(() => z.string().max(256).nullable().optional()),
};

/** Which events are wanted. All given conditions must match. */
const eventQuery = {
  process: name.optional(),
  workspace: name.optional(),
  project: name.optional(),
  task: name.optional(),
  types: names.optional(),
  /** A changed field, by its id or by the name that people see. */
  field: name.optional(),
  /** Somebody who made the change, by id or name. */
  actor: name.optional(),
  /** Words that must all be part of the event: of its type, ids, names, actors, fields and values, in any case. */
  search: z.string().max(256).regex(/\S/, 'at least one word').optional(),
  /** Committed at this time or later. */
  since: moment.optional(),
  /** Committed before this time. */
  until: moment.optional(),
};

/** Requests that only look. */
export const lookRequests = [
  z.strictObject({ operation: z.literal('status'), ...asPage }),
  z.strictObject({
    operation: z.literal('events'),
    ...eventQuery,
    order: z.enum(['newest-first', 'oldest-first']).optional(),
    ...asPage,
  }),
  z.strictObject({ operation: z.literal('trace'), eventId }),
  z.strictObject({ operation: z.literal('endpoints'), ...asPage }),
  z.strictObject({ operation: z.literal('endpoint'), ...endpointName }),
  z.strictObject({
    operation: z.literal('attempts'),
    ...endpointName,
    eventId: eventId.optional(),
    ...asPage,
  }),
  z.strictObject({ operation: z.literal('dead-letters'), ...endpointName, ...asPage }),
  /** Lists actions: those on one endpoint, on one process, or, if neither is named, all. */
  z
    .strictObject({
      operation: z.literal('actions'),
      endpoint: endpoint.optional(),
      process: name.optional(),
      workspace: name.optional(),
      ...asPage,
    })
    .refine(({ endpoint, process }) => endpoint === undefined || process === undefined, {
      path: ['endpoint'],
      error: 'an endpoint or a process, not both',
    }),
  z.strictObject({ operation: z.literal('doctor'), ...ofProcess }),
  logsRequest,
  setAsideRequest,
] as const;

/** Requests that change or send something. */
export const actRequests = [
  z.strictObject({
    operation: z.literal('add-endpoint'),
    ...endpointName,
    kind: z.enum(KIND_NAMES),
    url: z.string().max(4096),
    secrets: z.array(z.string().max(1024)).max(2).optional(),
    ...endpointSettings,
  }),
  /** Changes an endpoint. A key that is missing stays as it is; null means the default. */
  z.strictObject({
    operation: z.literal('update-endpoint'),
    ...endpointName,
    url: z.string().max(4096).optional(),
    ...endpointSettings,
  }),
  z.strictObject({ operation: z.literal('pause-endpoint'), ...endpointName }),
  z.strictObject({ operation: z.literal('resume-endpoint'), ...endpointName }),
  z.strictObject({ operation: z.literal('remove-endpoint'), ...endpointName, ...asDryRun }),
  z.strictObject({
    operation: z.literal('rotate-secret'),
    ...endpointName,
    secret: z.string().max(1024).optional(),
  }),
  z.strictObject({ operation: z.literal('finish-rotation'), ...endpointName }),
  z.strictObject({ operation: z.literal('test-endpoint'), ...endpointName }),
  z.strictObject({ operation: z.literal('resend'), eventId, to: endpoint }),
  /** Sends all dead letters of an endpoint again. */
  z.strictObject({ operation: z.literal('resend-dead'), to: endpoint, ...asDryRun }),
  z.strictObject({
    operation: z.literal('replay'),
    to: endpoint,
    since: moment,
    until: moment.optional(),
    types: names.optional(),
    processes: names.optional(),
    ...asDryRun,
  }),
  z.strictObject({ operation: z.literal('cancel-replay'), to: endpoint }),
  /** Starts a pass. */
  z.strictObject({ operation: z.literal('pass'), ...ofProcess, mode: z.enum(['changes', 'sweep']) }),
  /** Lets the deletions of a process that is on hold go ahead. */
  z.strictObject({ operation: z.literal('release'), ...ofProcess, ...asDryRun }),
  /** Deletes what is kept of a process that is no longer configured. */
  z.strictObject({ operation: z.literal('forget'), ...ofProcess, ...asDryRun }),
  republishRequest,
  clearSetAsideRequest,
  retrySetAsideRequest,
] as const;

export const request = z.discriminatedUnion('operation', [...lookRequests, ...actRequests]);

export type Request = z.infer<typeof request>;
export type Operation = Request['operation'];
export type Look = z.infer<(typeof lookRequests)[number]>['operation'];
export type Act = z.infer<(typeof actRequests)[number]>['operation'];

/** The request of one operation. */
export type RequestOf<Name extends Operation> = Extract<Request, { operation: Name }>;

const LOOKS: ReadonlySet<string> = new Set(lookRequests.map(({ shape }) => shape.operation.value));

/** Whether a request only looks: it changes nothing, and sends nothing but requests to the service. */
export function isLook({ operation }: { readonly operation: Operation }): boolean {
  return LOOKS.has(operation);
}
