import type { Config } from '../../functions/config/schema.ts';
import { tableStackName } from '../../functions/config/schema.ts';
import { credentialsName } from '../../functions/config/workspace.ts';

/** The next steps after a deployment. */
export function deployedText({ stackName, region, workspaces }: Config): string {
  const place = `--stack ${stackName}${region === undefined ? '' : ` --region ${region}`}`;
  const secrets = workspaces.map(credentialsName);
  return [
    `Deployed ${stackName}. Next steps:`,
    `  1. Store the credentials in the ${secrets.length === 1 ? 'secret' : 'secrets'} ${secrets.join(', ')}, if not done yet (docs/deploying.md, step 4)`,
    `  2. npx changewire status ${place}`,
  ].join('\n');
}

/** Remedies after a failure of the CDK, which has printed its own error. */
export function failedText(name: string): string {
  return [
    `The CDK command for ${name} failed; see its error above.`,
    '  If the account or credentials are missing: sign in as for the AWS CLI, with "aws sso login" or AWS_PROFILE',
    '  If the account is not bootstrapped: npx cdk bootstrap aws://ACCOUNT/REGION, once per account and region',
  ].join('\n');
}

/** What `destroy` deletes and keeps. */
export function destroyedText(
  { stackName, region }: Config,
  { isDone }: { readonly isDone: boolean },
): string {
  const where = region === undefined ? '' : ` in ${region}`;
  return (
    `${isDone ? 'Destroyed' : 'Would destroy'} ${stackName}${where} and its subscriptions${isDone ? '' : '; polling and delivery stop'}. ` +
    `The data in ${tableStackName(stackName)} ${isDone ? 'is' : 'would be'} kept: the next "npx changewire deploy" continues from there.`
  );
}
