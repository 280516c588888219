import { Duration, Validations } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { keptQueue } from './dead-letter-queue.ts';
import type { Binding } from './handler.ts';
import { PASSES } from './serving.ts';

/** The passes that are due, one message each, grouped by workspace: SQS serves the quiet workspaces before one with thousands of
 *  processes (fair queues). */
export class PassQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.queue = keptQueue(this, 'Passes', {
      // Until then the run that got a message is over for certain, and another one for Lambda to put off. What a killed run left
      // is past its `expiresAt` then, or run again, which the lease makes harmless.
      visibilityTimeout: Duration.seconds(2 * PASSES.timeout.toSeconds()),
      // No message is of use for longer: a sweep, too, is made up for after an hour.
      retentionPeriod: Duration.hours(1),
    });
    Validations.of(this.queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'A pass that was not made needs no keeping: the next tick sends the next one, which finds all that this one would have found.',
    });
  }

  /** `PASSES_QUEUE_URL`, for who asks for passes. */
  forSending(): Record<string, Binding> {
    return {
      PASSES_QUEUE_URL: {
        value: this.queue.queueUrl,
        grant: grantee =>
          Grant.addToPrincipal({
            grantee,
            actions: ['sqs:SendMessage'],
            resourceArns: [this.queue.queueArn],
          }),
      },
    };
  }
}
