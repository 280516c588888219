import type { Config } from '../../functions/config/schema.ts';
import { tableStackName } from '../../functions/config/schema.ts';
import { credentialsName } from '../../functions/config/workspace.ts';

/** What is to be done after a deployment. */
export function deployedText({ stackName, region, workspaces }: Config): string {
  const place = `--stack ${stackName}${region === undefined ? '' : ` --region ${region}`}`;
  const secrets = workspaces.map(credentialsName);
  return [
    `${stackName} is deployed. Next:`,
    `  1. Put credentials into the ${secrets.length === 1 ? 'secret' : 'secrets'} ${secrets.join(', ')}, unless they are there: docs/deploying.md, step 4`,
    `  2. npx changewire status ${place}`,
  ].join('\n');
}

/** What to do when the CDK has failed, and has said why in its own words. */
export function failedText(name: string): string {
  return [
    `${name}: the CDK did not do it, and says why above.`,
    '  Is it about an account or credentials: sign in as for the AWS CLI, with "aws sso login" or AWS_PROFILE',
    '  Is it about a bootstrap: npx cdk bootstrap aws://ACCOUNT/REGION, once for each account and region',
  ].join('\n');
}

/** What a destruction takes away, and what stays. */
export function destroyedText(
  { stackName, region }: Config,
  { isDone }: { readonly isDone: boolean },
): string {
  const where = region === undefined ? '' : ` in ${region}`;
  return (
    `${stackName}${where}, with its subscriptions, ${isDone ? 'is destroyed' : 'would be destroyed: nothing is polled or delivered any more'}. ` +
    `${tableStackName(stackName)}, with all that is known, ${isDone ? 'stays' : 'would stay'}, so that npx changewire deploy goes on from there.`
  );
}
