import type { z } from 'zod';
import { linkTemplate } from './link-template.ts';
import { duration, list, object, secureAddress, text, whole, yesNo } from './values.ts';

/** Names become parts of table keys, metrics, alarms and secrets. */
export const name = () => text(/^[A-Za-z0-9_-]{1,64}$/, 'a name of 1 to 64 letters, digits, "-" and "_"');

/** A name in Secrets Manager. */
export const secretName = () =>
  text(/^[A-Za-z0-9/_+=.@-]{1,200}$/, 'a Secrets Manager name of 1 to 200 letters, digits and /_+=.@-');

/** How often a process is polled. EventBridge Scheduler counts in minutes; CloudWatch watches 5 intervals, 7 days at most. */
export const interval = () => duration('1m', '24h', '1m');

const pageSize = () => whole(1, 10_000);

const property = () => text(/^.{1,256}$/s, 'the name of a property of the record');

/** One process: a printable id, because it stands in the dimensions of metrics and in alarm names. */
const processConfig = object({
  id: text(
    /^[\x21-\x7e]{1,128}$/,
    "the service's id of the process: 1 to 128 printable characters, no spaces",
  ),
  overlap: duration('1s', '1d').optional(),
  ignoreFields: list(property(), 0, 'field names').optional(),
  auditLog: yesNo().optional(),
  changes: interval().optional(),
  sweep: interval().optional(),
});

/** One credential set on one instance of the service (service-api.md §1, §5). */
export const workspaceConfig = object({
  name: name(),
  baseUrl: secureAddress(),
  authUrl: secureAddress(),
  audience: text(/^.+$/s, 'the audience that the service names for token requests'),
  credentials: secretName().optional(),
  concurrency: whole(1, 32).optional(),
  identifiers: object({
    project: property().optional(),
    task: property().optional(),
    user: property().optional(),
  }).optional(),
  pageSize: object({
    projects: pageSize().optional(),
    tasks: pageSize().optional(),
    auditLog: pageSize().optional(),
    users: pageSize().optional(),
  }).optional(),
  dateHeader: yesNo().optional(),
  linkTemplate: linkTemplate.optional(),
  processes: list(processConfig, 1, 'processes'),
});

export type ProcessConfig = z.infer<typeof processConfig>;
export type WorkspaceConfig = z.infer<typeof workspaceConfig>;

/** The secret that holds a workspace's client id and client secret. */
export function credentialsName(workspace: WorkspaceConfig): string {
  return workspace.credentials ?? `changewire/${workspace.name}`;
}
