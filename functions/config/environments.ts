import * as z from 'zod';

/** JSON in a text, such as a variable of an environment. */
const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue('expected JSON');
    return z.NEVER;
  }
});

/** The environment of `poll.ts`. */
export const pollEnvironment = z.object({
  TABLE_NAME: z.string().min(1),
  /** Receives malformed messages. */
  UNSETTLED_QUEUE_URL: z.url(),
});

/** The environment of `publish.ts`. */
export const publishEnvironment = z.object({
  TOPIC_ARN: z.string().min(1),
  /** Receives whole events that SNS will never accept, so that nothing is lost. */
  REJECTED_QUEUE_URL: z.string().min(1),
});

const queues = { DELIVERIES_QUEUE_URL: z.url(), CHAT_QUEUE_URL: z.url() };
const drains = { DRAINS_QUEUE_URL: z.url() };

/** The environment of `route.ts`. */
export const routeEnvironment = z.object({
  TABLE_NAME: z.string().min(1),
  ...queues,
  /** Receives malformed messages. */
  UNSETTLED_QUEUE_URL: z.url(),
});

/** The environment of `deliver.ts`. */
export const deliverEnvironment = z.object({
  TABLE_NAME: z.string().min(1),
  ...queues,
  ...drains,
  /** The path of endpoints' secrets in the parameter store. */
  SECRETS_PATH: z.string().min(1),
});

const mappings = json.pipe(z.record(z.string(), z.string().min(1)));

/** The environment of `tick.ts`. */
export const tickEnvironment = z.object({
  TABLE_NAME: z.string().min(1),
  ...drains,
  /** Set where there are native subscriptions to watch. */
  TOPIC_ARN: z.string().min(1).optional(),
  PASSES_QUEUE_URL: z.url(),
  /** The event source mappings, by which Lambda reads queues and the stream: a JSON object of their UUIDs by
   *  name. */
  MAPPINGS: mappings,
  /** The queues of messages that were given up. */
  REJECTED_QUEUE_URL: z.url(),
  UNPUBLISHED_QUEUE_URL: z.url(),
  UNSETTLED_QUEUE_URL: z.url(),
});

/** The environment of `operate.ts`, which looks into all of this. */
export const operateEnvironment = deliverEnvironment.extend({
  AWS_REGION: z.string().min(1),
  AWS_LAMBDA_FUNCTION_NAME: z.string().min(1),
  /** Set for an emulator of AWS. */
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
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(
    `The environment of ${entry} is not as the stack sets it. ${problems.join('; ')}. Deploy again.`,
  );
}
