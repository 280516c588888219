import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Config } from './config/schema.ts';
import { subscriptionsStackName } from './config/stack-names.ts';
import { inRegion } from './parts/in-region.ts';
import { HttpSubscription } from './parts/subscription.ts';

/** The native subscriptions, apart from all else: SNS calls each receiver while its subscription is made, and one that is dead may
 *  fail the deployment. This one then, and not that of the functions and queues, which watches them. */
export class SubscriptionsStack extends Stack {
  constructor(scope: Construct, config: Config, changes: ITopic) {
    const name = subscriptionsStackName(config.stackName);
    super(scope, name, {
      ...inRegion(config),
      stackName: name,
      description: 'Changewire: the receivers that SNS itself delivers to',
    });
    // The CDK CLI deploys no stack that is empty, and deletes one that has become so. That is what is wanted here.
    if (config.subscriptions.length === 0)
      Validations.of(this).acknowledge({
        id: 'CloudFormation-Validate::F0001',
        reason: 'Without subscriptions there is nothing to deploy, and what was deployed before is deleted.',
      });
    for (const each of config.subscriptions) {
      const { undelivered } = new HttpSubscription(this, `Subscription.${each.name}`, {
        topic: changes,
        config: each,
      });
      const output = `UndeliveredQueueUrl${encoded(each.name)}`;
      new CfnOutput(this, `Output.${output}`, { value: undelivered.queueUrl }).overrideLogicalId(output);
    }
  }
}

/** CloudFormation takes letters and digits only in an output's name, and two names may differ in what it doesn't take. */
function encoded(name: string): string {
  return name.replaceAll(/[_-]/g, mark => (mark === '_' ? 'Underscore' : 'Dash'));
}
