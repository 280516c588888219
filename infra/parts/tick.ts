import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { configuredFile, workspacesFile } from '../bundle/configured-file.ts';
import type { Config } from '../config/schema.ts';
import { subscriptionsStackName } from '../config/stack-names.ts';
import { type Binding, Handler } from './handler.ts';
import type { PassQueue } from './pass-queue.ts';
import type { Queues } from './queues.ts';
import type { SnapshotTable } from './table.ts';
import { told } from './told.ts';
import type { ChangeTopic } from './topic.ts';

export interface TickProps {
  readonly config: Config;
  readonly entry: string;
  readonly table: SnapshotTable;
  readonly queues: Queues;
  readonly passes: PassQueue;
  readonly topic: ChangeTopic;
  /** The event source mappings of the queues and the stream, by what they read. */
  readonly mappings: Readonly<Record<string, EventSourceMapping>>;
  readonly setAside: Readonly<Record<'rejected' | 'unpublished' | 'unsettled', Queue>>;
}

/** The function that runs each minute: it starts the passes that are due, probes endpoints that fail,
 *  sends deliveries that waited, works off replays, and watches all of it. */
export class Tick extends Handler {
  constructor(scope: Construct, id: string, props: TickProps) {
    const { config, entry, table, queues, passes, topic } = props;
    super(scope, id, {
      entry,
      files: { ...configuredFile(config), ...workspacesFile(config) },
      description:
        'Changewire: each minute, sends the passes that are due, works off what waits, and watches',
      // It holds the progress of every process, and a replay unpacks parts of the journal; with more
      // memory Lambda gives more processor time for that.
      memoryMiB: 512,
      // Until the next tick, which goes on where this one stopped.
      timeout: Duration.minutes(1),
      logRetention: config.logRetentionDays,
      bindings: {
        TABLE_NAME: table.forTicking(),
        ...queues.forSending(),
        ...passes.forSending(),
        ...watching(props),
        ...(config.subscriptions.length > 0 && { TOPIC_ARN: watchingSubscriptions(scope, topic) }),
      },
    });
  }
}

/** What it needs to find out whether all queues and the stream are read, and whether messages were set
 *  aside. */
function watching({ mappings, setAside }: TickProps): Record<string, Binding> {
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
    REJECTED_QUEUE_URL: counting(setAside.rejected),
    UNPUBLISHED_QUEUE_URL: counting(setAside.unpublished),
    UNSETTLED_QUEUE_URL: counting(setAside.unsettled),
  };
}

function counting({ queueUrl, queueArn }: Queue): Binding {
  return {
    value: queueUrl,
    grant: role =>
      role.addToPolicy(new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: [queueArn] })),
  };
}

/** `TOPIC_ARN`, and permission to look up the topic's subscriptions, and what SNS could not deliver to
 *  them. */
function watchingSubscriptions(scope: Construct, topic: ChangeTopic): Binding {
  const stack = Stack.of(scope);
  const queues = stack.formatArn({
    service: 'sqs',
    resource: `${subscriptionsStackName(stack.stackName)}-*`,
  });
  const policy = new Policy(scope, 'CountUndelivered', {
    statements: [
      new PolicyStatement({ actions: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl'], resources: [queues] }),
    ],
  });
  Validations.of(policy).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${told(stack, queues)}]`,
    reason:
      'These queues belong to the stack of the subscriptions, which is deployed after this one: their names are known by their beginning alone.',
  });
  const { value, grant } = topic.forWatching();
  return {
    value,
    grant: role => {
      grant?.(role);
      policy.attachToRole(role);
    },
  };
}
