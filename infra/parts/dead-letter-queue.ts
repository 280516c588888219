import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** A queue that keeps what it gets. SNS, Lambda and Scheduler can write to it without a grant on a KMS key, because SQS
 *  keeps the key itself; 14 days is the longest that SQS holds a message. */
export function keptQueue(scope: Construct, id: string, props: QueueProps = {}): Queue {
  return new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    ...props,
  });
}

/** A queue for what a source that is not SQS could not deliver. */
export function deadLetterQueue(scope: Construct, id: string, props: QueueProps = {}): Queue {
  const queue = keptQueue(scope, id, props);
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason:
      'This queue is itself the dead-letter queue of a source that is not SQS (SNS, Lambda, Scheduler).',
  });
  return queue;
}

/** The same for what somebody has yet to look at, and nobody else tells of: it stays when its stack goes. But not that of a first
 *  deployment that failed: nothing can be in it. */
export function keptDeadLetterQueue(scope: Construct, id: string): Queue {
  return deadLetterQueue(scope, id, { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE });
}
