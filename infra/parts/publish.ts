import { Duration, Validations } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Config } from '../../functions/config/schema.ts';
import { ENTRIES } from '../bundle/options.ts';
import { keptDeadLetterQueue } from './dead-letter-queue.ts';
import { Handler } from './handler.ts';
import { mayUse } from './key-use.ts';
import { sendingTo } from './sending.ts';
import type { StorageOptions } from './storage-options.ts';
import type { SnapshotTable } from './table.ts';
import type { ChangeTopic } from './topic.ts';

export interface PublishProps {
  readonly config: Config;
  readonly table: SnapshotTable;
  readonly topic: ChangeTopic;
  readonly storage: StorageOptions;
}

/** The function that publishes committed change records to the topic, in the order of the table's stream. */
export class Publish extends Handler {
  /** Events that SNS rejects permanently. */
  readonly rejected: Queue;
  /** Ranges of the stream that Lambda gave up: positions, without the records. */
  readonly unpublished: Queue;
  readonly mapping: EventSourceMapping;

  constructor(scope: Construct, id: string, { config, table, topic, storage }: PublishProps) {
    const rejected = keptDeadLetterQueue(scope, 'RejectedEvents', storage);
    super(scope, id, {
      name: config.stackName,
      entry: ENTRIES.publish,
      description: 'Changewire: publishes the change records of the table to the topic',
      // A batch has at most 6 MB; the memory is for processor time, which decompression and TLS need.
      memoryMiB: 512,
      // 100 change records usually are 10 requests to SNS. Lambda retries the batch of a longer run in halves.
      timeout: Duration.minutes(2),
      logRetention: config.logRetentionDays,
      bindings: {
        TOPIC_ARN: topic.forPublishing(),
        REJECTED_QUEUE_URL: sendingTo(rejected),
      },
    });
    this.rejected = rejected;
    this.unpublished = keptDeadLetterQueue(this, 'Unpublished', storage);
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
        'Lambda requires ListStreams, which IAM grants only on all streams; it lists names, no records.',
    });
    const mapping = new EventSourceMapping(this, 'Stream', {
      target: this.fn,
      eventSourceArn: stream,
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [CHANGE_RECORDS],
      // Lambda starts a run with the first record, so a large batch delays nothing; a larger one takes longer to
      // bisect.
      batchSize: 100,
      // Parallel batches of a shard would break the order within a process.
      parallelizationFactor: 1,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // The stream silently drops records after 24 hours. Before that, Lambda reports the records that it gives up.
      maxRecordAge: Duration.hours(23),
      // Not SqsDlq, which permits key actions with wildcards.
      onFailure: { bind: () => ({ destination: this.unpublished.queueArn }) },
    });
    mapping.node.addDependency(this.role);
    return mapping;
  }
}

/** Snapshots and leases, which are in the same stream, do not start the function. */
const CHANGE_RECORDS = FilterCriteria.filter({
  eventName: FilterRule.isEqual('INSERT'),
  dynamodb: { Keys: { sk: { S: FilterRule.beginsWith('CHANGE#') } } },
});
