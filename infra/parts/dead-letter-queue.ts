import { Duration, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type Keeping, removalOfQueue } from './keeping.ts';

/** A queue that keeps its messages for 14 days, the longest that SQS holds them. It is encrypted with
 *  SQS's own key, so that SNS, Lambda and Scheduler can write to it without permission for a KMS key; or
 *  with the customer's (key-use.ts). */
export function keptQueue(
  scope: Construct,
  id: string,
  { encryptionKey }: Keeping,
  props: QueueProps = {},
): Queue {
  return new Queue(scope, id, {
    ...(encryptionKey
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }
      : { encryption: QueueEncryption.SQS_MANAGED }),
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    ...props,
  });
}

/** A queue for what a source that is not SQS could not deliver. */
export function deadLetterQueue(
  scope: Construct,
  id: string,
  keeping: Keeping,
  props: QueueProps = {},
): Queue {
  const queue = keptQueue(scope, id, keeping, props);
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason:
      'This queue is itself the dead-letter queue of a source that is not SQS (SNS, Lambda, Scheduler).',
  });
  return queue;
}

/** A dead-letter queue whose messages are nowhere else and must be looked at: it stays when its stack is
 *  destroyed, unless that is not wanted. */
export function keptDeadLetterQueue(scope: Construct, id: string, keeping: Keeping): Queue {
  return deadLetterQueue(scope, id, keeping, { removalPolicy: removalOfQueue(keeping) });
}
