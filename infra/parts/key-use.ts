import { Annotations, Aws } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** The KMS actions that each use of an encrypted resource needs. CDK's own grants have wildcards. */
const ACTIONS = {
  /** To send to a queue or publish to a topic. */
  send: ['Decrypt', 'GenerateDataKey'],
  /** To receive from a queue, or read a table or its stream. */
  read: ['Decrypt'],
  /** To read and write a table: DynamoDB decrypts and renews the table key with the caller's permissions. */
  write: ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'],
} as const;

/** Permits this use of a customer's key. Keys of AWS need no permission: their policies let every principal of the
 *  account use them through the service. */
export function mayUse(key: IKey | undefined, use: keyof typeof ACTIONS, grantee: IGrantable): void {
  key?.grant(grantee, ...ACTIONS[use].map(action => `kms:${action}`));
}

/** Lets SNS write to encrypted queues, which only the key's policy can permit. The condition cannot name the topic:
 *  the topic names the key, and CloudFormation refuses circular references. */
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
