import { env } from 'node:process';
import { App } from 'aws-cdk-lib';
import { stacksOf } from '../../infra/stacks.ts';
import { writtenConfigsFile } from '../../local/settings/config-file.ts';
import { CONFIG_VARIABLE } from './cdk-command.ts';
import { featureFlags } from './feature-flags.ts';

/** The app that `changewire synth`, `deploy` and `destroy` have the CDK run: the stacks of the configuration file that the
 *  environment names. The command has read that file before, so it is right. */
const app = new App({ postCliContext: featureFlags() });
for (const config of writtenConfigsFile(env[CONFIG_VARIABLE] ?? '')) stacksOf(app, config);
app.synth();
