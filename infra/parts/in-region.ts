import type { StackProps } from 'aws-cdk-lib';

/** Where a stack is deployed: to the region of the configuration, else to that of whoever deploys it, and
 *  always to their account. */
export function inRegion({ region }: { readonly region?: string | undefined }): Pick<StackProps, 'env'> {
  return region === undefined ? {} : { env: { region } };
}
