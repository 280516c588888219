import { ServiceError } from '../service/errors.ts';
import { TornSnapshotError } from '../store/store.ts';

/** About as long as people read at a glance. */
const MAX_LENGTH = 300;

/** Why something failed, in words that subscribers may read. The service client removes secrets from its
 *  errors; other errors (of AWS, or our own) may show internals, and stay in the log. */
export function failureReason(error: unknown): string {
  const isToBeRead = error instanceof ServiceError || error instanceof TooLargeError;
  if (!isToBeRead) return 'The poller itself failed; see its log.';
  const text = error.message.toWellFormed();
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH).toWellFormed()}…`;
}

/** A project that is too large for one transaction. */
export class TooLargeError extends Error {
  readonly scope = 'project';

  constructor(processId: string, projectId: string) {
    super(
      `Project ${projectId} of process ${processId} is too large to commit: its record and tasks, compressed, exceed the ` +
        '4 MB of one DynamoDB transaction. Split the project in the service.',
    );
  }
}

/** The task list of a listed project answers 404 though the project had tasks. They may be gone, or the
 *  service may be at fault: that is not known. Subscribers may read the message. */
export class TaskListMissingError extends Error {
  readonly scope = 'project';

  constructor(projectId: string) {
    super(
      `Project ${projectId} is listed, but its task list answers 404. Its tasks are left as they were; see in the service ` +
        'whether they can be opened there.',
    );
  }
}

/** True for an error that concerns one project alone, unlike a refused token, a rate limit or a service that
 *  can't be reached. */
export function isOfOneProject(error: unknown): error is Error {
  return error instanceof Error && 'scope' in error && error.scope === 'project';
}

/** Ignores a torn snapshot: the fault of one project must not stop the work on others.
 *  @throws all other errors */
export function ifTorn(error: unknown): undefined {
  if (!(error instanceof TornSnapshotError)) throw error;
}
