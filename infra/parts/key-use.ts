import { Annotations, Aws } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** What each use of something that is encrypted with a customer's key asks of that key. All are named one by
 *  one: CDK's own grants have wildcards. */
const ACTIONS = {
  /** To send to a queue or publish to a topic. */
  send: ['Decrypt', 'GenerateDataKey'],
  /** To receive from a queue, or read a table or its stream. */
  read: ['Decrypt'],
  /** To read and write a table. DynamoDB opens and renews the table's own key in the caller's name. */
  write: ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'],
} as const;

/** Permits this use of the key, if there is one. The keys of AWS need no permission: their policies let every
 *  principal of the account use them through the service. */
export function mayUse(key: IKey | undefined, use: keyof typeof ACTIONS, grantee: IGrantable): void {
  key?.grant(grantee, ...ACTIONS[use].map(action => `kms:${action}`));
}

/** Lets SNS write to encrypted queues. As a service of AWS it gets that from the key's policy alone. The
 *  condition names no topic: the topic names the key, and CloudFormation refuses circles. */
export function snsMayUse(key: IKey | undefined, scope: Construct): void {
  const added = key?.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('sns.amazonaws.com')],
      actions: ACTIONS.send.map(action => `kms:${action}`),
      resources: ['*'],
      conditions: {
        ArnLike: { 'aws:SourceArn': `arn:${Aws.PARTITION}:sns:${Aws.REGION}:${Aws.ACCOUNT_ID}:*` },
      },
    }),
  );
  if (added?.statementAdded === false)
    Annotations.of(scope).addWarningV2(
      'changewire:encryptionKeyOfSns',
      'The policy of encryptionKey is not part of this app. It must allow sns.amazonaws.com kms:Decrypt and ' +
        'kms:GenerateDataKey, or no event reaches an endpoint.',
    );
}
