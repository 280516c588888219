import * as z from 'zod';
import { linkTemplate } from './link-template.ts';
import { duration, list, object, secureAddress, text, whole, yesNo } from './values.ts';

/** Names become parts of table keys, event sources, queues and secrets. */
export const name = () => text(/^[A-Za-z0-9_-]{1,64}$/, 'a name of 1 to 64 letters, digits, "-" and "_"');

/** A name in Secrets Manager. */
export const secretName = () =>
  text(/^[A-Za-z0-9/_+=.@-]{1,200}$/, 'a Secrets Manager name of 1 to 200 letters, digits and /_+=.@-');

/** How often all of a process is compared: at most once a minute, because one tick a minute starts
 *  sweeps. */
export const sweepInterval = () => duration('1m', '24h');

/** How often changes are looked for: always after the same time, or faster after a pass that found some.
 *  Tick sends messages with a delay for passes within its minute, so seconds are possible. With less than
 *  5 a pass over a distant service would end after the next one is due. */
const each = () => duration('5s', '24h');

export const changesInterval = () =>
  z.union(
    [
      each().transform(ms => ({ fastest: ms, slowest: ms })),
      object({ fastest: each(), slowest: each() }).refine(({ fastest, slowest }) => !(fastest > slowest), {
        // If one of them is no valid duration, that alone is reported.
        path: ['slowest'],
        error: 'a duration that is no shorter than fastest',
      }),
    ],
    {
      error:
        'a duration from "5s" to "24h": a whole number with s, m, h or d, or an object with the keys fastest, slowest',
    },
  );

const pageSize = () => whole(1, 10_000);

const property = () => text(/^.{1,256}$/s, 'the name of a property of the record');

/** One process. Its id must be printable, because it stands in commands, logs and events. */
const processConfig = object({
  id: text(
    /^[\x21-\x7e]{1,128}$/,
    "the service's id of the process: 1 to 128 printable characters, no spaces",
  ),
  overlap: duration('1s', '1d').optional(),
  ignoreFields: list(property(), 0, 'field names').optional(),
  auditLog: yesNo().optional(),
  audit: yesNo().optional(),
  changes: changesInterval().optional(),
  sweep: sweepInterval().optional(),
}).refine(({ audit, auditLog }) => audit !== true || auditLog !== false, {
  path: ['audit'],
  error: 'false, or left out, where auditLog is false',
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

export type WorkspaceConfig = z.infer<typeof workspaceConfig>;

/** The secret that holds a workspace's client id and client secret. */
export function credentialsName(workspace: WorkspaceConfig): string {
  return workspace.credentials ?? `changewire/${workspace.name}`;
}
