import type { StackProps } from 'aws-cdk-lib';
import type { Config } from '../config/schema.ts';

/** Where a stack goes: the region of the configuration, else that of whoever deploys it; the account is always theirs. */
export function inRegion({ region }: Pick<Config, 'region'>): Pick<StackProps, 'env'> {
  return region === undefined ? {} : { env: { region } };
}
