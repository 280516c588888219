import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Config } from '../functions/config/schema.ts';
import { subscriptionsStackName } from '../functions/config/schema.ts';
import { inRegion } from './parts/in-region.ts';

/** The native subscriptions in a stack of their own: SNS calls each receiver while it creates the subscription, and an
 *  unreachable receiver can fail the deployment. Then only this stack fails. */
export class SubscriptionsStack extends Stack {
  constructor(scope: Construct, config: Pick<Config, 'stackName' | 'region'>) {
    const name = subscriptionsStackName(config.stackName);
    super(scope, name, {
      ...inRegion(config),
      stackName: name,
      description: 'Changewire: receivers that SNS delivers to',
    });
  }

  /** Outputs the dead-letter queue of each subscription. */
  outputQueues(undelivered: Readonly<Record<string, IQueue>>): void {
    const queues = Object.entries(undelivered);
    // The CDK CLI does not deploy an empty stack, and deletes a deployed one that has become empty.
    if (queues.length === 0)
      Validations.of(this).acknowledge({
        id: 'CloudFormation-Validate::F0001',
        reason: 'Without subscriptions there is nothing to deploy, and earlier subscriptions are deleted.',
      });
    for (const [name, { queueUrl }] of queues) {
      const output = `UndeliveredQueueUrl${encoded(name)}`;
      new CfnOutput(this, `Output.${output}`, { value: queueUrl }).overrideLogicalId(output);
    }
  }
}

/** Encodes a name for an output, whose name may have only letters and digits. Distinct names stay distinct. */
function encoded(name: string): string {
  return name.replaceAll(/[_-]/g, mark => (mark === '_' ? 'Underscore' : 'Dash'));
}
