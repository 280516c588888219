import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from '../../local/basics/package-file.ts';

/** The CDK feature flags of our `cdk.json`, with which the stacks are tested. They override a `cdk.json` in the user's
 *  directory. */
export function featureFlags(): Record<string, unknown> {
  const path = join(packageDirectory(), 'cdk.json');
  const { context } = JSON.parse(readFileSync(path, 'utf8')) as { context: Record<string, unknown> };
  return Object.fromEntries(Object.entries(context).filter(([key]) => key.startsWith('@aws-cdk/')));
}
