import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ConfigError, readConfig } from './config/read.ts';
import { ChangewireStack } from './stack.ts';

/** What `cdk` runs: the `changewire` context of cdk.json becomes one stack, checked by cdk-nag. */
const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
try {
  new ChangewireStack(app, readConfig(app.node.tryGetContext('changewire')));
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
