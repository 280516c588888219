import type { ProcessProps } from './process.ts';

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

  /** `false` for a service whose answers have no `Date` header, so that nobody is told.
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
