import { DEPLOYED } from '../../functions/config/read.ts';
import type { DeployedInput } from '../../functions/config/schema.ts';

/** The configuration as a file in the bundle of a function, which validates it again when it starts. */
export function configurationFile(deployedInput: DeployedInput): Readonly<Record<string, string>> {
  return { [DEPLOYED]: JSON.stringify(deployedInput) };
}
