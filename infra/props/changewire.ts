import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { SnapshotTable } from '../parts/table.ts';
import type { EndpointProps, SubscriptionProps } from './endpoint.ts';

/** Properties of Changewire. A duration is a `Duration`, or a text as in the file: `"90s"`, `"1m"`, `"6h"`, `"1d"`.
 *  All values except constructs must be known at synthesis, because they are bundled with the code of the functions. */
export interface ChangewireProps {
  /** The value of `--stack`: names the function `<name>-operate`, alarms, metrics, dashboard, schedule group and the
   *  path of the endpoints' secrets. A letter, then up to 55 letters, digits and "-"; unique in the account and region.
   *  @default - the name of the stack */
  readonly name?: string;

  /** What is polled: one entry for each set of credentials on one instance of the service. */
  readonly workspaces: readonly WorkspaceProps[];

  /** How often a process is asked for changes: always after the same time (5 seconds to 24 hours), or by what
   *  was found. A process can override it.
   *  @default "1m" */
  readonly changes?: Duration | string | ChangesProps;

  /** How often all projects of a process are compared, which finds deletions: a minute to 24 hours. A process can
   *  override it.
   *  @default "6h" */
  readonly sweep?: Duration | string;

  /** HTTP(S) receivers that SNS itself delivers to.
   *  @default [] */
  readonly subscriptions?: readonly SubscriptionProps[];

  /** Signed webhooks, Slack and Teams channels. More can be added while it runs, by `npx changewire endpoints`.
   *  @default [] */
  readonly endpoints?: readonly EndpointProps[];

  /** Who gets the alarms by mail; AWS asks that address for its consent first.
   *  @default - none: subscribe to `alarmTopic` */
  readonly alarmEmail?: string;

  /** The topic for the alarms. Its policy and key must let CloudWatch publish to it: a topic without a policy
   *  of its own does, one with `enforceSSL` or an AWS managed key does not. Changewire does not change the
   *  topic.
   *  @default - a new topic */
  readonly alarmTopic?: ITopic;

  /** The memory of the poll function, in MiB: 512 to 10,240. Processes with thousands of tasks in one
   *  project, or with over 100,000 projects, need more than 512.
   *  @default 512 */
  readonly pollMemory?: number;

  /** How many days CloudWatch keeps the logs of the functions; not `INFINITE`.
   *  @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays;

  /** The key that encrypts the table, the topic and the queues. Their users get permission to use it. For
   *  SNS, its policy gets a statement, or you get a warning if the policy is not part of the app.
   *  @default - keys of AWS, at no cost */
  readonly encryptionKey?: IKey;

  /** Whether the table and the queues of failed messages are kept when the stack is deleted. `RETAIN` also protects the
   *  table against deletion.
   *  @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy.RETAIN | RemovalPolicy.DESTROY;

  /** An existing table, such as in another stack. One table serves one Changewire. Its own `encryptionKey` and
   *  `removalPolicy` apply.
   *  @default - a new table */
  readonly snapshots?: SnapshotTable;

  /** The scope of the native subscriptions, such as a stack of their own: an unreachable receiver can fail
   *  the deployment of its stack. A scope takes the subscriptions of one Changewire.
   *  @default - this construct */
  readonly subscriptionsIn?: Construct;
}

/** How often changes are looked for, by what was found: `fastest` after a pass that found something, twice as
 *  long after each that did not, until it is `slowest`. */
export interface ChangesProps {
  /** The time until the next pass, after one that found something: 5 seconds to 24 hours. */
  readonly fastest: Duration | string;

  /** The longest time until the next pass, after many that found nothing: no shorter than `fastest`, 24 hours at
   *  most. */
  readonly slowest: Duration | string;
}

/** What is polled: one set of credentials on one instance of the service. */
export interface WorkspaceProps {
  /** Part of event sources, alarms and table keys: another name is another workspace, with a new baseline. 1 to
   *  64 letters, digits, "-" and "_". */
  readonly name: string;

  /** The address of the service's API (https://). */
  readonly baseUrl: string;

  /** The address that issues tokens (https://). */
  readonly authUrl: string;

  /** The audience that the service names for token requests. */
  readonly audience: string;

  /** The name of the secret in Secrets Manager that you make, with
   *  `{"clientId": "...", "clientSecret": "..."}`. It is a name, never the secret itself.
   *  @default - `changewire/<name>` */
  readonly credentials?: string;

  /** The most requests to the service at once: 1 to 32. How many it bears is found.
   *  @default 16 */
  readonly concurrency?: number;

  /** The properties that identify records, for a service that names them unusually.
   *  @default - the usual names */
  readonly identifiers?: IdentifiersProps;

  /** How many items a page is asked for, for a service whose answers are too large with the usual pages.
   *  @default - 200 projects, 500 tasks, 100 entries of the audit log, 1,000 users */
  readonly pageSize?: PageSizeProps;

  /** `false` for a service whose answers have no `Date` header, which then must not be reported as a problem.
   *  @default true */
  readonly dateHeader?: boolean;

  /** Where people see a record: an address with placeholders, to which Slack and Teams link.
   *  @default - no links */
  readonly linkTemplate?: string | LinkTemplateProps;

  /** The processes to poll, at least one. */
  readonly processes: readonly ProcessProps[];
}

/** The properties of records that identify them. */
export interface IdentifiersProps {
  /** That of a project.
   *  @default - `id`, `projectId` or `externalId` */
  readonly project?: string;

  /** That of a task.
   *  @default - `id`, `taskId` or `externalId` */
  readonly task?: string;

  /** That of a user.
   *  @default - `id`, `userId` or `externalId` */
  readonly user?: string;
}

/** How many items a page is asked for: 1 to 10,000 each. */
export interface PageSizeProps {
  /** Of the list of projects.
   *  @default 200 */
  readonly projects?: number;

  /** Of a project's tasks.
   *  @default 500 */
  readonly tasks?: number;

  /** Of the audit log.
   *  @default 100 */
  readonly auditLog?: number;

  /** Of the users.
   *  @default 1000 */
  readonly users?: number;
}

/** Where people see projects and tasks: one of the two, or both. */
export interface LinkTemplateProps {
  /** The address of a project: with `{projectId}`, perhaps with `{processId}`.
   *  @default - no links to projects */
  readonly project?: string;

  /** The address of a task: with `{taskId}`, perhaps with `{projectId}` and `{processId}`.
   *  @default - no links to tasks */
  readonly task?: string;
}

/** One process to poll. */
export interface ProcessProps {
  /** The service's id of the process: 1 to 128 printable characters, no spaces. */
  readonly id: string;

  /** How far before the last pass each `changes` pass starts to read, for clocks that differ and edits that appear
   *  late: a second to a day.
   *  @default "120s" */
  readonly overlap?: Duration | string;

  /** Fields whose change alone is no event, beside the usual update timestamps.
   *  @default [] */
  readonly ignoreFields?: readonly string[];

  /** `false` where the credentials may not read the audit log: it is then not read.
   *  @default true */
  readonly auditLog?: boolean;

  /** Whether each new entry of the audit log is emitted as `audit.recorded`.
   *  @default false */
  readonly audit?: boolean;

  /** How often this process is asked for changes: always after the same time, or by what was found.
   *  @default - that of the whole */
  readonly changes?: Duration | string | ChangesProps;

  /** How often all its projects are compared, which finds deletions: a minute to 24 hours.
   *  @default - that of the whole */
  readonly sweep?: Duration | string;
}
