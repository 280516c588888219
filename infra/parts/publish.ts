import { Duration, Validations } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Config } from '../../functions/config/schema.ts';
import { ENTRIES } from '../bundle/options.ts';
import { keptDeadLetterQueue } from './dead-letter-queue.ts';
import { Handler } from './handler.ts';
import type { Keeping } from './keeping.ts';
import { mayUse } from './key-use.ts';
import { sendingTo } from './sending.ts';
import type { SnapshotTable } from './table.ts';
import type { ChangeTopic } from './topic.ts';

export interface PublishProps {
  readonly config: Config;
  readonly table: SnapshotTable;
  readonly topic: ChangeTopic;
  readonly keeping: Keeping;
}

/** The function that sends committed change records to the topic, in the order of the table's stream. */
export class Publish extends Handler {
  /** Events that SNS always refuses, whole. */
  readonly rejected: Queue;
  /** Parts of the stream that Lambda gave up: positions, not records. */
  readonly unpublished: Queue;
  readonly mapping: EventSourceMapping;

  constructor(scope: Construct, id: string, { config, table, topic, keeping }: PublishProps) {
    const rejected = keptDeadLetterQueue(scope, 'RejectedEvents', keeping);
    super(scope, id, {
      name: config.stackName,
      entry: ENTRIES.publish,
      description: 'Changewire: publishes the change records of the table to the topic',
      // Lambda's batches hold 6 MB at most; with more memory Lambda gives more processor time, for
      // unpacking and TLS.
      memoryMiB: 512,
      // 100 change records mostly have as many events, ten to a request to SNS. A run that takes longer
      // hangs, and Lambda repeats its batch, in halves.
      timeout: Duration.minutes(2),
      logRetention: config.logRetentionDays,
      bindings: {
        TOPIC_ARN: topic.forPublishing(),
        REJECTED_QUEUE_URL: sendingTo(rejected),
      },
    });
    this.rejected = rejected;
    this.unpublished = keptDeadLetterQueue(this, 'Unpublished', keeping);
    this.mapping = this.#readStream(table);
  }

  #readStream({ table }: SnapshotTable): EventSourceMapping {
    const stream = table.tableStreamArn ?? '';
    this.role.addToPolicy(
      new PolicyStatement({
        actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        resources: [stream],
      }),
    );
    mayUse(table.encryptionKey, 'read', this.role);
    sendingTo(this.unpublished).grant?.(this.role);
    const list = new Policy(this.role, 'ListStreams', {
      roles: [this.role],
      statements: [new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] })],
    });
    Validations.of(list).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'Lambda asks for ListStreams, which IAM grants on all streams or none; it lists names, no records.',
    });
    const mapping = new EventSourceMapping(this, 'Stream', {
      target: this.fn,
      eventSourceArn: stream,
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [CHANGE_RECORDS],
      // Lambda calls as soon as there is one record, so a large batch delays none. An even larger one
      // would only take longer to bisect when it fails.
      batchSize: 100,
      // More than one batch of a shard at a time would mix up the order within a process.
      parallelizationFactor: 1,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // The stream drops records after 24 hours without saying so. One hour before that, Lambda still
      // reports what it gave up.
      maxRecordAge: Duration.hours(23),
      // Not SqsDlq, which permits more: to use a key by actions with wildcards.
      onFailure: { bind: () => ({ destination: this.unpublished.queueArn }) },
    });
    mapping.node.addDependency(this.role);
    return mapping;
  }
}

/** Only change records start Lambda, although snapshots and leases pass through the same stream. */
const CHANGE_RECORDS = FilterCriteria.filter({
  eventName: FilterRule.isEqual('INSERT'),
  dynamodb: { Keys: { sk: { S: FilterRule.beginsWith('CHANGE#') } } },
});
