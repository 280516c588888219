import { CONFIGURED, configuredOf } from '../config/configured.ts';
import type { Config } from '../config/schema.ts';

/** `configured.json`, for the bundles of the functions that serve endpoints. */
export function configuredFile(config: Config): Readonly<Record<string, string>> {
  return { [CONFIGURED]: JSON.stringify(configuredOf(config)) };
}
