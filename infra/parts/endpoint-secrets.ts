import { Stack, Validations } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { secretsPath } from '../../functions/config/endpoint.ts';
import type { Binding } from './handler.ts';
import { told } from './told.ts';

/** `SECRETS_PATH`, and permission to read each parameter of SSM under it: the endpoints' addresses and
 *  signing secrets. No stack makes them (decision 0049): they are written when an endpoint is added,
 *  which may be while everything runs.
 *
 *  They are SecureStrings, encrypted with the account's own key for SSM, `alias/aws/ssm`. No permission
 *  to decrypt is needed: that key's policy, which AWS keeps, lets every principal of the account use it
 *  through SSM. With a key of the customer's own, `kms:Decrypt` on that key would be needed. */
export function forReadingEndpointSecrets(scope: Construct, stackName: string): Binding {
  return allowing(scope, 'ReadEndpointSecrets', stackName, ['GetParameter']);
}

/** The same for functions that add and remove endpoints, and change their addresses and secrets. */
export function forKeepingEndpointSecrets(scope: Construct, stackName: string): Binding {
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
      // Under the role, because the function is made after all that is under its role.
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
        id: `AwsSolutions-IAM5[Resource::${told(stack, parameters)}]`,
        reason:
          'Endpoints are added and removed while the stack runs, so their parameters are known by their path alone.',
      });
    },
  };
}
