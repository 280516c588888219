import type { Stack } from 'aws-cdk-lib';

/** A text whose CDK tokens are rendered as cdk-nag does: `<AWS::Region>` unless the region is known. */
export function renderTokens(stack: Stack, text: string): string {
  const flat = (value: unknown): string => {
    if (typeof value === 'string') return value;
    const { Ref, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
    return join ? join[1].map(flat).join(join[0]) : `<${Ref}>`;
  };
  return flat(stack.resolve(text));
}
