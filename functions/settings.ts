import * as z from 'zod';
import type { EventType } from './changes/event.ts';
import type { LinkTemplate } from './endpoints/chat-links.ts';
import type { EndpointSettings } from './endpoints/endpoint.ts';

const milliseconds = z.number().int().positive();

const MINUTE_MS = 60_000;

const rhythm = z
  .strictObject({ fastest: milliseconds, slowest: milliseconds })
  .refine(({ fastest, slowest }) => fastest <= slowest, 'fastest is slower than slowest');

/** One process to poll, and what is special about it. */
export const processSettings = z.strictObject({
  id: z.string().min(1),
  /** From one `changes` pass to the next, in ms: `fastest` behind one that found something, twice as long behind each that didn't, `slowest` at
   *  most. 5 times the slowest, or a minute, without a completed one are a stall. */
  changes: rhythm.default({ fastest: MINUTE_MS, slowest: MINUTE_MS }),
  /** From one sweep to the next, in ms. */
  sweep: milliseconds.default(6 * 60 * MINUTE_MS),
  /** How far behind the watermark a `changes` pass asks, in ms. */
  overlap: milliseconds.default(120_000),
  /** Fields whose change alone is no change, beside the usual update timestamps. */
  ignoreFields: z.array(z.string()).default([]),
  /** False: these credentials may not read the audit log, and nobody asks for it. */
  auditLog: z.boolean().optional(),
});

const pageSize = z.number().int().min(1);

/** One credential set on one instance of the service (service-api.md §1, §5). */
export const workspaceSettings = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  baseUrl: z.url(),
  authUrl: z.url(),
  audience: z.string().min(1),
  /** Secrets Manager's name or ARN of the JSON `{"clientId": "...", "clientSecret": "..."}`. */
  credentials: z.string().min(1),
  /** Requests at once, at most: how many the service bears is found. */
  concurrency: z.number().int().min(1).max(32).default(16),
  /** The record's property that identifies it, when the usual names are wrong. */
  identifiers: z
    .strictObject({
      project: z.string().optional(),
      task: z.string().optional(),
      user: z.string().optional(),
    })
    .default({}),
  /** `first` of each list, where the usual ones are too large for the service. */
  pageSize: z
    .strictObject({
      projects: pageSize.optional(),
      tasks: pageSize.optional(),
      auditLog: pageSize.optional(),
      users: pageSize.optional(),
    })
    .default({}),
  /** False: it is known that the service sends no `Date`, and nobody is told. */
  dateHeader: z.boolean().optional(),
  processes: z.array(processSettings).min(1),
});

export type ProcessSettings = z.infer<typeof processSettings>;
export type WorkspaceSettings = z.infer<typeof workspaceSettings>;

const values = z.array(z.union([z.string(), z.number(), z.boolean()])).optional();

const names = z.array(z.string()).optional();

/** One receiver of events that `deliver.ts` serves. */
export const endpointSettings = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  kind: z.enum(['webhook', 'slack', 'teams']),
  filter: z
    .strictObject({
      // Which types there are, the configuration has checked.
      events: z.array(z.custom<EventType>(type => typeof type === 'string')).optional(),
      workspaces: names,
      processes: names,
      projects: names,
      fields: names,
      values: z
        .array(
          z.strictObject({ field: z.string(), from: values, to: values, added: values, removed: values }),
        )
        .optional(),
    })
    .optional(),
  perSecond: z.number().int().min(1).max(100).optional(),
  keepSuccesses: z.boolean().optional(),
}) satisfies z.ZodType<EndpointSettings>;

/** Where a workspace's records can be seen. */
export const linkTemplate: z.ZodType<LinkTemplate> = z.strictObject({
  workspace: z.string().min(1),
  project: z.string().optional(),
  task: z.string().optional(),
});

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue('expected JSON');
    return z.NEVER;
  }
});

const workspaces = json.pipe(z.array(workspaceSettings).min(1));

/** The environment of `poll.ts`. */
export const pollEnvironment = z.object({ TABLE_NAME: z.string().min(1) });

/** The workspaces from `workspaces.json`, beside the bundle of a function: an environment has no room for them.
 *  @throws an error that names each setting that is wrong, but no value */
export function readWorkspaces(text: string): readonly WorkspaceSettings[] {
  const parsed = workspaces.safeParse(text);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(issue => `${issue.path.join('.')}: ${told(issue)}`);
  throw new Error(
    `workspaces.json is not as the deployment writes it. ${problems.join('; ')}. Deploy again.`,
  );
}

/** The environment of `publish.ts`. */
export const publishEnvironment = z.object({
  TOPIC_ARN: z.string().min(1),
  /** Receives events that SNS will never take (the sender's fault), whole, so that nothing is lost. */
  REJECTED_QUEUE_URL: z.string().min(1),
});

const queues = { DELIVERIES_QUEUE_URL: z.url(), CHAT_QUEUE_URL: z.url() };

/** The environment of `route.ts`. */
export const routeEnvironment = z.object({ TABLE_NAME: z.string().min(1), ...queues });

/** The environment of `deliver.ts`. */
export const deliverEnvironment = routeEnvironment.extend({
  /** What the names of endpoints' secrets begin with, in the parameter store. */
  SECRETS_PATH: z.string().min(1),
});

const mappings = json.pipe(z.record(z.string(), z.string().min(1)));

/** The environment of `tick.ts`. */
export const tickEnvironment = routeEnvironment.extend({
  /** Given where there are native subscriptions to watch. */
  TOPIC_ARN: z.string().min(1).optional(),
  PASSES_QUEUE_URL: z.url(),
  /** The event source mappings, by what they read for whom: JSON, uuid by name. */
  MAPPINGS: mappings,
  /** Where messages are that nobody could work off. */
  REJECTED_QUEUE_URL: z.url(),
  UNPUBLISHED_QUEUE_URL: z.url(),
  UNSETTLED_QUEUE_URL: z.url(),
});

/** The environment of `operate.ts`: all that it looks into and starts. */
export const operateEnvironment = deliverEnvironment.extend({
  AWS_REGION: z.string().min(1),
  AWS_LAMBDA_FUNCTION_NAME: z.string().min(1),
  /** Of an emulator of AWS. */
  AWS_ENDPOINT_URL: z.url().optional(),
  STACK_NAME: z.string().min(1),
  PASSES_QUEUE_URL: z.url(),
  PUBLISH_FUNCTION: z.string().min(1),
  EVENTS_QUEUE_URL: z.url(),
  REJECTED_QUEUE_URL: z.url(),
  UNPUBLISHED_QUEUE_URL: z.url(),
  UNSTARTED_QUEUE_URL: z.url(),
  UNSETTLED_QUEUE_URL: z.url(),
  POLL_LOGS: z.string().min(1),
  PUBLISH_LOGS: z.string().min(1),
  ROUTE_LOGS: z.string().min(1),
  DELIVER_LOGS: z.string().min(1),
  TICK_LOGS: z.string().min(1),
  OPERATE_LOGS: z.string().min(1),
});

/** The environment by its schema.
 *  @throws an error that names each variable, and what is wrong with it, but no value. */
export function parseEnvironment<Schema extends z.ZodType>(
  entry: string,
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.infer<Schema> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(issue => `${issue.path.join('.')}: ${told(issue)}`);
  throw new Error(
    `The environment of ${entry} is not as the stack sets it. ${problems.join('; ')}. Deploy again.`,
  );
}

/** zod's own words quote keys that it does not know: a long one, or one with more than letters, may be a secret. */
function told(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  return `unknown keys: ${issue.keys.map(key => (/^[A-Za-z]{1,16}$/.test(key) ? key : 'another')).join(', ')}`;
}
