import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from '../../local/basics/package-file.ts';

/** The feature flags of the CDK with which the stacks are made and tested: those of our `cdk.json`, whatever a `cdk.json` of the
 *  user's folder says. */
export function featureFlags(): Record<string, unknown> {
  const path = join(packageDirectory(), 'cdk.json');
  const { context } = JSON.parse(readFileSync(path, 'utf8')) as { context: Record<string, unknown> };
  return Object.fromEntries(Object.entries(context).filter(([key]) => key.startsWith('@aws-cdk/')));
}
