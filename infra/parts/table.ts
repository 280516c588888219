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
      // Also when a first deployment is rolled back: what is protected can't be deleted, and the rollback
      // would fail.
      removalPolicy: RemovalPolicy.RETAIN,
      deletionProtection: true,
      // Encrypted with a key that DynamoDB owns. A KMS key would cost a call per request, and would not
      // protect the data from anyone who may read the table.
      encryption: TableEncryption.DEFAULT,
    });
  }

  /** `TABLE_NAME` for functions that read and commit snapshots. A transaction needs the permissions of
   *  its parts, and no other. */
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

  /** `TABLE_NAME` for the function that looks up endpoints. */
  forRouting(): Binding {
    return this.#forRows([LAYOUT, { actions: ['Query'], keys: [ENDPOINTS] }]);
  }

  /** `TABLE_NAME` for the function that keeps the health of endpoints, and their pending deliveries. */
  forDelivering(): Binding {
    return this.#forRows([LAYOUT, { actions: KEEP, keys: [ENDPOINTS, OF_ENDPOINTS] }]);
  }

  /** The same, and also the states of all processes, their journal, from which events are sent again, and
   *  the roster. A row of its own says up to when passes are started. */
  forTicking(): Binding {
    return this.#forRows([
      LAYOUT,
      { actions: KEEP, keys: [ENDPOINTS, OF_ENDPOINTS] },
      { actions: ['Query', 'BatchGetItem'], keys: [OF_PROCESSES] },
      { actions: ['GetItem', 'UpdateItem'], keys: [TICK] },
      { actions: ['Query', 'PutItem'], keys: [ROSTER] },
    ]);
  }

  /** `TABLE_NAME` for the function that answers people: it may read everything, writes each action down
   *  with the endpoint or process that it was about, and can forget a process that is not configured any
   *  more. IAM grants whole partitions, not single rows. */
  forOperating(): Binding {
    return this.#forRows([
      LAYOUT,
      { actions: KEEP, keys: [ENDPOINTS, OF_ENDPOINTS] },
      { actions: ['Query', 'BatchGetItem', 'DeleteItem', 'PutItem', 'UpdateItem'], keys: [OF_PROCESSES] },
      { actions: ['Query', 'DeleteItem'], keys: [ROSTER] },
      { actions: ['Query', 'PutItem'], keys: [OF_STACK] },
    ]);
  }

  /** `TABLE_NAME` with these actions on rows of these partitions, and no access to the rest of the table. */
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
              // The condition above is also true for a request without any key.
              Null: { 'dynamodb:LeadingKeys': 'false' },
            },
          });
      },
    };
  }
}

/** Partitions (docs/architecture.md, "The table"), as IAM conditions name them. */
const ENDPOINTS = 'ENDPOINTS';
const OF_ENDPOINTS = 'ENDPOINT#*';
const OF_PROCESSES = 'W#*';
const ROSTER = 'PROCESSES';
const TICK = 'TICK';
/** Actions that were about no single endpoint or process. */
const OF_STACK = 'STACK';

/** The first function that uses the table writes its layout down; all others read that. */
const LAYOUT = { actions: ['GetItem', 'PutItem'], keys: ['LAYOUT'] };

const KEEP = ['GetItem', 'Query', 'DeleteItem', 'PutItem', 'UpdateItem'];
