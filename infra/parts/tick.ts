import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Config, DeployedInput } from '../../functions/config/schema.ts';
import { configurationFile } from '../bundle/configuration-file.ts';
import { ENTRIES } from '../bundle/options.ts';
import { type Binding, Handler } from './handler.ts';
import type { PassQueue } from './pass-queue.ts';
import type { Queues } from './queues.ts';
import { rootStack } from './root-stack.ts';
import type { SnapshotTable } from './table.ts';
import { forTicking } from './table-leave.ts';
import { told } from './told.ts';
import type { ChangeTopic } from './topic.ts';

export interface TickProps {
  readonly config: Config;
  readonly written: DeployedInput;
  readonly table: SnapshotTable;
  readonly queues: Queues;
  readonly passes: PassQueue;
  readonly topic: ChangeTopic;
  /** Where the native subscriptions are made, and the queues with what their receivers lack. */
  readonly subscriptionsIn: Construct;
  /** The event source mappings of the queues and the stream, by what they read. */
  readonly mappings: Readonly<Record<string, EventSourceMapping>>;
  readonly failedQueues: Readonly<Record<'rejected' | 'unpublished' | 'unsettled', Queue>>;
}

/** The function that runs each minute: it starts the passes that are due, probes endpoints that fail,
 *  sends deliveries that waited, works off replays, and watches all of it. */
export class Tick extends Handler {
  constructor(scope: Construct, id: string, props: TickProps) {
    const { config, written, table, queues, passes, topic, subscriptionsIn } = props;
    super(scope, id, {
      name: config.stackName,
      entry: ENTRIES.tick,
      files: configurationFile(written),
      description:
        'Changewire: each minute, sends the passes that are due, works off what waits, and watches',
      // It holds the progress of every process, and a replay unpacks parts of the journal; with more
      // memory Lambda gives more processor time for that.
      memoryMiB: 512,
      // Until the next tick, which goes on where this one stopped.
      timeout: Duration.minutes(1),
      logRetention: config.logRetentionDays,
      bindings: {
        TABLE_NAME: forTicking(table),
        ...queues.forWaking(),
        ...passes.forSending(),
        ...watching(props),
        ...(config.subscriptions.length > 0 && {
          TOPIC_ARN: watchingSubscriptions(scope, topic, subscriptionsIn),
        }),
      },
    });
  }
}

/** What it needs to find out whether all queues and the stream are read, and whether messages were set
 *  aside. */
function watching({ mappings, failedQueues }: TickProps): Record<string, Binding> {
  const uuids = Object.entries(mappings).map(([name, { eventSourceMappingId }]) => [
    name,
    eventSourceMappingId,
  ]);
  return {
    MAPPINGS: {
      value: JSON.stringify(Object.fromEntries(uuids)),
      grant: role =>
        role.addToPolicy(
          new PolicyStatement({
            actions: ['lambda:GetEventSourceMapping'],
            resources: Object.values(mappings).map(each => each.eventSourceMappingArn),
          }),
        ),
    },
    REJECTED_QUEUE_URL: counting(failedQueues.rejected),
    UNPUBLISHED_QUEUE_URL: counting(failedQueues.unpublished),
    UNSETTLED_QUEUE_URL: counting(failedQueues.unsettled),
  };
}

function counting({ queueUrl, queueArn }: Queue): Binding {
  return {
    value: queueUrl,
    grant: role =>
      role.addToPolicy(new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: [queueArn] })),
  };
}

/** The most characters that surely remain of a stack's name in the names that CloudFormation makes of it: a
 *  queue's has 80, of which the resource and a random end take their part. */
const STACK_NAME_KEPT = 40;

/** A pattern for the names that CloudFormation gives to the queues of a scope: they begin with the name of its
 *  stack, which for a nested stack begins with that of the outermost. There may be hundreds of these queues, and
 *  no policy has room for all their names. */
function namesOfQueues(scope: Construct): string {
  const { stackName } = rootStack(scope);
  return stackName.length > STACK_NAME_KEPT ? `${stackName.slice(0, STACK_NAME_KEPT)}*` : `${stackName}-*`;
}

/** `TOPIC_ARN`, and permission to look up the topic's subscriptions, and what SNS could not deliver to
 *  them. */
function watchingSubscriptions(scope: Construct, topic: ChangeTopic, subscriptionsIn: Construct): Binding {
  const stack = Stack.of(scope);
  const queues = stack.formatArn({ service: 'sqs', resource: namesOfQueues(subscriptionsIn) });
  const { value, grant } = topic.forWatching();
  return {
    value,
    grant: role => {
      grant?.(role);
      const policy = new Policy(role, 'CountUndelivered', {
        roles: [role],
        statements: [
          new PolicyStatement({
            actions: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl'],
            resources: [queues],
          }),
        ],
      });
      Validations.of(policy).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${told(stack, queues)}]`,
        reason:
          'These queues get their names from CloudFormation, perhaps after this stack: they are known by their beginning alone. Only their counts and addresses are asked for.',
      });
    },
  };
}
