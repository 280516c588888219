import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { bounded, CALL_TIMEOUTS } from './aws/clients.ts';
import { readCredentials } from './aws/credentials.ts';
import { lambdaLog } from './aws/telemetry.ts';
import { lazy } from './basics/lazy.ts';
import { SYSTEM } from './basics/system.ts';
import { parseEnvironment, pollEnvironment } from './config/environments.ts';
import { readDeployed } from './config/read.ts';
import { createPoll, createPollHandler } from './handlers/create-poll.ts';
import { failedMessagesIn } from './queue/failed-messages.ts';
import { servedByLambda, sqsQueue, sqsQueueBeside } from './queue/sqs.ts';
import { connect } from './service/client.ts';
import { openDynamoStore } from './store/dynamo/store.ts';

/** Serves the queue of passes, one message at a time: `{workspace, processes, mode, expiresAt}`, from
 *  `tick.ts` or an operator.
 *  All state is in the table (design.md §6). A process's first pass is its baseline: it commits snapshots
 *  and emits nothing. Effects come in this order: the lease; for each changed project its snapshot and
 *  change record, in one transaction; watermark, audit position and lease together. The table's stream
 *  carries change records to `publish.ts`. A failed pass is logged and not repeated: the next message is
 *  the retry. If a run dies, its lease ends within a minute; its message is received again, and dropped if
 *  it has expired, because a later one replaces it. */
export const handler = lazy(() => configure(process.env));

async function configure(environment: NodeJS.ProcessEnv) {
  const { TABLE_NAME, UNSETTLED_QUEUE_URL } = parseEnvironment('poll.ts', pollEnvironment, environment);
  const timeouts = bounded(CALL_TIMEOUTS.poll);
  const secrets = new SecretsManagerClient(timeouts);
  const log = lambdaLog();
  const { workspaces, endpoints, keep } = readDeployed(import.meta.url);
  const store = await openDynamoStore(TABLE_NAME, { client: timeouts, keep, ...SYSTEM });
  const poll = createPoll({
    workspaces,
    filters: endpoints,
    snapshots: store.snapshots,
    rows: store.workspaces,
    connect: workspace =>
      connect({
        ...workspace,
        credentials: () => readCredentials(secrets, workspace.credentials),
        ...SYSTEM,
        onNotice: ({ message, ...details }) => log.warn(message, details),
      }),
    clock: SYSTEM.clock,
    random: SYSTEM.random,
    log,
  });
  const sqs = new SQSClient(timeouts);
  const serve = createPollHandler(poll, failedMessagesIn(sqsQueue(sqs, UNSETTLED_QUEUE_URL)), log);
  return servedByLambda(serve, sqsQueueBeside(sqs, UNSETTLED_QUEUE_URL));
}
