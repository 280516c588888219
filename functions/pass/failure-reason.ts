import { ServiceError } from '../service/errors.ts';
import { TooLargeError } from './commit-changes.ts';
import { TaskListMissingError } from './task-list-missing-error.ts';

/** Up to a hundred of them stand in one item of the table. */
const LONGEST = 300;

/** Why something failed, in words that subscribers may read. The service client hides secrets in its errors; other errors
 *  (of AWS, or our own) tell of our house, and stay in the log. */
export function failureReason(error: unknown): string {
  const isToBeRead =
    error instanceof ServiceError || error instanceof TooLargeError || error instanceof TaskListMissingError;
  if (!isToBeRead) return 'The poller itself failed; its log says why.';
  const text = error.message.toWellFormed();
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}
