import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** The stack that a scope is deployed with: with nested stacks, the outermost. */
export function rootStack(scope: IConstruct): Stack {
  let stack = Stack.of(scope);
  while (stack.nestedStackParent) stack = stack.nestedStackParent;
  return stack;
}
