import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Handler } from './handler.ts';

/** How a queue's messages reach their function. */
export interface Serving {
  /** Of one run of the function. */
  readonly timeout: Duration;
  /** Messages of one run, at most. */
  readonly batch: number;
  /** How long Lambda waits for a batch to fill. */
  readonly window: Duration;
  /** Runs at once, at most. An account has 1,000 for all functions, and a function that it has none for is throttled. These bounds together
   *  are 480, and publish takes one for each shard of the table's stream, tick one: so whatever comes, each finds room, and so
   *  does what else the account runs. They bound what the queue hands out, not the functions: concurrency that is reserved is taken from
   *  all others, also while nobody needs it, and an account that is new has 10 of which none may be reserved. */
  readonly concurrency: number;
}

/** A pass at a time: each ends when its process is walked, and none waits for another in its batch. A run has Lambda's longest
 *  time, for a baseline takes as long as it can, and the next goes on where it stopped. 400 at once are the passes of 4,000 processes
 *  each minute, with six seconds for each; an idle pass takes about one. */
export const PASSES: Serving = {
  timeout: Duration.minutes(15),
  batch: 1,
  window: Duration.seconds(0),
  concurrency: 400,
};

/** A run reads the registry and sends some messages: milliseconds. 20 at once route some thousand events a second. More than 10
 *  events a run would need a window, which each event would wait for. */
export const EVENTS: Serving = {
  timeout: Duration.minutes(1),
  batch: 10,
  window: Duration.seconds(0),
  concurrency: 20,
};

/** Of one run of the deliver function. A chat takes a message a second, and a batch may name up to 100 projects; what a run
 *  can't do in its time it hands back. */
export const DELIVER_TIMEOUT = Duration.minutes(3);

/** 500 requests at once: as many as keep 50 endpoints busy at the rate that they have by default. An endpoint that hangs takes
 *  places for the requests of its first second only: then it is held, and what comes for it goes into rows. */
export const WEBHOOKS: Serving = {
  timeout: DELIVER_TIMEOUT,
  batch: 10,
  window: Duration.seconds(0),
  concurrency: 50,
};

/** A chat takes one message per second. What more of it there is to do should come in one batch, where the changes of a
 *  project become one message, and not in runs that wait for each other. A batch holds many channels, which are sent to at the
 *  same time, so 10 runs serve some hundred of them. */
export const CHAT: Serving = {
  timeout: DELIVER_TIMEOUT,
  batch: 100,
  window: Duration.seconds(5),
  concurrency: 10,
};

/** Has the function serve the queue, with leave to do so. A run tells which messages of its batch failed. */
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
  const mapping = new EventSourceMapping(handler, `Serve.${queue.node.id}`, {
    target: handler.fn,
    eventSourceArn: queue.queueArn,
    batchSize: batch,
    maxBatchingWindow: window,
    maxConcurrency: concurrency,
    // A batch of one has no parts.
    ...(batch > 1 && { reportBatchItemFailures: true }),
  });
  // Lambda checks at creation that the role may read the queue.
  mapping.node.addDependency(handler.role);
  return mapping;
}
