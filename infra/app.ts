import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ConfigError, readConfig } from './config/read.ts';
import { ChangewireStack } from './stack.ts';
import { TableStack } from './table-stack.ts';

/** What `cdk` runs: the `changewire` context of cdk.json becomes two stacks, checked by cdk-nag. */
const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
try {
  const config = readConfig(app.node.tryGetContext('changewire'));
  const { snapshots } = new TableStack(app, config);
  new ChangewireStack(app, config, snapshots);
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
