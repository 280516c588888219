import type { StackProps } from 'aws-cdk-lib';
import type { Config } from '../config/schema.ts';

/** Where a stack is deployed: to the region of the configuration, else to that of whoever deploys it, and
 *  always to their account. */
export function inRegion({ region }: Pick<Config, 'region'>): Pick<StackProps, 'env'> {
  return region === undefined ? {} : { env: { region } };
}
