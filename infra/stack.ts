import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { Alarms } from './alarms.ts';
import { ENTRIES, type EntryName } from './bundle/options.ts';
import { secretsPath } from './config/endpoint.ts';
import type { Config } from './config/schema.ts';
import { Dashboard } from './dashboard.ts';
import { followEvent } from './follow-event.ts';
import { Deliver } from './parts/deliver.ts';
import type { Handler } from './parts/handler.ts';
import { inRegion } from './parts/in-region.ts';
import { Operate } from './parts/operate.ts';
import { PassQueue } from './parts/pass-queue.ts';
import { Poll } from './parts/poll.ts';
import { Publish } from './parts/publish.ts';
import { Queues } from './parts/queues.ts';
import { Route } from './parts/route.ts';
import { Schedule } from './parts/schedule.ts';
import type { SnapshotTable } from './parts/table.ts';
import { Tick } from './parts/tick.ts';
import { ChangeTopic } from './parts/topic.ts';

/** All of Changewire but its table and its native subscriptions, for any account and region, with the
 *  same number of resources for one process as for thousands. Only what people look for by name has a
 *  fixed name (the function for operators, dashboard, alarms, query), and that is deleted with the stack:
 *  so the stack can be destroyed and made again. Only the queues with what nobody has settled yet outlive
 *  it. */
export class ChangewireStack extends Stack {
  /** The topic, for the stack of the subscriptions. */
  readonly changes: ITopic;

  /** `entries` are the source files of the functions: paths from the root of the repository. */
  constructor(
    scope: Construct,
    config: Config,
    table: SnapshotTable,
    entries: Readonly<Record<EntryName, string>> = ENTRIES,
  ) {
    super(scope, config.stackName, {
      ...inRegion(config),
      stackName: config.stackName,
      description: 'Changewire: change events for a process-management service whose REST API has none',
    });
    const topic = new ChangeTopic(this, 'Changes');
    const queues = new Queues(this, 'Queues', topic);
    const passes = new PassQueue(this, 'Passes');
    const shared = { config, table, queues, passes, topic };
    const poll = new Poll(this, 'Poll', { ...shared, entry: entries.poll });
    const publish = new Publish(this, 'Publish', { ...shared, entry: entries.publish });
    const route = new Route(this, 'Route', { ...shared, entry: entries.route });
    const deliver = new Deliver(this, 'Deliver', { ...shared, entry: entries.deliver });
    const { rejected, unpublished } = publish;
    const setAside = { rejected, unpublished, unsettled: queues.unsettled };
    const tick = new Tick(this, 'Tick', {
      ...{ ...shared, setAside, entry: entries.tick },
      mappings: {
        poll: poll.mapping,
        publish: publish.mapping,
        route: route.mapping,
        deliver: deliver.mappings.deliveries,
        chat: deliver.mappings.chat,
      },
    });
    const { unstarted } = new Schedule(this, 'Schedule', { tick });
    const handlers = { poll, publish, route, deliver, tick };
    const operate = new Operate(this, 'Operate', {
      ...{ ...shared, handlers, entry: entries.operate },
      setAside: { ...setAside, unstarted },
    });
    const alarms = new Alarms(this, 'Alarms', { email: config.alarmEmail, queues, handlers });
    new Dashboard(this, 'Dashboard', { table, queues, passes, handlers });
    followEvent(this, handlers);
    this.changes = topic.topic;
    // Exported even while nothing imports it. If the export went with the last subscription,
    // CloudFormation would refuse to remove it, because the other stack is deployed after this one and
    // still imports it.
    this.exportValue(topic.topic.topicArn);
    // Earlier versions' subscription stacks import it: until those are updated, CloudFormation refuses to
    // remove the export.
    this.exportValue(alarms.topic.topicArn);
    this.#outputs({
      TableName: table.table.tableName,
      TopicArn: topic.topic.topicArn,
      AlarmTopicArn: alarms.topic.topicArn,
      PassesQueueUrl: passes.queue.queueUrl,
      EventsQueueUrl: queues.events.queueUrl,
      DeliveriesQueueUrl: queues.deliveries.queueUrl,
      ChatQueueUrl: queues.chat.queueUrl,
      UnsettledQueueUrl: queues.unsettled.queueUrl,
      RejectedQueueUrl: rejected.queueUrl,
      UnpublishedQueueUrl: unpublished.queueUrl,
      UnstartedQueueUrl: unstarted.queueUrl,
      SecretsPath: secretsPath(config.stackName),
      LookPolicyArn: operate.policies.look.managedPolicyArn,
      ActPolicyArn: operate.policies.act.managedPolicyArn,
      ...namesOf({ Poll: poll, Publish: publish, Route: route, Deliver: deliver, Tick: tick }),
    });
  }

  /** Outputs for those who subscribe or attach the policies, and for tests. */
  #outputs(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values))
      new CfnOutput(this, `Output.${name}`, { value }).overrideLogicalId(name);
  }
}

/** `PollFunction`, `PollLogs` and so on. */
function namesOf(handlers: Readonly<Record<string, Handler>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(handlers).flatMap(([name, { fn }]) => [
      [`${name}Function`, fn.functionName],
      [`${name}Logs`, fn.logGroup.logGroupName],
    ]),
  );
}
