import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ConfigError, rightConfigs } from '../functions/config/read.ts';
import { stacksOf } from './stacks.ts';

/** The app of cdk.json: each configuration in its `changewire` context becomes three CloudFormation stacks, checked by
 *  cdk-nag. */
const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
try {
  for (const config of rightConfigs(app.node.tryGetContext('changewire'))) stacksOf(app, config);
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
