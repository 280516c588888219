import { Duration, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { removalOfQueue, type StorageOptions } from './storage-options.ts';

/** A queue that keeps messages for 14 days, the maximum of SQS. It is encrypted with the key of SQS, for which SNS,
 *  Lambda and Scheduler need no permission, or with the customer's key (key-use.ts). */
export function keptQueue(
  scope: Construct,
  id: string,
  { encryptionKey }: StorageOptions,
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

/** A queue for messages that a source other than SQS could not deliver. */
export function deadLetterQueue(
  scope: Construct,
  id: string,
  storage: StorageOptions,
  props: QueueProps = {},
): Queue {
  const queue = keptQueue(scope, id, storage, props);
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason:
      'This queue is itself the dead-letter queue of a source that is not SQS (SNS, Lambda, Scheduler).',
  });
  return queue;
}

/** A dead-letter queue whose messages exist nowhere else, so that by default it outlives its stack. */
export function keptDeadLetterQueue(scope: Construct, id: string, storage: StorageOptions): Queue {
  return deadLetterQueue(scope, id, storage, { removalPolicy: removalOfQueue(storage) });
}
