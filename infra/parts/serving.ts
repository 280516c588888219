import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Handler } from './handler.ts';
import { mayUse } from './key-use.ts';

/** How a function receives the messages of a queue. */
export interface Serving {
  /** The time limit of a run. */
  readonly timeout: Duration;
  /** The maximum number of messages per run. */
  readonly batch: number;
  /** How long Lambda waits for a batch to fill. */
  readonly window: Duration;
  /** The maximum number of concurrent runs. An account usually has 1,000; these limits, with one run per shard of the
   *  stream for publish and one for tick, leave room for other functions. It is a limit of the queue, not reserved
   *  concurrency, which other functions could not use, and which a new account with only 10 does not have. */
  readonly concurrency: number;
}

/** A message names up to 25 processes. The timeout is Lambda's maximum, because a baseline may take all of it; the next
 *  run resumes it. A workspace has at most 32 concurrent runs (its `concurrency`). */
export const PASSES: Serving = {
  timeout: Duration.minutes(15),
  batch: 1,
  window: Duration.seconds(0),
  concurrency: 400,
};

/** A run takes milliseconds, so that 20 concurrent runs route some thousand events per second. More than 10 events per
 *  run would need a window, which delays each event. */
export const EVENTS: Serving = {
  timeout: Duration.minutes(1),
  batch: 10,
  window: Duration.seconds(0),
  concurrency: 20,
};

/** The timeout of the deliver function. A batch may need 100 messages to a chat, at one per second. */
export const DELIVER_TIMEOUT = Duration.minutes(3);

/** 500 concurrent requests: enough for 50 endpoints at their default rate. An endpoint that hangs occupies only the
 *  requests of its first second; then its deliveries join its backlog. */
export const WEBHOOKS: Serving = {
  timeout: DELIVER_TIMEOUT,
  batch: 10,
  window: Duration.seconds(0),
  concurrency: 50,
};

/** Changes of a project in one batch become one message, so that large batches suit a chat, which accepts one message
 *  per second. A batch sends to many channels concurrently: 10 runs serve some hundred channels. */
export const CHAT: Serving = {
  timeout: DELIVER_TIMEOUT,
  batch: 100,
  window: Duration.seconds(5),
  concurrency: 10,
};

/** A run drains the backlogs of up to 10 endpoints concurrently, for 20 s. The queue is separate from new deliveries,
 *  so that no new delivery waits for backlogs. */
export const DRAINS: Serving = {
  timeout: DELIVER_TIMEOUT,
  batch: 10,
  window: Duration.seconds(0),
  concurrency: 20,
};

/** Lets the function serve the queue, with the permissions for it. A run reports which messages of its batch failed. */
export function serve(
  handler: Handler,
  queue: Queue,
  { batch, window, concurrency }: Serving,
): EventSourceMapping {
  handler.role.addToPolicy(
    new PolicyStatement({
      actions: ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'].map(
        action => `sqs:${action}`,
      ),
      resources: [queue.queueArn],
    }),
  );
  mayUse(queue.encryptionMasterKey, 'read', handler.role);
  const mapping = new EventSourceMapping(handler, `Serve.${queue.node.id}`, {
    target: handler.fn,
    eventSourceArn: queue.queueArn,
    batchSize: batch,
    maxBatchingWindow: window,
    maxConcurrency: concurrency,
    reportBatchItemFailures: true,
  });
  // Lambda checks the permission to read the queue at creation.
  mapping.node.addDependency(handler.role);
  return mapping;
}
