import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Binding } from './handler.ts';
import { mayUse } from './key-use.ts';

/** A queue's URL, with permission to send to it. */
export function sendingTo(queue: Queue): Binding {
  return {
    value: queue.queueUrl,
    grant: grantee => {
      Grant.addToPrincipal({ grantee, actions: ['sqs:SendMessage'], resourceArns: [queue.queueArn] });
      mayUse(queue.encryptionMasterKey, 'send', grantee);
    },
  };
}
