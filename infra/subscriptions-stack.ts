import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Config } from '../functions/config/schema.ts';
import { subscriptionsStackName } from '../functions/config/schema.ts';
import { inRegion } from './parts/in-region.ts';

/** The native subscriptions in a stack of their own: SNS calls each receiver while its subscription is
 *  made, and one that is dead may fail the deployment. Then only this stack fails, and not that of the
 *  functions and queues. */
export class SubscriptionsStack extends Stack {
  constructor(scope: Construct, config: Pick<Config, 'stackName' | 'region'>) {
    const name = subscriptionsStackName(config.stackName);
    super(scope, name, {
      ...inRegion(config),
      stackName: name,
      description: 'Changewire: the receivers that SNS itself delivers to',
    });
  }

  /** Outputs the queues with what SNS could not deliver, by subscription. */
  tell(undelivered: Readonly<Record<string, IQueue>>): void {
    const queues = Object.entries(undelivered);
    // The CDK CLI does not deploy an empty stack, and deletes one that has become empty, as is wanted
    // here.
    if (queues.length === 0)
      Validations.of(this).acknowledge({
        id: 'CloudFormation-Validate::F0001',
        reason: 'Without subscriptions there is nothing to deploy, and what was deployed before is deleted.',
      });
    for (const [name, { queueUrl }] of queues) {
      const output = `UndeliveredQueueUrl${encoded(name)}`;
      new CfnOutput(this, `Output.${output}`, { value: queueUrl }).overrideLogicalId(output);
    }
  }
}

/** An output's name may have letters and digits only. Other characters are written as codes, so that two
 *  names never become the same. */
function encoded(name: string): string {
  return name.replaceAll(/[_-]/g, mark => (mark === '_' ? 'Underscore' : 'Dash'));
}
