import { DEPLOYED } from '../../functions/config/read.ts';
import type { DeployedInput } from '../../functions/config/schema.ts';

/** The configuration as a file for the bundle of a function, which reads it as `cdk.json` is read. */
export function configurationFile(written: DeployedInput): Readonly<Record<string, string>> {
  return { [DEPLOYED]: JSON.stringify(written) };
}
