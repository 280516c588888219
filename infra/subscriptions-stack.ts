import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { operatorAlarm } from './alarms/operator-alarm.ts';
import { undelivered } from './alarms/queue-alarms.ts';
import type { Config } from './config/schema.ts';
import { HttpSubscription } from './subscription.ts';

/** The native subscriptions, apart from all else: SNS calls each receiver while its subscription is made, and one that is dead may
 *  fail the deployment. This one then, and not that of the functions and queues. */
export class SubscriptionsStack extends Stack {
  constructor(
    scope: Construct,
    config: Config,
    topics: { readonly changes: ITopic; readonly alarms: ITopic },
  ) {
    const name = `${config.stackName}-Subscriptions`;
    super(scope, name, {
      stackName: name,
      description: 'Changewire: the receivers that SNS itself delivers to',
    });
    // The CDK CLI deploys no stack that is empty, and deletes one that has become so. That is what is wanted here.
    if (config.subscriptions.length === 0)
      Validations.of(this).acknowledge({
        id: 'CloudFormation-Validate::F0001',
        reason: 'Without subscriptions there is nothing to deploy, and what was deployed before is deleted.',
      });
    const action = new SnsAction(topics.alarms);
    for (const each of config.subscriptions) {
      const { undelivered: queue } = new HttpSubscription(this, `Subscription.${each.name}`, {
        topic: topics.changes,
        config: each,
      });
      operatorAlarm(this, `Undelivered.${each.name}`, undelivered(queue, each.name, each.url), {
        action,
        stackName: config.stackName,
      });
      const output = `UndeliveredQueueUrl${encoded(each.name)}`;
      new CfnOutput(this, `Output.${output}`, { value: queue.queueUrl }).overrideLogicalId(output);
    }
  }
}

/** CloudFormation takes letters and digits only in an output's name, and two names may differ in what it doesn't take. */
function encoded(name: string): string {
  return name.replaceAll(/[_-]/g, mark => (mark === '_' ? 'Underscore' : 'Dash'));
}
