import * as z from 'zod';
import { identifierNames, type RecordKind } from '../basics/identifier-names.ts';
import type { Networks } from '../basics/networks.ts';
import { UPDATE_TIMESTAMPS, withheldProperties } from '../basics/property-names.ts';
import type { ProxyRoute } from '../basics/proxy.ts';
import { ENDPOINT_NAME, type LinkTemplate } from '../model/endpoint.ts';
import { hint, isWords } from './problems.ts';
import { namesWithheld, rules, timeZone } from './rules.ts';
import { duration, key, LOOPBACK, list, object, secureAddress, text, whole, yesNo } from './values.ts';

const PLACEHOLDERS = ['projectId', 'taskId', 'processId'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

const MAX_TEMPLATE_LENGTH = 500;
const ADDRESS =
  `an https:// address of at most ${MAX_TEMPLATE_LENGTH} characters without spaces, user name or password, its placeholders after ` +
  'the host; http:// only to 127.0.0.1, [::1] or localhost';

/** The address of a workspace's records for people. A template with `{taskId}` is for tasks; one without
 *  links a project, and also its tasks, to the project. */
const linkTemplate = z.union(
  [
    template('projectId', PLACEHOLDERS),
    object({
      project: key(
        template('projectId', ['projectId', 'processId']).optional(),
        'The page of a project: with `{projectId}`, optionally with `{processId}`.',
        'no link',
      ),
      task: key(
        template('taskId', PLACEHOLDERS).optional(),
        'The page of a task: with `{taskId}`, optionally with `{projectId}` and `{processId}`.',
        'no link',
      ),
    }).refine(({ project, task }) => (project ?? task) !== undefined, {
      error: 'project, task or both in it',
    }),
  ],
  {
    error:
      'an address such as "https://app.example.com/p/{projectId}/t/{taskId}", or an object with the keys project, task',
  },
);

interface Linked {
  readonly name: string;
  readonly linkTemplate?: z.infer<typeof linkTemplate> | undefined;
}

/** The link templates of all workspaces, in the form of the deliver function. */
export function linkTemplatesOf({ workspaces }: { readonly workspaces: readonly Linked[] }): LinkTemplate[] {
  return workspaces.flatMap(({ name: workspace, linkTemplate: link }) => {
    if (link === undefined) return [];
    if (typeof link === 'object') return [{ workspace, ...link }];
    return [{ workspace, ...(link.includes('{taskId}') ? { task: link } : { project: link, task: link }) }];
  });
}

function template(required: Placeholder, allowed: readonly Placeholder[]) {
  return z.string({ error: ADDRESS }).superRefine((text, context) => {
    const message = placeholderProblem(text, required, allowed) ?? (isAddress(text) ? undefined : ADDRESS);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

function placeholderProblem(
  text: string,
  required: Placeholder,
  allowed: readonly Placeholder[],
): string | undefined {
  const found = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const unknown = found.find(name => !allowed.some(each => each === name));
  const those = `the placeholders ${allowed.map(name => `{${name}}`).join(', ')}`;
  if (unknown !== undefined)
    return `${those}, but not ${isWords(unknown) ? `{${unknown}}` : 'another'}${hint(unknown, allowed)}`;
  if (/[{}]/.test(text.replace(/\{\w+\}/g, ''))) return `${those}, and no other brace`;
  return found.includes(required) ? undefined : `an address with {${required}} in it`;
}

/** Whether the text is a safe address: placeholder values must change neither the host nor how chats parse
 *  it. */
function isAddress(text: string): boolean {
  const url = URL.parse(text);
  const isSecure = url?.protocol === 'https:' || LOOPBACK.test(text);
  const isPlain =
    text.length <= MAX_TEMPLATE_LENGTH && /^https?:\/\/[^/?#{}\\@]+[/?#][\x21-\x7e]*$/.test(text);
  return url !== null && isSecure && isPlain && url.username === '' && url.password === '';
}

/** Names become parts of table keys, event sources, queues and secrets. */
export const name = () => text(ENDPOINT_NAME, 'a name of 1 to 64 letters, digits, "-" and "_"');

/** A name in Secrets Manager. */
const secretName = () =>
  text(/^[A-Za-z0-9/_+=.@-]{1,200}$/, 'a Secrets Manager name of 1 to 200 letters, digits and /_+=.@-');

/** The interval of sweeps: at least a minute, because one tick a minute starts them. */
export const sweepInterval = () => duration('1m', '24h');

/** The interval of `changes` passes: fixed, or shorter after a pass that found changes. Tick sends
 *  messages with a delay for passes within its minute, so seconds are possible. With less than 5 a pass
 *  over a distant service would end after the next one is due. */
const each = () => duration('5s', '24h');

export const changesInterval = () =>
  z.union(
    [
      each().transform(ms => ({ fastest: ms, slowest: ms })),
      object({
        fastest: key(each(), 'The interval after a pass that found a change.'),
        slowest: key(each(), 'The longest interval, after many passes without a change. At least `fastest`.'),
      }).refine(({ fastest, slowest }) => !(fastest > slowest), {
        // If one of them is not a valid duration, only that is reported.
        path: ['slowest'],
        error: 'a duration of at least fastest',
      }),
    ],
    {
      error:
        'a duration from "5s" to "24h": a whole number with s, m, h or d, or an object with the keys fastest, slowest',
    },
  );

const pageSize = () => whole(1, 10_000);

/** The names that are tried if none is configured. */
const usualNames = (kind: RecordKind) =>
  identifierNames(kind)
    .map(name => `\`${name}\``)
    .join(', ');

const property = () => text(/^.{1,256}$/s, 'the name of a property of the record');

/** An id is printable, because commands, logs and events contain it. */
export const processId = () =>
  text(/^[\x21-\x7e]{1,128}$/, "the service's id of the process: 1 to 128 printable characters, no spaces");

/** The properties by which passes recognise records, and the newer of two readings. */
const NEEDED = new Set([...identifierNames('project'), ...identifierNames('task'), ...UPDATE_TIMESTAMPS]);

const withheldField = () =>
  property().refine(name => withheldProperties([name]).isDisjointFrom(NEEDED), {
    error: 'a field that is neither an identifier nor the time of an update: passes need those',
  });

const processConfig = object({
  id: key(processId(), 'The id of the process in the service.'),
  overlap: key(
    duration('1s', '1d').prefault('120s'),
    'How far before the last pass each `changes` pass starts to read, for edits that appear late.',
  ),
  ignoreFields: key(
    list(property(), 0, 'field names').default([]),
    'Fields whose change alone emits no event, in addition to the usual update timestamps.',
  ),
  withhold: key(
    list(withheldField(), 1, 'field names').optional(),
    'Fields that are [dropped as soon as they are read](privacy.md#withhold): neither snapshots nor events have them. The name of a property, or the `externalId` of a custom field.',
    'none',
  ),
  auditLog: key(
    yesNo().optional(),
    '`false` if the credentials may not read the audit log: Changewire then neither reads it nor warns.',
    '`true`',
  ),
  audit: key(
    yesNo().optional(),
    'Emits each new entry of the audit log as [`audit.recorded`](events.md#auditrecorded), with all that the service writes about people and records. Needs the audit log.',
    '`false`',
  ),
  rules: key(
    rules().optional(),
    'When [events of due dates and silence](rules.md) are emitted.',
    'none: no such events',
  ),
  changes: key(
    changesInterval().optional(),
    'The time between two `changes` passes of this process.',
    '`changes` of the stack',
  ),
  sweep: key(
    sweepInterval().optional(),
    'The time between two sweeps of this process.',
    '`sweep` of the stack',
  ),
})
  .refine(({ audit, auditLog }) => audit !== true || auditLog !== false, {
    path: ['audit'],
    error: 'false, or left out, where auditLog is false',
  })
  .refine(({ audit, withhold }) => audit !== true || withhold === undefined, {
    path: ['audit'],
    error: 'false, or left out, where fields are withheld: an entry of the audit log may show their values',
  })
  .refine(({ rules = [], withhold = [] }) => !namesWithheld(rules, withhold), {
    path: ['rules'],
    error: 'rules of fields that are not in withhold: passes drop those as soon as they are read',
  });

/** One credential set on one instance of the service (service-api.md §1, §5). */
export const workspaceConfig = object({
  name: key(
    name(),
    'Part of event sources, alarms and table keys. A new name is a new workspace, with a new baseline.',
  ),
  baseUrl: key(secureAddress(), "The address of the service's API."),
  authUrl: key(secureAddress(), 'The address that issues tokens.'),
  audience: key(
    text(/^.+$/s, 'the audience that the service names for token requests'),
    'The audience of your credentials.',
  ),
  credentials: key(
    secretName().optional(),
    'The secret in Secrets Manager that you create, with `{"clientId": "...", "clientSecret": "..."}`.',
    '`changewire/<name>`',
  ),
  concurrency: key(
    whole(1, 32).default(16),
    'The maximum number of concurrent requests to the service. Runs start with 4 and adapt.',
  ),
  identifiers: key(
    object({
      project: key(property().optional(), 'The property that identifies a project.', usualNames('project')),
      task: key(property().optional(), 'The property that identifies a task.', usualNames('task')),
      user: key(property().optional(), 'The property that identifies a user.', usualNames('user')),
    }).optional(),
    'For a service whose records have unusual identifiers.',
    'none',
  ),
  pageSize: key(
    object({
      projects: key(pageSize().optional(), 'Projects in a page.', '`200`'),
      tasks: key(pageSize().optional(), 'Tasks in a page.', '`500`'),
      auditLog: key(pageSize().optional(), 'Audit log entries in a page.', '`100`'),
      users: key(pageSize().optional(), 'Users in a page.', '`1000`'),
    }).optional(),
    'For a service that cannot answer with pages of the usual size; else each pass halves the size of a page that fails.',
    'none',
  ),
  dateHeader: key(
    yesNo().optional(),
    "`false` if the service's responses have no `Date` header. The clock of the machine must then be right.",
    '`true`',
  ),
  timeZone: key(
    timeZone().optional(),
    'The time zone in which the [rules](rules.md) of its processes count days.',
    '`UTC`',
  ),
  linkTemplate: key(
    linkTemplate.optional(),
    'The address of a record in the service, to which [chats](chat.md) link.',
    'no links',
  ),
  processes: key(list(processConfig, 1, 'processes'), 'The processes to poll.'),
}).refine(
  ({ identifiers = {}, processes }) => {
    const withheld = withheldProperties(processes.flatMap(({ withhold = [] }) => withhold));
    return ![identifiers.project, identifiers.task].some(name => name !== undefined && withheld.has(name));
  },
  { path: ['identifiers'], error: 'properties that no process withholds' },
);

type ProcessConfig = z.infer<typeof processConfig>;
type WorkspaceConfig = z.infer<typeof workspaceConfig>;

/** The name of the secret with a workspace's client id and client secret. */
export function credentialsName(workspace: WorkspaceConfig): string {
  return workspace.credentials ?? `changewire/${workspace.name}`;
}

/** A process with its own intervals, or those of the stack. Times are in ms. */
export type ProcessSettings = Omit<ProcessConfig, keyof Rhythms> &
  Rhythms & {
    /** That of its workspace. */
    readonly timeZone?: string;
  };

/** The settings of a workspace that the functions use. */
export type WorkspaceSettings = Omit<WorkspaceConfig, 'credentials' | 'processes'> & {
  /** The name of its secret. */
  readonly credentials: string;
  readonly proxy?: ProxyRoute;
  readonly processes: ProcessSettings[];
};

/** The intervals of processes without their own. */
interface Rhythms {
  readonly changes: z.infer<ReturnType<typeof changesInterval>>;
  readonly sweep: number;
}

interface Whole extends Rhythms {
  readonly proxy?: string | undefined;
  readonly networks?: Networks | undefined;
}

/** The workspaces of a configuration, with defaults from the stack. */
export function workspacesOf({
  workspaces,
  ...whole
}: Whole & { readonly workspaces: readonly WorkspaceConfig[] }): WorkspaceSettings[] {
  return workspaces.map(workspace => ({
    ...workspace,
    credentials: credentialsName(workspace),
    ...(whole.proxy !== undefined && { proxy: { url: whole.proxy, networks: whole.networks ?? [] } }),
    processes: workspace.processes.map(process => ({
      ...process,
      changes: process.changes ?? whole.changes,
      sweep: process.sweep ?? whole.sweep,
      ...(workspace.timeZone !== undefined && { timeZone: workspace.timeZone }),
    })),
  }));
}

/** A process is stalled after this number of intervals without a completed `changes` pass: one slow pass
 *  or failed request does not count. */
const STALL_INTERVALS = 5;
/** With an interval of seconds, a restart of the poller must not count as a stall. */
const MIN_STALL_MS = 60_000;

/** The longest time in ms without a completed `changes` pass, before a process with this interval (if it
 *  varies, the longest) is stalled. */
export function maxSilenceMs(interval: number): number {
  return Math.max(STALL_INTERVALS * interval, MIN_STALL_MS);
}

/** The maximum number of characters for names of secrets in the policy of one function. A role's own
 *  policies may have 10,240 characters together, and the operate function needs almost half of them for
 *  other permissions. */
export const PATTERNS_BYTES = 5_000;

/** The characters around each name: `arn:aws-cn:secretsmanager:ap-northeast-1:123456789012:secret:`, its
 *  suffix, quotes and comma. */
const ARN_LENGTH = 80;

/** The names of the secrets as the ends of ARNs in a policy. If there is room, exactly these names; else
 *  all secrets of their folders (`changewire/*`), since a thousand names don't fit. A name without a
 *  folder stays as it is. */
export function secretPatterns(names: readonly string[]): {
  readonly patterns: readonly string[];
  readonly bytes: number;
} {
  const exact = measured(names);
  return exact.bytes <= PATTERNS_BYTES ? exact : measured(names.map(inFolder));
}

function measured(patterns: readonly string[]) {
  const all = [...new Set(patterns)];
  return { patterns: all, bytes: all.reduce((bytes, each) => bytes + ARN_LENGTH + each.length, 0) };
}

function inFolder(name: string): string {
  return name.includes('/') ? `${name.slice(0, name.lastIndexOf('/') + 1)}*` : name;
}
