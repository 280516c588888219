import * as z from 'zod';

/** JSON in a text, such as an environment variable. */
const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue('expected JSON');
    return z.NEVER;
  }
});

const text = z.string().min(1);
const url = z.url();

const deliveries = { DELIVERIES_QUEUE_URL: url, CHAT_QUEUE_URL: url };
/** The queues of messages that could not be processed. */
const givenUp = { REJECTED_QUEUE_URL: url, UNPUBLISHED_QUEUE_URL: url, UNSETTLED_QUEUE_URL: url };

/** The environment of `poll.ts`. The queue receives malformed messages. */
export const pollEnvironment = z.object({ TABLE_NAME: text, UNSETTLED_QUEUE_URL: url });

/** The environment of `publish.ts`. The queue receives events that SNS will never accept. */
export const publishEnvironment = z.object({ TOPIC_ARN: text, REJECTED_QUEUE_URL: text });

/** The environment of `route.ts`. */
export const routeEnvironment = pollEnvironment.extend(deliveries);

/** The environment of `deliver.ts`. */
export const deliverEnvironment = z.object({
  TABLE_NAME: text,
  ...deliveries,
  DRAINS_QUEUE_URL: url,
  AWS_REGION: text,
  /** The path of endpoints' secrets in the parameter store. */
  SECRETS_PATH: text,
});

/** The environment of `tick.ts`. */
export const tickEnvironment = z.object({
  TABLE_NAME: text,
  DRAINS_QUEUE_URL: url,
  /** Set if there are native subscriptions to watch. */
  TOPIC_ARN: text.optional(),
  PASSES_QUEUE_URL: url,
  /** The event source mappings, through which Lambda reads queues and the stream: a JSON object of their
   *  UUIDs by name. */
  MAPPINGS: json.pipe(z.record(z.string(), text)),
  ...givenUp,
});

/** The environment of `operate.ts`. */
export const operateEnvironment = deliverEnvironment.extend({
  AWS_LAMBDA_FUNCTION_NAME: text,
  /** Set for an emulator of AWS. */
  AWS_ENDPOINT_URL: url.optional(),
  STACK_NAME: text,
  PASSES_QUEUE_URL: url,
  PUBLISH_FUNCTION: text,
  EVENTS_QUEUE_URL: url,
  ...givenUp,
  UNSTARTED_QUEUE_URL: url,
  POLL_LOGS: text,
  PUBLISH_LOGS: text,
  ROUTE_LOGS: text,
  DELIVER_LOGS: text,
  TICK_LOGS: text,
  OPERATE_LOGS: text,
});

/** Parses the environment.
 *  @throws an error that names each invalid variable and its problem, but no value */
export function parseEnvironment<Schema extends z.ZodType>(
  entry: string,
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.infer<Schema> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`Invalid environment of ${entry}: ${problems.join('; ')}. Redeploy.`);
}
