import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** Leave to read these secrets of Secrets Manager, by name. No stack makes them: a secret of a stack has to outlive it, and
 *  then its name is taken when the stack is made again (decision 0049). So the operator makes them, and none of their content
 *  passes through a template. */
export function mayRead(scope: Construct, names: readonly string[]): PolicyStatement {
  const resources = names.map(name =>
    Stack.of(scope).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      // Secrets Manager ends the ARN of each secret with a dash and six characters of its own.
      resourceName: `${name}-??????`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    }),
  );
  return new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources });
}
