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
import { renderTokens } from './render-tokens.ts';
import { rootStack } from './root-stack.ts';
import type { SnapshotTable } from './table.ts';
import { forTick } from './table-access.ts';
import type { ChangeTopic } from './topic.ts';

export interface TickProps {
  readonly config: Config;
  readonly deployedInput: DeployedInput;
  readonly table: SnapshotTable;
  readonly queues: Queues;
  readonly passes: PassQueue;
  readonly topic: ChangeTopic;
  /** The scope of the native subscriptions and their dead-letter queues. */
  readonly subscriptionsIn: Construct;
  /** The event source mappings by function or queue name. */
  readonly mappings: Readonly<Record<string, EventSourceMapping>>;
  readonly failedQueues: Readonly<Record<'rejected' | 'unpublished' | 'unsettled', Queue>>;
}

/** The function that runs each minute: it starts due passes, probes failing endpoints, starts drains, advances replays,
 *  and counts the state of everything for the alarms. */
export class Tick extends Handler {
  constructor(scope: Construct, id: string, props: TickProps) {
    const { config, deployedInput, table, queues, passes, topic, subscriptionsIn } = props;
    super(scope, id, {
      name: config.stackName,
      entry: ENTRIES.tick,
      files: configurationFile(deployedInput),
      description: 'Changewire: each minute, starts due passes, drains and replays, and checks health',
      // For the progress of every process, and for processor time: a replay decompresses parts of the journal.
      memoryMiB: 512,
      // Until the next tick, which continues where this one stopped.
      timeout: Duration.minutes(1),
      logRetention: config.logRetentionDays,
      bindings: {
        TABLE_NAME: forTick(table),
        ...queues.forStartingDrains(),
        ...passes.forSending(),
        ...watching(props),
        ...(config.subscriptions.length > 0 && {
          TOPIC_ARN: watchingSubscriptions(scope, topic, subscriptionsIn),
        }),
      },
    });
  }
}

/** Bindings to check whether all queues and the stream are read, and to count failed messages. */
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

/** Characters of a stack's name that CloudFormation surely keeps in the name of a queue, which has at most 80, with a
 *  part of the resource's name and a random suffix. */
const STACK_NAME_KEPT = 40;

/** A pattern for the names that CloudFormation gives to the queues of a scope: they begin with the name of the root
 *  stack. There may be hundreds of queues, too many for a policy. */
function namesOfQueues(scope: Construct): string {
  const { stackName } = rootStack(scope);
  return stackName.length > STACK_NAME_KEPT ? `${stackName.slice(0, STACK_NAME_KEPT)}*` : `${stackName}-*`;
}

/** `TOPIC_ARN`, with permission to list the topic's subscriptions and to count their undelivered messages. */
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
        id: `AwsSolutions-IAM5[Resource::${renderTokens(stack, queues)}]`,
        reason:
          'CloudFormation names these queues, perhaps after this stack, so that only a prefix is known. Only counts and URLs can be read.',
      });
    },
  };
}
