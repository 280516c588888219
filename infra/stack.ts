import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { Alarms } from './alarms.ts';
import { ENTRIES, type EntryName } from './bundle/options.ts';
import { secretsPath } from './config/endpoint.ts';
import type { Config } from './config/schema.ts';
import { Deliver } from './deliver.ts';
import type { Handler } from './handler.ts';
import { Operate } from './operate.ts';
import { Poll } from './poll.ts';
import { Publish } from './publish.ts';
import { Queues } from './queues.ts';
import { Route } from './route.ts';
import { Schedules } from './schedules.ts';
import type { SnapshotTable } from './table.ts';
import { Tick } from './tick.ts';
import { ChangeTopic } from './topic.ts';

/** All of Changewire but its table and its native subscriptions, for any account and region. Nothing here but the function for
 *  operators, which goes with the stack, has a name that could be taken, so it can be destroyed and made again; only what no code could
 *  settle outlives it. */
export class ChangewireStack extends Stack {
  /** What the stack of the subscriptions builds on. */
  readonly topics: { readonly changes: ITopic; readonly alarms: ITopic };

  /** `entries` are the sources of the functions: paths from the root of the repository. */
  constructor(
    scope: Construct,
    config: Config,
    table: SnapshotTable,
    entries: Readonly<Record<EntryName, string>> = ENTRIES,
  ) {
    super(scope, config.stackName, {
      stackName: config.stackName,
      description: 'Changewire: change events for a process-management service whose REST API has none',
    });
    const topic = new ChangeTopic(this, 'Changes');
    const queues = new Queues(this, 'Queues', topic);
    const shared = { config, table, queues, topic };
    const poll = new Poll(this, 'Poll', { ...shared, entry: entries.poll });
    const publish = new Publish(this, 'Publish', { ...shared, entry: entries.publish });
    const route = new Route(this, 'Route', { ...shared, entry: entries.route });
    const deliver = new Deliver(this, 'Deliver', { ...shared, entry: entries.deliver });
    const tick = new Tick(this, 'Tick', { ...shared, entry: entries.tick });
    const schedules = new Schedules(this, 'Schedules', { config, poll, tick });
    const operate = new Operate(this, 'Operate', {
      ...{ ...shared, entry: entries.operate },
      setAside: {
        rejected: publish.rejected,
        unpublished: publish.unpublished,
        unstarted: schedules.unstarted,
        unsettled: queues.unsettled,
      },
      handlers: { poll, publish, route, deliver, tick },
    });
    const watched = { config, queues, poll, publish, route, deliver, schedules };
    const alarms = new Alarms(this, 'Alarms', watched);
    this.topics = { changes: topic.topic, alarms: alarms.topic };
    // Also while nobody imports them: an export that came and went with the first and the last subscription could not go
    // before the other stack did, which is deployed after this one.
    for (const each of Object.values(this.topics)) this.exportValue(each.topicArn);
    this.#outputs({
      TableName: table.table.tableName,
      TopicArn: topic.topic.topicArn,
      AlarmTopicArn: alarms.topic.topicArn,
      EventsQueueUrl: queues.events.queueUrl,
      DeliveriesQueueUrl: queues.deliveries.queueUrl,
      ChatQueueUrl: queues.chat.queueUrl,
      UnsettledQueueUrl: queues.unsettled.queueUrl,
      RejectedQueueUrl: publish.rejected.queueUrl,
      UnpublishedQueueUrl: publish.unpublished.queueUrl,
      UnstartedQueueUrl: schedules.unstarted.queueUrl,
      SecretsPath: secretsPath(config.stackName),
      LookPolicyArn: operate.policies.look.managedPolicyArn,
      ActPolicyArn: operate.policies.act.managedPolicyArn,
      ...namesOf({ Poll: poll, Publish: publish, Route: route, Deliver: deliver, Tick: tick }),
    });
  }

  /** What tools ask for: who subscribes, who attaches the policies, tests. */
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
