import type { App } from 'aws-cdk-lib';
import { readConfig } from '../functions/config/read.ts';
import type { ConfigInput } from '../functions/config/schema.ts';
import { ChangewireStack } from './stack.ts';
import { SubscriptionsStack } from './subscriptions-stack.ts';
import { TableStack } from './table-stack.ts';

/** Creates the three stacks of a configuration, given as in the file. */
export function stacksOf(app: App, config: ConfigInput) {
  const { stackName, region } = readConfig(config);
  const kept = new TableStack(app, { stackName, region });
  const subscriptions = new SubscriptionsStack(app, { stackName, region });
  const { snapshots } = kept;
  const stack = new ChangewireStack(app, { stackName, config, snapshots, subscriptionsIn: subscriptions });
  subscriptions.outputQueues(stack.changewire.undelivered);
  return { kept, stack, subscriptions };
}
