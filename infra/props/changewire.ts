import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { SnapshotTable } from '../parts/table.ts';
import type { EndpointProps, FilterProps, SubscriptionProps } from './endpoint.ts';

/** Properties of Changewire. A duration is a `Duration`, or a text as in the file: `"90s"`, `"1m"`, `"6h"`, `"1d"`.
 *  All values except constructs must be known at synthesis, because they are bundled with the code of the functions. */
export interface ChangewireProps {
  /** The value of `--stack`: names the function `<name>-operate`, alarms, metrics, dashboard, schedule group and the
   *  path of the endpoints' secrets. A letter, then up to 55 letters, digits and "-"; unique in the account and region.
   *  @default - the name of the stack */
  readonly name?: string;

  /** The workspaces to poll: one for each set of credentials on one instance of the service. */
  readonly workspaces: readonly WorkspaceProps[];

  /** How often each process is polled for changes: at a fixed interval (5 seconds to 24 hours), or one that depends on
   *  what was found. A process can override it.
   *  @default "1m" */
  readonly changes?: Duration | string | ChangesProps;

  /** How often each process is swept, which finds deletions: a minute to 24 hours. A process can override it.
   *  @default "6h" */
  readonly sweep?: Duration | string;

  /** HTTP(S) receivers that SNS delivers to.
   *  @default [] */
  readonly subscriptions?: readonly SubscriptionProps[];

  /** Signed webhooks and chat channels. `npx changewire endpoints` can add more without a deployment.
   *  @default [] */
  readonly endpoints?: readonly EndpointProps[];

  /** Your own networks: ranges such as `10.0.0.0/8`, and names of hosts. Endpoints may be there, over http too. The
   *  functions must reach them.
   *  @default [] */
  readonly networks?: readonly string[];

  /** How long events (2 to 365 days) and attempts of deliveries (1 to 90 days) are kept.
   *  @default - events 30 days, attempts 7 days */
  readonly keep?: KeepProps;

  /** The HTTP proxy through which the service and endpoints are reached, except those in `networks`.
   *  @default - none */
  readonly proxy?: string;

  /** The network in which `poll`, `deliver` and `operate` run, to reach a service and receivers that have no public
   *  address. It needs a way to the APIs of AWS: docs/networks.md.
   *  @default - none: the functions reach public addresses */
  readonly vpc?: IVpc;

  /** The subnets of `vpc`, with a route to a NAT gateway or to VPC endpoints.
   *  @default - the private subnets */
  readonly subnets?: SubnetSelection;

  /** The security groups of the functions in `vpc`.
   *  @default - a new one for each function, which allows all outbound traffic */
  readonly securityGroups?: readonly ISecurityGroup[];

  /** The identities of SES, domains or addresses, from which endpoints of kind `email` may send by `ses:`.
   *  @default [] */
  readonly emailIdentities?: readonly string[];

  /** The address that gets the alarms by mail, once it has confirmed the subscription.
   *  @default - none: subscribe to `alarmTopic` */
  readonly alarmEmail?: string;

  /** The topic for the alarms. Its policy and key must let CloudWatch publish: the default policy does, a topic with
   *  `enforceSSL` or an AWS managed key does not.
   *  @default - a new topic */
  readonly alarmTopic?: ITopic;

  /** The memory of the poll function, in MiB: 512 to 10,240. Processes with thousands of tasks in one project, or with
   *  over 100,000 projects, need more than 512.
   *  @default 512 */
  readonly pollMemory?: number;

  /** How many days CloudWatch keeps the logs of the functions; not `INFINITE`.
   *  @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays;

  /** The key that encrypts the table, the topic and the queues. The functions get permission to use it, SNS by a
   *  statement in the key's policy: if that is not part of the app, you get a warning.
   *  @default - keys of AWS, at no cost */
  readonly encryptionKey?: IKey;

  /** Whether the table and the queues of failed messages are kept when the stack is deleted. `RETAIN` also protects
   *  the table against deletion.
   *  @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy.RETAIN | RemovalPolicy.DESTROY;

  /** An existing table, for example in another stack, for only this Changewire. Its own `encryptionKey` and
   *  `removalPolicy` apply.
   *  @default - a new table */
  readonly snapshots?: SnapshotTable;

  /** The scope of the native subscriptions, of only this Changewire, for example a stack of their own: an unreachable
   *  receiver can fail its deployment.
   *  @default - this construct */
  readonly subscriptionsIn?: Construct;
}

/** How long rows are kept. A change applies to rows that are written from then on. */
export interface KeepProps {
  /** Events, for replays and the journal: 2 to 365 days.
   *  @default - 30 days */
  readonly journal?: Duration | string;

  /** Attempts of deliveries: 1 to 90 days.
   *  @default - 7 days */
  readonly attempts?: Duration | string;
}

/** An interval that depends on what was found: `fastest` after a pass with changes, doubled after each pass without, up
 *  to `slowest`. */
export interface ChangesProps {
  /** The interval after a pass with changes: 5 seconds to 24 hours. */
  readonly fastest: Duration | string;

  /** The longest interval, after many passes without changes: `fastest` to 24 hours. */
  readonly slowest: Duration | string;
}

/** A workspace to poll: one set of credentials on one instance of the service. */
export interface WorkspaceProps {
  /** The name of the workspace in events, logs and table keys: 1 to 64 letters, digits, "-" and "_". A new name is a
   *  new workspace, with a new baseline. */
  readonly name: string;

  /** The URL of the service's API (https://). */
  readonly baseUrl: string;

  /** The URL that issues tokens (https://). */
  readonly authUrl: string;

  /** The audience of token requests, as the service documents it. */
  readonly audience: string;

  /** The name of a secret in Secrets Manager that you create, with the content
   *  `{"clientId": "...", "clientSecret": "..."}`.
   *  @default - `changewire/<name>` */
  readonly credentials?: string;

  /** The maximum number of concurrent requests to the service: 1 to 32. Changewire uses fewer when the service
   *  throttles.
   *  @default 16 */
  readonly concurrency?: number;

  /** The properties that identify records, if the service has unusual names for them.
   *  @default - the usual names */
  readonly identifiers?: IdentifiersProps;

  /** The number of items to request per page, if the responses of the service are too large by default.
   *  @default - 200 projects, 500 tasks, 100 entries of the audit log, 1,000 users */
  readonly pageSize?: PageSizeProps;

  /** `false` if responses of the service have no `Date` header, so that this is not reported as a problem.
   *  @default true */
  readonly dateHeader?: boolean;

  /** The time zone in which the rules of the processes count days, such as `Europe/Berlin`.
   *  @default UTC */
  readonly timeZone?: string;

  /** The URL of a record in the service's web interface, with placeholders, for links in chats.
   *  @default - no links */
  readonly linkTemplate?: string | LinkTemplateProps;

  /** The processes to poll, at least one. */
  readonly processes: readonly ProcessProps[];
}

/** The properties of records that identify them. */
export interface IdentifiersProps {
  /** The identifier of a project.
   *  @default - `id`, `projectId` or `externalId` */
  readonly project?: string;

  /** The identifier of a task.
   *  @default - `id`, `taskId` or `externalId` */
  readonly task?: string;

  /** The identifier of a user.
   *  @default - `id`, `userId` or `externalId` */
  readonly user?: string;
}

/** Items to request per page: 1 to 10,000 each. */
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

/** URLs of projects and tasks in the service's web interface: one of the two, or both. */
export interface LinkTemplateProps {
  /** The URL of a project, with `{projectId}` and optionally `{processId}`.
   *  @default - no links to projects */
  readonly project?: string;

  /** The URL of a task, with `{taskId}` and optionally `{projectId}` and `{processId}`.
   *  @default - no links to tasks */
  readonly task?: string;
}

/** A rule of a process: which event is emitted of which records, and when. */
export interface RuleProps {
  /** The event. */
  readonly event: 'task.due' | 'task.overdue' | 'project.due' | 'project.overdue' | 'project.unchanged';

  /** The field with the date: its property, or its displayed name. Required but for `project.unchanged`.
   *  @default - none */
  readonly field?: string;

  /** How long before the date, with `task.due` and `project.due`: `2d`, `4h` or `30m`.
   *  @default "0d" */
  readonly before?: string;

  /** How long after the last change, required with `project.unchanged`: `14d`, `4h` or `30m`.
   *  @default - none */
  readonly after?: string;

  /** The conditions that the record must meet when its time comes.
   *  @default - any record */
  readonly where?: FilterProps['where'];

  /** Also emits what fell due since this day, such as `2026-05-01`, before the rule existed.
   *  @default - nothing from before */
  readonly since?: string;
}

/** One process to poll. */
export interface ProcessProps {
  /** The service's id of the process: 1 to 128 printable characters, no spaces. */
  readonly id: string;

  /** How far before the previous pass each `changes` pass begins to read, to cover clock differences and edits that
   *  appear late: a second to a day.
   *  @default "120s" */
  readonly overlap?: Duration | string;

  /** Fields that do not cause an event when only they change, in addition to the usual update timestamps.
   *  @default [] */
  readonly ignoreFields?: readonly string[];

  /** Fields that are dropped as soon as they are read: names of properties, or the `externalId`s of custom fields.
   *  @default - none */
  readonly withhold?: readonly string[];

  /** `false` if the credentials may not read the audit log, which is then not read.
   *  @default true */
  readonly auditLog?: boolean;

  /** Whether each new entry of the audit log is emitted as `audit.recorded`.
   *  @default false */
  readonly audit?: boolean;

  /** When events of due dates and silence are emitted.
   *  @default - none: no such events */
  readonly rules?: readonly RuleProps[];

  /** How often this process is polled for changes.
   *  @default - `changes` of the construct */
  readonly changes?: Duration | string | ChangesProps;

  /** How often this process is swept, which finds deletions: a minute to 24 hours.
   *  @default - `sweep` of the construct */
  readonly sweep?: Duration | string;
}
