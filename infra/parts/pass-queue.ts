import { Duration, Validations } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { keptQueue } from './dead-letter-queue.ts';
import type { Binding } from './handler.ts';
import { sendingTo } from './sending.ts';
import { PASSES } from './serving.ts';
import type { StorageOptions } from './storage-options.ts';

/** The queue of due passes. The message group is the workspace, so that SQS serves small workspaces before one with
 *  thousands of processes (fair queues). */
export class PassQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, storage: StorageOptions) {
    super(scope, id);
    this.queue = keptQueue(this, 'Passes', storage, {
      // The run that received the message has ended by then, even if Lambda was throttled first. A message of a killed
      // run is past its `expiresAt`, or runs again, which the lease makes harmless.
      visibilityTimeout: Duration.seconds(2 * PASSES.timeout.toSeconds()),
      // Older messages are useless: the tick starts a missed sweep again after an hour.
      retentionPeriod: Duration.hours(1),
    });
    Validations.of(this.queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'A missed pass is not kept, because the next pass finds the same changes. The function moves malformed messages to the failed messages.',
    });
  }

  /** `PASSES_QUEUE_URL`, for functions that start passes. */
  forSending(): Record<string, Binding> {
    return { PASSES_QUEUE_URL: sendingTo(this.queue) };
  }
}
