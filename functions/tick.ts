import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { bounded, PATIENCE } from './aws-clients.ts';
import { readConfigured } from './configured.ts';
import { createTick, type Tick } from './create-tick.ts';
import { sqsQueues } from './delivery/queues.ts';
import { createRegistry } from './delivery/registry.ts';
import { parseEnvironment, tickEnvironment } from './settings.ts';
import { createEndpointRows } from './snapshots/dynamo-endpoint-rows.ts';
import { lambdaCount, lambdaLog } from './telemetry.ts';

/**
 * Started by a schedule each minute. Wakes a run of `deliver.ts` for each endpoint with rows that are due.
 *
 * State: none; what is to be done stands in rows. A run that dies, or does not come, is made up for by the next.
 */
export const handler: Tick = () => {
  tick ??= configure(process.env);
  return tick();
};

let tick: Tick | undefined;

function configure(environment: NodeJS.ProcessEnv): Tick {
  const { TABLE_NAME, DELIVERIES_QUEUE_URL, CHAT_QUEUE_URL } = parseEnvironment(
    'tick.ts',
    tickEnvironment,
    environment,
  );
  const patience = bounded(PATIENCE.deliver);
  const rows = createEndpointRows({
    client: new DynamoDBClient(patience),
    tableName: TABLE_NAME,
    patience: { clock: Date.now, random: Math.random, sleep: ms => sleep(ms) },
  });
  const { endpoints } = readConfigured(new URL('./configured.json', import.meta.url));
  return createTick({
    registry: createRegistry(endpoints, rows, Date.now),
    queues: sqsQueues(new SQSClient(patience), { deliveries: DELIVERIES_QUEUE_URL, chat: CHAT_QUEUE_URL }),
    clock: Date.now,
    log: lambdaLog(),
    count: lambdaCount(),
  });
}
