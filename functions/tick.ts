import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { bounded, PATIENCE } from './aws-clients.ts';
import { readConfigured } from './configured.ts';
import { createTick, type Tick } from './create-tick.ts';
import { sqsQueues } from './delivery/queues.ts';
import { createRegistry } from './delivery/registry.ts';
import { workOffReplays } from './operations/work-off-replays.ts';
import { readied } from './readied.ts';
import { parseEnvironment, tickEnvironment } from './settings.ts';
import { createDeliveries } from './snapshots/dynamo-deliveries.ts';
import { createEndpointRows } from './snapshots/dynamo-endpoint-rows.ts';
import { createJournalReader } from './snapshots/dynamo-journal.ts';
import { openTable } from './snapshots/open-table.ts';
import { SYSTEM } from './system.ts';
import { lambdaCount, lambdaLog } from './telemetry.ts';
import { watchSubscriptions } from './topic/watch-subscriptions.ts';

/**
 * Started by a schedule each minute. Wakes a run of `deliver.ts` for each endpoint with rows that are due, and works off replays: each minute as
 * much as fits into its time.
 *
 * State: none; what is to be done stands in rows. A run that dies, or does not come, is made up for by the next.
 */
const tick = readied(() => configure(process.env));

export const handler = (_: unknown, context: { getRemainingTimeInMillis(): number }): Promise<void> =>
  tick(() => context.getRemainingTimeInMillis());

async function configure(environment: NodeJS.ProcessEnv): Promise<Tick> {
  const { TABLE_NAME, DELIVERIES_QUEUE_URL, CHAT_QUEUE_URL, TOPIC_ARN } = parseEnvironment(
    'tick.ts',
    tickEnvironment,
    environment,
  );
  const patience = bounded(PATIENCE.deliver);
  const log = lambdaLog();
  const table = await openTable(TABLE_NAME, patience, SYSTEM);
  const rows = createEndpointRows(table);
  const queues = sqsQueues(new SQSClient(patience), {
    deliveries: DELIVERIES_QUEUE_URL,
    chat: CHAT_QUEUE_URL,
  });
  const { endpoints, processes, subscriptions } = readConfigured(
    new URL('./configured.json', import.meta.url),
  );
  const sns = new SNSClient(patience);
  const house = {
    configured: endpoints,
    ...{ rows, queues, log },
    deliveries: createDeliveries(table),
    journal: createJournalReader(table, processes),
    clock: Date.now,
  };
  return createTick({
    registry: createRegistry(endpoints, rows, Date.now, log),
    queues,
    clock: Date.now,
    log,
    count: lambdaCount(),
    replays: (registered, hasTime) => workOffReplays(registered, house, hasTime),
    ...(TOPIC_ARN !== undefined && {
      unconfirmed: () => watchSubscriptions(sns, TOPIC_ARN, subscriptions),
    }),
  });
}
