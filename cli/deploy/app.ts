import { env } from 'node:process';
import { App } from 'aws-cdk-lib';
import { stacksOf } from '../../infra/stacks.ts';
import { writtenConfigsFile } from '../../local/settings/config-file.ts';
import { CONFIG_VARIABLE } from './cdk-command.ts';
import { featureFlags } from './feature-flags.ts';

/** The CDK app of `changewire synth`, `deploy` and `destroy`: the stacks of the configuration file in the environment,
 *  which the command has validated. */
const app = new App({ postCliContext: featureFlags() });
for (const config of writtenConfigsFile(env[CONFIG_VARIABLE] ?? '')) stacksOf(app, config);
app.synth();
