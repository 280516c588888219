import { Duration, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** A queue for what could not be delivered. SNS, Lambda and Scheduler can write to it without a grant on a KMS key,
 *  because SQS keeps the key itself; 14 days is the longest that SQS holds a message. */
export function deadLetterQueue(scope: Construct, id: string): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason:
      'This queue is itself the dead-letter queue of a source that is not SQS (SNS, Lambda, Scheduler).',
  });
  return queue;
}
