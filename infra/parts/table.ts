import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Binding } from './handler.ts';

/** The one table: snapshots, change records, leases and watermarks. It outlives the stack, because without it every
 *  change since the last pass would be lost, and every process would start again with a baseline. */
export class SnapshotTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'expiresAt',
      // A change record is written once and never changed: its new image is all of it.
      stream: StreamViewType.NEW_IMAGE,
      // Also of a first deployment that is rolled back: what is protected can't be deleted, and the rollback would fail over it.
      removalPolicy: RemovalPolicy.RETAIN,
      deletionProtection: true,
      // Encrypted with a key that DynamoDB owns: a KMS key would cost a call per request, and guards nothing more
      // against anyone who may read the table.
      encryption: TableEncryption.DEFAULT,
    });
  }

  /** `TABLE_NAME` for who reads and commits. A transaction needs the permissions of its parts, and no other. */
  forCommits(): Binding {
    const actions = [
      ...['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'],
      ...['PutItem', 'UpdateItem', 'DeleteItem'],
    ].map(action => `dynamodb:${action}`);
    return {
      value: this.table.tableName,
      grant: grantee => Grant.addToPrincipal({ grantee, actions, resourceArns: [this.table.tableArn] }),
    };
  }

  /** `TABLE_NAME` for who looks up endpoints. */
  forRouting(): Binding {
    return this.#forRows([LAYOUT, { actions: ['Query'], keys: [ENDPOINTS] }]);
  }

  /** `TABLE_NAME` for who keeps the endpoints, and what each of them has yet to get. */
  forDelivering(): Binding {
    return this.#forRows([LAYOUT, { actions: KEEP, keys: [ENDPOINTS, OF_ENDPOINTS] }]);
  }

  /** The same, how all processes are, their journal, because what is sent again comes from there, and the roster of them. A row of its own
   *  says up to when passes are started. */
  forTicking(): Binding {
    return this.#forRows([
      LAYOUT,
      { actions: KEEP, keys: [ENDPOINTS, OF_ENDPOINTS] },
      { actions: ['Query', 'BatchGetItem'], keys: [OF_PROCESSES] },
      { actions: ['GetItem', 'UpdateItem'], keys: [TICK] },
      { actions: ['Query', 'PutItem'], keys: [ROSTER] },
    ]);
  }

  /** `TABLE_NAME` for who answers people: all may be looked at, what is done is noted with what it was done to, and a process that is not
   *  configured any more can be forgotten. Which rows of a partition are meant IAM can't say. */
  forOperating(): Binding {
    return this.#forRows([
      LAYOUT,
      { actions: KEEP, keys: [ENDPOINTS, OF_ENDPOINTS] },
      { actions: ['Query', 'BatchGetItem', 'DeleteItem', 'PutItem', 'UpdateItem'], keys: [OF_PROCESSES] },
      { actions: ['Query', 'DeleteItem'], keys: [ROSTER] },
      { actions: ['Query', 'PutItem'], keys: [OF_STACK] },
    ]);
  }

  /** `TABLE_NAME` for who may do this to rows of these partitions, and sees nothing else of the table. */
  #forRows(leave: readonly { actions: readonly string[]; keys: readonly string[] }[]): Binding {
    return {
      value: this.table.tableName,
      grant: grantee => {
        for (const { actions, keys } of leave)
          Grant.addToPrincipal({
            grantee,
            actions: actions.map(action => `dynamodb:${action}`),
            resourceArns: [this.table.tableArn],
            conditions: {
              'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
              // Of no values at all the above is true.
              Null: { 'dynamodb:LeadingKeys': 'false' },
            },
          });
      },
    };
  }
}

/** Partitions (docs/architecture.md, "The table"), as conditions of IAM name them. */
const ENDPOINTS = 'ENDPOINTS';
const OF_ENDPOINTS = 'ENDPOINT#*';
const OF_PROCESSES = 'W#*';
const ROSTER = 'PROCESSES';
const TICK = 'TICK';
/** Who did what to no one endpoint or process. */
const OF_STACK = 'STACK';

/** Whoever comes first writes down which layout the table has; all others look. */
const LAYOUT = { actions: ['GetItem', 'PutItem'], keys: ['LAYOUT'] };

const KEEP = ['GetItem', 'Query', 'DeleteItem', 'PutItem', 'UpdateItem'];
