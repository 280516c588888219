import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/** How what is kept is encrypted, and whether it outlives its stack. */
export interface Keeping {
  /** Encrypts the table, the topic and the queues. Without it the keys of AWS do. */
  readonly encryptionKey: IKey | undefined;
  /** `DESTROY`: the table, and the queues with what is nowhere else, go with their stack. */
  readonly removalPolicy: RemovalPolicy.RETAIN | RemovalPolicy.DESTROY;
}

/** What becomes of a queue whose messages are nowhere else. Not `RETAIN`: if a first deployment fails, the
 *  queue goes, because nothing can be in it. */
export function removalOfQueue({ removalPolicy }: Keeping): RemovalPolicy {
  return removalPolicy === RemovalPolicy.DESTROY
    ? RemovalPolicy.DESTROY
    : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
}
