import type { Stack } from 'aws-cdk-lib';

/** A text with references, as cdk-nag writes it: `<AWS::Region>` while the region is not known, the
 *  region itself where the configuration names one. */
export function told(stack: Stack, text: string): string {
  const flat = (value: unknown): string => {
    if (typeof value === 'string') return value;
    const { Ref, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
    return join ? join[1].map(flat).join(join[0]) : `<${Ref}>`;
  };
  return flat(stack.resolve(text));
}
