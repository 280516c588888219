import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Config } from '../../functions/config/schema.ts';
import { credentialsName, secretPatterns } from '../../functions/config/workspace.ts';
import type { Handler } from './handler.ts';
import { told } from './told.ts';

/** Gives the function permission to read the workspaces' credentials in Secrets Manager, by name. No
 *  stack makes these secrets: a stack's secret would have to outlive it, and its name would then be taken
 *  when the stack is made again (decision 0049). So the operator makes them, and their content is in no
 *  template. */
export function mayReadCredentials(handler: Handler, { workspaces }: Config): void {
  const { patterns } = secretPatterns(workspaces.map(credentialsName));
  const stack = Stack.of(handler);
  const arnOf = (pattern: string) =>
    stack.formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      // Secrets Manager ends the ARN of each secret with a dash and six characters of its own.
      resourceName: pattern.endsWith('*') ? pattern : `${pattern}-??????`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const { role } = handler;
  // Under the role, because the function is made after all that is under its role.
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
      id: `AwsSolutions-IAM5[Resource::${told(stack, arnOf(pattern))}]`,
      reason:
        'A policy has no room for the name of each secret of so many workspaces; their folder holds nothing else (docs/configuration.md).',
    });
}
