import type { StackProps } from 'aws-cdk-lib';

/** Deploys a stack to the region of the configuration, by default to that of the current credentials, and always to
 *  their account. */
export function inRegion({ region }: { readonly region?: string | undefined }): Pick<StackProps, 'env'> {
  return region === undefined ? {} : { env: { region } };
}
