import { Stack, Validations } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { secretsPath } from '../../functions/config/endpoint.ts';
import type { Binding } from './handler.ts';
import { renderTokens } from './render-tokens.ts';

/** `SECRETS_PATH`, and permission to read the SSM parameters under it: addresses and signing secrets of endpoints. No
 *  stack creates them (decision 0049), because endpoints are added while the stack runs.
 *
 *  They are SecureStrings with the key `alias/aws/ssm`, whose policy lets every principal of the account use it through
 *  SSM: no permission to decrypt is needed. */
export function forReadingEndpointSecrets(scope: Construct, stackName: string): Binding {
  return allowing(scope, 'ReadEndpointSecrets', stackName, ['GetParameter']);
}

/** The same, with permission to write and delete. */
export function forWritingEndpointSecrets(scope: Construct, stackName: string): Binding {
  return allowing(scope, 'KeepEndpointSecrets', stackName, [
    'DeleteParameter',
    'GetParameter',
    'PutParameter',
  ]);
}

function allowing(scope: Construct, id: string, stackName: string, actions: readonly string[]): Binding {
  const path = secretsPath(stackName);
  const stack = Stack.of(scope);
  const { partition, region, account } = stack;
  const parameters = `arn:${partition}:ssm:${region}:${account}:parameter${path}*`;
  return {
    value: path,
    grant: role => {
      // Under the role, because the function is created after all children of its role.
      const policy = new Policy(role, id, {
        roles: [role],
        statements: [
          new PolicyStatement({
            actions: actions.map(action => `ssm:${action}`),
            resources: [parameters],
          }),
        ],
      });
      Validations.of(policy).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${renderTokens(stack, parameters)}]`,
        reason:
          'Endpoints are added and removed while the stack runs, so only the path of their parameters is known.',
      });
    },
  };
}
