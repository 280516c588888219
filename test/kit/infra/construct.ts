import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { Construct } from 'constructs';
import { Changewire, type ChangewireProps, ConfigError } from '../../../infra/index.ts';
import { leastConfig, resources, testApp } from './synthesise.ts';

/** The construct with the least that it takes, and these properties, in a stack of a user's app. */
export function constructIn(scope: Construct, props: Partial<ChangewireProps> = {}, id = 'Changewire') {
  return new Changewire(scope, id, { ...leastConfig(), ...props });
}

/** A stack with such a construct, and its template. `before` makes what it is given. */
export function synthesised(before: (stack: Stack) => Partial<ChangewireProps> = () => ({})) {
  const stack = new Stack(testApp(), 'Events');
  const changewire = constructIn(stack, before(stack));
  return { stack, changewire, template: Template.fromStack(stack) };
}

/** What is wrong with these properties; nothing when they are right. */
export function errorOf(props: unknown, scope: Construct = new Stack(testApp(), 'Events')) {
  try {
    new Changewire(scope, 'Changewire', props as ChangewireProps);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return undefined;
}

/** What the role whose logical id has this part may do with a key: actions without `kms:`. */
export function keyActions(template: Template, role: string): string[] {
  const statements = resources(template, 'AWS::IAM::Policy')
    .filter(([, { Roles }]) => JSON.stringify(Roles).includes(`${role}Role`))
    .flatMap(
      ([, { PolicyDocument }]) =>
        (PolicyDocument as { Statement: { Action: string | string[] }[] }).Statement,
    );
  const actions = statements.flatMap(({ Action }) => [Action].flat()).filter(each => each.startsWith('kms:'));
  return [...new Set(actions.map(each => each.slice('kms:'.length)))].sort();
}
