import { SQSClient } from '@aws-sdk/client-sqs';
import { bounded, CALL_TIMEOUTS } from './aws/clients.ts';
import { lambdaCount, lambdaLog } from './aws/telemetry.ts';
import { lazy } from './basics/lazy.ts';
import { SYSTEM } from './basics/system.ts';
import { parseEnvironment, routeEnvironment } from './config/environments.ts';
import { readDeployed } from './config/read.ts';
import { sendBy } from './delivery/queues.ts';
import { createRegistry } from './delivery/registry.ts';
import { createRoute } from './handlers/create-route.ts';
import { failedMessagesIn } from './queue/failed-messages.ts';
import { servedByLambda, sqsQueue, sqsQueueBeside } from './queue/sqs.ts';
import { openDynamoStore } from './store/dynamo/store.ts';

/** Triggered by the queue that subscribes to the topic, with one message for each event. Sends each event to
 *  the queue of deliveries or chats, once for each endpoint that wants it.
 *  State: none. Every 10 s it reads one row, and the endpoints only if that row changed. If a run dies,
 *  its events are routed again, with the same ids. */
export const handler = lazy(() => configure(process.env));

async function configure(environment: NodeJS.ProcessEnv) {
  const { TABLE_NAME, DELIVERIES_QUEUE_URL, CHAT_QUEUE_URL, UNSETTLED_QUEUE_URL } = parseEnvironment(
    'route.ts',
    routeEnvironment,
    environment,
  );
  const timeouts = bounded(CALL_TIMEOUTS.deliver);
  const log = lambdaLog();
  const store = await openDynamoStore(TABLE_NAME, { client: timeouts, ...SYSTEM });
  const { endpoints } = readDeployed(import.meta.url);
  const sqs = new SQSClient(timeouts);
  const route = createRoute({
    registry: createRegistry(endpoints, store.endpoints, Date.now, log),
    send: sendBy({ deliveries: sqsQueue(sqs, DELIVERIES_QUEUE_URL), chat: sqsQueue(sqs, CHAT_QUEUE_URL) }),
    moveToFailed: failedMessagesIn(sqsQueue(sqs, UNSETTLED_QUEUE_URL)),
    log,
  });
  return servedByLambda(route, sqsQueueBeside(sqs, DELIVERIES_QUEUE_URL), lambdaCount());
}
