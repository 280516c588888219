import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { bounded, CALL_TIMEOUTS } from './aws/clients.ts';
import { parameterSecrets } from './aws/parameter-secrets.ts';
import { sendBySes } from './aws/ses.ts';
import { lambdaCount, lambdaLog } from './aws/telemetry.ts';
import { lazy } from './basics/lazy.ts';
import { SYSTEM } from './basics/system.ts';
import { deliverEnvironment, parseEnvironment } from './config/environments.ts';
import { readDeployed } from './config/read.ts';
import { linkTemplatesOf } from './config/workspace.ts';
import { wakeBy } from './delivery/queues.ts';
import { createRegistry } from './delivery/registry.ts';
import { createDeliver } from './handlers/create-deliver.ts';
import { servedByLambda, sqsQueue, sqsQueueBeside } from './queue/sqs.ts';
import { openDynamoStore } from './store/dynamo/store.ts';

/** Triggered by the queues of deliveries, chats and drains. Each serves all endpoints in fair turns, because
 *  the message group is the endpoint. A message brings an event for one endpoint; a drain message only wakes
 *  a run that sends a slice of the endpoint's backlog.
 *  State: a failed delivery waits in a row; the endpoint's row holds its health, and whether it is paused.
 *  Effects come in this order: the POST; if it failed, a row is written; the message leaves its queue. If
 *  a run dies in between, its messages are sent again, with the same ids. */
export const handler = lazy(() => configure(process.env));

async function configure(environment: NodeJS.ProcessEnv) {
  const { TABLE_NAME, SECRETS_PATH, DRAINS_QUEUE_URL, AWS_REGION } = parseEnvironment(
    'deliver.ts',
    deliverEnvironment,
    environment,
  );
  const timeouts = bounded(CALL_TIMEOUTS.deliver);
  const config = readDeployed(import.meta.url);
  const { keep } = config;
  const store = await openDynamoStore(TABLE_NAME, { client: timeouts, keep, ...SYSTEM });
  const [log, count] = [lambdaLog(), lambdaCount()];
  const sqs = new SQSClient(timeouts);
  const deliver = createDeliver({
    registry: createRegistry(config.endpoints, store.endpoints, Date.now, log),
    rows: store.endpoints,
    deliveries: store.deliveries,
    slots: store.slots,
    secrets: parameterSecrets(new SSMClient(timeouts), SECRETS_PATH, AWS_REGION),
    queues: wakeBy(sqsQueue(sqs, DRAINS_QUEUE_URL)),
    linkTemplates: linkTemplatesOf(config),
    ...SYSTEM,
    allowLoopback: false,
    networks: config.networks,
    proxy: config.proxy,
    log,
    count,
    sendBySes,
  });
  return servedByLambda(deliver, sqsQueueBeside(sqs, DRAINS_QUEUE_URL), count);
}
