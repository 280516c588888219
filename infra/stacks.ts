import type { App } from 'aws-cdk-lib';
import type { Config } from './config/schema.ts';
import { ChangewireStack } from './stack.ts';
import { SubscriptionsStack } from './subscriptions-stack.ts';
import { TableStack } from './table-stack.ts';

/** The three stacks of a configuration. */
export function stacksOf(app: App, config: Config) {
  const kept = new TableStack(app, config);
  const stack = new ChangewireStack(app, config, kept.snapshots);
  return { kept, stack, subscriptions: new SubscriptionsStack(app, config, stack.changes) };
}
