import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';

/** Properties of the table. */
export interface SnapshotTableProps {
  /** The key that encrypts the table.
   *  @default - a key owned by DynamoDB, at no cost */
  readonly encryptionKey?: IKey;
  /** Whether the table is kept when its stack is deleted. `RETAIN` also protects it against deletion.
   *  @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy.RETAIN | RemovalPolicy.DESTROY;
}

/** The table with all state. By default it outlives its stack. */
export class SnapshotTable extends Construct {
  /** The DynamoDB table. */
  readonly table: Table;

  constructor(scope: Construct, id: string, props: SnapshotTableProps = {}) {
    super(scope, id);
    const { encryptionKey, removalPolicy = RemovalPolicy.RETAIN } = props;
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'expiresAt',
      // A change record is written once and never changed, so its new image has everything.
      stream: StreamViewType.NEW_IMAGE,
      // RETAIN also when a first deployment is rolled back: deleting a protected table would fail the rollback.
      removalPolicy,
      deletionProtection: removalPolicy !== RemovalPolicy.DESTROY,
      // By default a key that DynamoDB owns: a KMS key adds a call per request, and does not protect the data from
      // principals that may read the table.
      ...(encryptionKey
        ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }
        : { encryption: TableEncryption.DEFAULT }),
    });
  }
}
