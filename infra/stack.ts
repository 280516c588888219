import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { ConfigInput } from '../functions/config/schema.ts';
import { Changewire } from './changewire.ts';
import { inRegion } from './parts/in-region.ts';
import type { SnapshotTable } from './parts/table.ts';
import type { ChangewireProps } from './props/changewire.ts';

export interface ChangewireStackProps {
  readonly stackName: string;
  readonly config: ConfigInput;
  readonly snapshots: SnapshotTable;
  readonly subscriptionsIn: Construct;
}

/** All of Changewire except its table and its native subscriptions. Only the queues of failed messages outlive it, so
 *  that it can be destroyed and created again. */
export class ChangewireStack extends Stack {
  readonly changewire: Changewire;

  constructor(scope: Construct, { stackName, config, snapshots, subscriptionsIn }: ChangewireStackProps) {
    super(scope, stackName, {
      ...inRegion(config),
      stackName,
      description: 'Changewire: change events for a process-management service whose REST API has none',
    });
    // CDK leaves the id `Default` out of logical ids, and so out of the names of resources.
    this.changewire = new Changewire(this, 'Default', { ...propsOf(config), snapshots, subscriptionsIn });
    const { table, topic, alarmTopic, queues, functions, lookPolicy, actPolicy, pullPolicy } =
      this.changewire;
    // Subscription stacks of earlier versions import it, and CloudFormation does not remove an export in use.
    this.exportValue(alarmTopic.topicArn);
    this.#outputs({
      TableName: table.tableName,
      TopicArn: topic.topicArn,
      AlarmTopicArn: alarmTopic.topicArn,
      PassesQueueUrl: queues.passes.queueUrl,
      EventsQueueUrl: queues.events.queueUrl,
      DeliveriesQueueUrl: queues.deliveries.queueUrl,
      ChatQueueUrl: queues.chat.queueUrl,
      DrainsQueueUrl: queues.drains.queueUrl,
      UnsettledQueueUrl: queues.unsettled.queueUrl,
      RejectedQueueUrl: queues.rejected.queueUrl,
      UnpublishedQueueUrl: queues.unpublished.queueUrl,
      UnstartedQueueUrl: queues.unstarted.queueUrl,
      SecretsPath: this.changewire.secretsPath,
      LookPolicyArn: lookPolicy.managedPolicyArn,
      ActPolicyArn: actPolicy.managedPolicyArn,
      PullPolicyArn: pullPolicy.managedPolicyArn,
      ...namesOf({
        ...{ Poll: functions.poll, Publish: functions.publish, Route: functions.route },
        ...{ Deliver: functions.deliver, Tick: functions.tick },
      }),
    });
  }

  /** Outputs for subscribers, for attaching the policies, and for tests. */
  #outputs(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values))
      new CfnOutput(this, `Output.${name}`, { value }).overrideLogicalId(name);
  }
}

/** The file's keys as properties of the construct. Its keys may also be `undefined`; the types do not differ otherwise
 *  (test/infra/props.test.ts). */
function propsOf({ stackName, region, logRetentionDays, ...config }: ConfigInput): ChangewireProps {
  const named = { name: stackName, logRetention: logRetentionDays };
  return { ...config, ...named } as ChangewireProps;
}

/** `PollFunction`, `PollLogs` and so on. */
function namesOf(functions: Readonly<Record<string, LambdaFunction>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(functions).flatMap(([name, fn]) => [
      [`${name}Function`, fn.functionName],
      [`${name}Logs`, fn.logGroup.logGroupName],
    ]),
  );
}
