import { CONFIGURED, configuredOf } from '../../functions/config/configured.ts';
import type { Config } from '../../functions/config/schema.ts';
import { WORKSPACES, workspacesJson } from '../../functions/config/workspaces.ts';

/** `configured.json`, for the bundles of the functions that serve endpoints. */
export function configuredFile(config: Config): Readonly<Record<string, string>> {
  return { [CONFIGURED]: JSON.stringify(configuredOf(config)) };
}

/** `workspaces.json`, for the bundles of the functions that poll, or that must know what is polled. It is
 *  a file because an environment has 4 KB, room for some dozen processes. */
export function workspacesFile(config: Config): Readonly<Record<string, string>> {
  return { [WORKSPACES]: workspacesJson(config) };
}
