import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ConfigError, readConfig } from './config/read.ts';
import { ChangewireStack } from './stack.ts';
import { SubscriptionsStack } from './subscriptions-stack.ts';
import { TableStack } from './table-stack.ts';

/** What `cdk` runs: the `changewire` context of cdk.json becomes three stacks, checked by cdk-nag. */
const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
try {
  const config = readConfig(app.node.tryGetContext('changewire'));
  const { snapshots } = new TableStack(app, config);
  const { topics } = new ChangewireStack(app, config, snapshots);
  new SubscriptionsStack(app, config, topics);
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
