import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { bounded, PATIENCE } from './aws-clients.ts';
import { createDeliver, type Deliver } from './create-deliver.ts';
import { sqsQueues } from './delivery/queues.ts';
import { deliverEnvironment, parseEnvironment } from './settings.ts';
import { createEndpointStates } from './snapshots/endpoint-states.ts';
import { lambdaCount, lambdaLog } from './telemetry.ts';

/**
 * Triggered by the endpoints' queues, one event source mapping each, so that one invocation serves one endpoint: a slow one
 * keeps no other waiting. The messages are events, as the topic delivers them raw.
 *
 * State: each message's age is kept by its queue; that an endpoint is stopped, and a chat's next moment to send, by the
 * table. Effects come in this order: the POST; then the message is shown again later, or put into the dead-letter queue;
 * then it leaves its queue. A run that dies in between sends its messages again, with the same ids.
 */
export const handler: Deliver = (event, context) => {
  deliver ??= configure(process.env);
  return deliver(event, context);
};

let deliver: Deliver | undefined;

function configure(environment: NodeJS.ProcessEnv): Deliver {
  const { TABLE_NAME, ENDPOINTS, LINK_TEMPLATES } = parseEnvironment(
    'deliver.ts',
    deliverEnvironment,
    environment,
  );
  const patience = bounded(PATIENCE.deliver);
  const secrets = new SecretsManagerClient(patience);
  const between = {
    clock: Date.now,
    random: Math.random,
    sleep: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { signal }),
  };
  return createDeliver({
    endpoints: ENDPOINTS,
    readSecret: async SecretId => {
      const { SecretString = '' } = await secrets.send(new GetSecretValueCommand({ SecretId }));
      return SecretString;
    },
    states: createEndpointStates({
      client: new DynamoDBClient(patience),
      tableName: TABLE_NAME,
      patience: between,
    }),
    queues: sqsQueues(new SQSClient(patience)),
    linkTemplates: LINK_TEMPLATES,
    ...between,
    allowLoopback: false,
    log: lambdaLog(),
    count: lambdaCount(),
  });
}
