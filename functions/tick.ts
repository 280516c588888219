import { LambdaClient } from '@aws-sdk/client-lambda';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import type * as z from 'zod';
import { bounded, CALL_TIMEOUTS } from './aws/clients.ts';
import { lambdaCount, lambdaLog } from './aws/telemetry.ts';
import { lazy } from './basics/lazy.ts';
import { SYSTEM } from './basics/system.ts';
import { parseEnvironment, tickEnvironment } from './config/environments.ts';
import { readDeployed } from './config/read.ts';
import { wakeBy } from './delivery/queues.ts';
import { createRegistry } from './delivery/registry.ts';
import { createTick, type Tick } from './handlers/create-tick.ts';
import { workOffJobs } from './operations/jobs.ts';
import { sqsQueue } from './queue/sqs.ts';
import { scheduledIn } from './schedule/scheduled.ts';
import { countByArn, countMessages, watchMappings } from './schedule/watch-aws.ts';
import { openDynamoStore } from './store/dynamo/store.ts';
import { createSubscriptionWatch } from './topic/watch-subscriptions.ts';

/** Started by a schedule each minute. Sends a message for each pass that is due before the next minute to the
 *  queue of `poll.ts`; wakes a run of `deliver.ts` for each endpoint with rows that are due; logs and
 *  measures the state of the system; and continues replays and snapshots, as far as time allows. First of all,
 *  it migrates a table of an earlier version.
 *  State: one row with the time up to which passes are started. It is written before they are started, so
 *  that a duplicate tick starts no pass twice. All other work is found in rows: if a run dies or is
 *  missed, the next one does its work. */
const tick = lazy(() => configure(process.env));

export const handler = (_: unknown, context: { getRemainingTimeInMillis(): number }): Promise<void> =>
  tick(() => context.getRemainingTimeInMillis());

/** Leaves time for the last page. The function runs for a minute at most. */
const MIGRATION_TIMEOUT_MS = 40_000;

type Settings = z.infer<typeof tickEnvironment>;

async function configure(environment: NodeJS.ProcessEnv): Promise<Tick> {
  const settings = parseEnvironment('tick.ts', tickEnvironment, environment);
  const timeouts = bounded(CALL_TIMEOUTS.deliver);
  const log = lambdaLog();
  const sqs = new SQSClient(timeouts);
  const queues = wakeBy(sqsQueue(sqs, settings.DRAINS_QUEUE_URL));
  const { workspaces, endpoints, subscriptions } = readDeployed(import.meta.url);
  const processes = scheduledIn(workspaces);
  const migration = { until: Date.now() + MIGRATION_TIMEOUT_MS };
  const store = await openDynamoStore(settings.TABLE_NAME, {
    ...{ client: timeouts, processes, migration },
    ...SYSTEM,
  });
  const jobs = {
    configured: endpoints,
    ...{ queues, log },
    endpoints: store.endpoints,
    deliveries: store.deliveries,
    journal: store.journal,
    snapshots: store.snapshots,
    clock: Date.now,
  };
  return createTick({
    passes: {
      processes,
      claims: store.claims,
      progress: store.progress,
      rows: store.workspaces,
      remember: store.roster.remember,
      queue: sqsQueue(sqs, settings.PASSES_QUEUE_URL),
    },
    registry: createRegistry(endpoints, store.endpoints, Date.now, log),
    queues,
    clock: Date.now,
    log,
    count: lambdaCount(),
    jobs: (registered, hasTime) => workOffJobs(jobs, registered, hasTime),
    watch: watchOf(settings, { sqs, subscriptions }),
  });
}

function watchOf(
  settings: Settings,
  {
    sqs,
    subscriptions,
  }: { readonly sqs: SQSClient; readonly subscriptions: Parameters<typeof createSubscriptionWatch>[1] },
) {
  const timeouts = bounded(CALL_TIMEOUTS.deliver);
  const lambda = new LambdaClient(timeouts);
  const { MAPPINGS, TOPIC_ARN: topicArn } = settings;
  const failedMessages = {
    rejected: settings.REJECTED_QUEUE_URL,
    unpublished: settings.UNPUBLISHED_QUEUE_URL,
    unsettled: settings.UNSETTLED_QUEUE_URL,
  };
  return {
    mappings: () => watchMappings(lambda, MAPPINGS),
    failedMessages: async () => {
      const counts = Object.entries(failedMessages).map(async ([name, url]) => [
        name,
        await countMessages(sqs, url),
      ]);
      return Object.fromEntries(await Promise.all(counts));
    },
    ...(topicArn !== undefined && {
      subscriptions: createSubscriptionWatch(
        { client: new SNSClient(timeouts), topicArn, countIn: countByArn(sqs) },
        subscriptions,
      ),
    }),
  };
}
