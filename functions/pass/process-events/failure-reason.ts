import { ServiceError } from '../../service/errors.ts';
import { TooLargeError } from './too-large.ts';

/** About as long as people read at a glance. */
const LONGEST = 300;

/** Why something failed, in words that subscribers may read. The service client removes secrets from its errors; other errors
 *  (of AWS, or our own) may show internals, and stay in the log. */
export function failureReason(error: unknown): string {
  const isToBeRead = error instanceof ServiceError || error instanceof TooLargeError;
  if (!isToBeRead) return 'The poller itself failed; its log says why.';
  const text = error.message.toWellFormed();
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}
