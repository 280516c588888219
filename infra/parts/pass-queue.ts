import { Duration, Validations } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { keptQueue } from './dead-letter-queue.ts';
import type { Binding } from './handler.ts';
import type { Keeping } from './keeping.ts';
import { sendingTo } from './sending.ts';
import { PASSES } from './serving.ts';

/** The passes that are due, one message each, with the workspace as message group: SQS then serves small
 *  workspaces before one with thousands of processes (fair queues). */
export class PassQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, keeping: Keeping) {
    super(scope, id);
    this.queue = keptQueue(this, 'Passes', keeping, {
      // By then the run that got the message has ended for certain, even if Lambda first had to put it
      // off. A message of a killed run has passed its `expiresAt` by then, or is run again, which the
      // lease makes harmless.
      visibilityTimeout: Duration.seconds(2 * PASSES.timeout.toSeconds()),
      // No message is of use for longer: a sweep that was missed is started again after an hour.
      retentionPeriod: Duration.hours(1),
    });
    Validations.of(this.queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'A pass that was not made needs no keeping: the next tick sends the next one, which finds all that this one would have found. Its function sets malformed messages aside.',
    });
  }

  /** `PASSES_QUEUE_URL`, for functions that start passes. */
  forSending(): Record<string, Binding> {
    return { PASSES_QUEUE_URL: sendingTo(this.queue) };
  }
}
