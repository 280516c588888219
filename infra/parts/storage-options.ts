import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/** How stored data is encrypted, and whether it outlives its stack. */
export interface StorageOptions {
  /** Encrypts the table, the topic and the queues; undefined: keys of AWS. */
  readonly encryptionKey: IKey | undefined;
  /** `DESTROY`: the table and the queues of failed messages are deleted with their stack. */
  readonly removalPolicy: RemovalPolicy.RETAIN | RemovalPolicy.DESTROY;
}

/** The removal policy of a queue whose messages exist nowhere else. Not `RETAIN`: when a first deployment is rolled
 *  back, the queue is empty and can be deleted. */
export function removalOfQueue({ removalPolicy }: StorageOptions): RemovalPolicy {
  return removalPolicy === RemovalPolicy.DESTROY
    ? RemovalPolicy.DESTROY
    : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
}
