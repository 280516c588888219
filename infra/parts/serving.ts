import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Handler } from './handler.ts';
import { mayUse } from './key-use.ts';

/** How a queue's messages reach their function. */
export interface Serving {
  /** The time that one run of the function may take. */
  readonly timeout: Duration;
  /** Messages of one run, at most. */
  readonly batch: number;
  /** How long Lambda waits for a batch to fill. */
  readonly window: Duration;
  /** Runs at once, at most. An account has 1,000 for all its functions; more are throttled. These bounds
   *  together are 530, publish takes one for each shard of the table's stream, and tick one: so there is
   *  always room, also for other functions of the account. The bound is set on the queue, not reserved
   *  for the function: reserved concurrency is taken from all others even while it is not used, and a new
   *  account has only 10, of which none can be reserved. */
  readonly concurrency: number;
}

/** One message per run, which names up to 25 processes. A run has the longest time that Lambda gives, because
 *  a baseline may take all of it, and the next run resumes it. No workspace has more than 32 runs under way
 *  (its `concurrency`): a share of its requests for each. */
export const PASSES: Serving = {
  timeout: Duration.minutes(15),
  batch: 1,
  window: Duration.seconds(0),
  concurrency: 400,
};

/** A run reads the registry and sends some messages, which takes milliseconds. 20 runs at once route some
 *  thousand events a second. More than 10 events a run would need a window, by which each event would be
 *  delayed. */
export const EVENTS: Serving = {
  timeout: Duration.minutes(1),
  batch: 10,
  window: Duration.seconds(0),
  concurrency: 20,
};

/** The time for one run of the deliver function. A chat takes a message a second, and a batch may be
 *  about up to 100 projects; what a run can't do in this time it gives back. */
export const DELIVER_TIMEOUT = Duration.minutes(3);

/** 500 requests at once: enough for 50 endpoints at their default rate. An endpoint that hangs occupies
 *  only the requests of its first second: then it is held, and its deliveries become rows. */
export const WEBHOOKS: Serving = {
  timeout: DELIVER_TIMEOUT,
  batch: 10,
  window: Duration.seconds(0),
  concurrency: 50,
};

/** A chat takes one message a second. Its deliveries should come in one batch, where the changes of a
 *  project become one message, and not in several runs that wait for each other. A batch holds deliveries
 *  of many channels, which are sent to at the same time, so 10 runs serve some hundred channels. */
export const CHAT: Serving = {
  timeout: DELIVER_TIMEOUT,
  batch: 100,
  window: Duration.seconds(5),
  concurrency: 10,
};

/** A run sends the backlogs of up to 10 endpoints at the same time, for one turn of 20 s. These runs are apart
 *  from those of new deliveries, so that however many backlogs are sent, no new delivery waits for them. With 20 runs
 *  all functions together use half of the 1,000 runs at once that an account has. */
export const DRAINS: Serving = {
  timeout: DELIVER_TIMEOUT,
  batch: 10,
  window: Duration.seconds(0),
  concurrency: 20,
};

/** Has the function serve the queue, and gives it permission to. A run reports which messages of its
 *  batch failed. */
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
  // Lambda checks at creation that the role may read the queue.
  mapping.node.addDependency(handler.role);
  return mapping;
}
