import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Config } from '../../functions/config/schema.ts';
import { credentialsName, secretPatterns } from '../../functions/config/workspace.ts';
import type { Handler } from './handler.ts';
import { renderTokens } from './render-tokens.ts';

/** Permits a function to read the workspaces' credentials in Secrets Manager, by name. No stack creates these secrets,
 *  because they must outlive it, and their names would then be taken when it is created again (decision 0049). */
export function mayReadCredentials(handler: Handler, { workspaces }: Config): void {
  const { patterns } = secretPatterns(workspaces.map(credentialsName));
  const stack = Stack.of(handler);
  const arnOf = (pattern: string) =>
    stack.formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      // Secrets Manager appends a dash and six characters to the ARN of each secret.
      resourceName: pattern.endsWith('*') ? pattern : `${pattern}-??????`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const { role } = handler;
  // Under the role, because the function is created after all children of its role.
  const policy = new Policy(role, 'ReadCredentials', {
    roles: [role],
    statements: [
      new PolicyStatement({
        actions: ['secretsmanager:GetSecretValue'],
        resources: patterns.map(arnOf),
      }),
    ],
  });
  for (const pattern of patterns.filter(each => each.endsWith('*')))
    Validations.of(policy).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${renderTokens(stack, arnOf(pattern))}]`,
      reason:
        'The names of all secrets exceed the size limit of a policy; their folder has only these secrets (docs/configuration.md).',
    });
}
