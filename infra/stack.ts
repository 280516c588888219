import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Alarms } from './alarms.ts';
import { ENTRIES, type EntryName } from './bundle/options.ts';
import type { Config } from './config/schema.ts';
import { Deliver } from './deliver.ts';
import { Endpoint } from './endpoint.ts';
import { Poll } from './poll.ts';
import { Publish } from './publish.ts';
import { Schedules } from './schedules.ts';
import { HttpSubscription } from './subscription.ts';
import type { SnapshotTable } from './table.ts';
import { ChangeTopic } from './topic.ts';

/** All of Changewire but its table, for any account and region. Nothing here outlives it or has a name that could be taken, so
 *  it can be destroyed and made again. */
export class ChangewireStack extends Stack {
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
    const poll = new Poll(this, 'Poll', { config, entry: entries.poll, table });
    const publish = new Publish(this, 'Publish', { config, entry: entries.publish, table, topic });
    const schedules = new Schedules(this, 'Schedules', { config, poll });
    const subscriptions = new Map(
      config.subscriptions.map(each => [
        each.name,
        new HttpSubscription(this, `Subscription.${each.name}`, { topic: topic.topic, config: each }),
      ]),
    );
    const endpoints = config.endpoints.map(
      each => new Endpoint(this, `Endpoint.${each.name}`, { topic: topic.topic, config: each }),
    );
    const deliver =
      endpoints.length === 0
        ? undefined
        : new Deliver(this, 'Deliver', { config, entry: entries.deliver, table, endpoints });
    const watched = { config, poll, publish, schedules, subscriptions, endpoints, deliver };
    const alarms = new Alarms(this, 'Alarms', watched);
    this.#outputs({
      TableName: table.table.tableName,
      TopicArn: topic.topic.topicArn,
      AlarmTopicArn: alarms.topic.topicArn,
      PollFunction: poll.fn.functionName,
      PollLogs: poll.fn.logGroup.logGroupName,
      PublishFunction: publish.fn.functionName,
      PublishLogs: publish.fn.logGroup.logGroupName,
      RejectedQueueUrl: publish.rejected.queueUrl,
      UnpublishedQueueUrl: publish.unpublished.queueUrl,
      UnstartedQueueUrl: schedules.unstarted.queueUrl,
      ...Object.fromEntries(
        [...subscriptions].map(([name, each]) => [
          `UndeliveredQueueUrl${encoded(name)}`,
          each.undelivered.queueUrl,
        ]),
      ),
      ...(deliver && {
        DeliverFunction: deliver.fn.functionName,
        DeliverLogs: deliver.fn.logGroup.logGroupName,
      }),
    });
  }

  /** The names that the runbook's commands ask for. */
  #outputs(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values))
      new CfnOutput(this, `Output.${name}`, { value }).overrideLogicalId(name);
  }
}

/** CloudFormation takes letters and digits only in an output's name, and two names may differ in what it doesn't take. */
function encoded(name: string): string {
  return name.replaceAll(/[_-]/g, mark => (mark === '_' ? 'Underscore' : 'Dash'));
}
