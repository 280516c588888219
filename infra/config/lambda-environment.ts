import { longestEndpointsJson } from './endpoint-environment.ts';
import { workspacesJson } from './environment.ts';
import { linkTemplatesOf } from './link-template.ts';
import type { Config } from './schema.ts';

/** Of Lambda's 4,096 bytes; the other variables and the names take some 300. */
const ALLOWED = 3_700;
/** What the variable of link templates takes beside its value. */
const LINKS_NAME = '"LINK_TEMPLATES":,'.length;
const LIMIT = `allowed: ${ALLOWED}, because Lambda's environment holds 4 KB`;

/** Settings that don't fit into the environment of the function they are for; one line each. */
export function environmentProblems(config: Config): string[] {
  const workspaces = environmentBytes(workspacesJson(config));
  const links = linkTemplatesOf(config);
  const linkBytes = links.length > 0 ? environmentBytes(JSON.stringify(links)) + LINKS_NAME : 0;
  const endpoints = environmentBytes(longestEndpointsJson(config)) + linkBytes;
  const found: string[] = [];
  if (workspaces > ALLOWED)
    found.push(
      `changewire.workspaces: found ${workspaces} bytes of settings; ${LIMIT}. ` +
        'Move some workspaces or processes to a second stack with its own stackName',
    );
  if (config.endpoints.length > 0 && endpoints > ALLOWED)
    found.push(
      `changewire.endpoints: found ${config.endpoints.length} endpoints, up to ${endpoints} bytes of settings; ` +
        `${LIMIT}. Shorten names${links.length > 0 ? ' or link templates' : ''}, or make subscriptions of webhooks that can do without a signing secret`,
    );
  return found;
}

/** Lambda measures the environment as JSON, in which every quote of a JSON value takes two bytes. */
export function environmentBytes(value: string): number {
  return Buffer.byteLength(JSON.stringify(value));
}
