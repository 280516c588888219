import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { batching, DELIVER_TIMEOUT } from './batching.ts';
import { endpointSecretName } from './config/endpoint.ts';
import { endpointSettings } from './config/endpoint-environment.ts';
import { linkTemplatesOf } from './config/link-template.ts';
import type { Config } from './config/schema.ts';
import type { Endpoint } from './endpoint.ts';
import { type Binding, Handler } from './handler.ts';
import { mayRead } from './secrets.ts';
import type { SnapshotTable } from './table.ts';

export interface DeliverProps {
  readonly config: Config;
  readonly entry: string;
  readonly table: SnapshotTable;
  /** At least one. */
  readonly endpoints: readonly Endpoint[];
}

/** The function that takes events from the endpoints' queues to webhooks, Slack and Teams. */
export class Deliver extends Handler {
  constructor(scope: Construct, id: string, { config, entry, table, endpoints }: DeliverProps) {
    const templates = linkTemplatesOf(config);
    super(scope, id, {
      entry,
      description: 'Changewire: delivers the events of each endpoint to a webhook, Slack or Teams',
      // A batch holds 6 MB at most; the memory buys processor time for signing and TLS.
      memoryMiB: 512,
      timeout: DELIVER_TIMEOUT,
      logRetention: config.logRetentionDays,
      bindings: {
        TABLE_NAME: table.forEndpointStates(),
        ENDPOINTS: forDelivering(scope, endpoints),
        ...(templates.length > 0 && { LINK_TEMPLATES: { value: JSON.stringify(templates) } }),
      },
    });
    for (const endpoint of endpoints) this.#serve(endpoint);
  }

  #serve({ config: { name, kind }, queue }: Endpoint): void {
    const { size, window, concurrency } = batching(kind);
    const mapping = new EventSourceMapping(this, `Queue.${name}`, {
      target: this.fn,
      eventSourceArn: queue.queueArn,
      batchSize: size,
      maxBatchingWindow: window,
      maxConcurrency: concurrency,
      reportBatchItemFailures: true,
    });
    mapping.node.addDependency(this.role);
  }
}

/** `ENDPOINTS`, and leave to take from those queues, to fill those dead-letter queues and to read those secrets. */
function forDelivering(scope: Construct, endpoints: readonly Endpoint[]): Binding {
  const settings = endpoints.map(({ config, queue, deadLetters }) =>
    endpointSettings(config, {
      queueArn: queue.queueArn,
      queueUrl: queue.queueUrl,
      deadLetterUrl: deadLetters.queueUrl,
    }),
  );
  const statements = [
    new PolicyStatement({
      actions: ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'].map(
        action => `sqs:${action}`,
      ),
      resources: endpoints.map(({ queue }) => queue.queueArn),
    }),
    new PolicyStatement({
      actions: ['sqs:SendMessage'],
      resources: endpoints.map(({ deadLetters }) => deadLetters.queueArn),
    }),
    mayRead(
      scope,
      endpoints.map(({ config }) => endpointSecretName(config)),
    ),
  ];
  return {
    value: Stack.of(scope).toJsonString(settings),
    grant: ({ grantPrincipal }) => statements.map(each => grantPrincipal.addToPrincipalPolicy(each)),
  };
}
