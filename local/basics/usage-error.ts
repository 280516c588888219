/** The command line or the environment is invalid; the message has the remedy. */
export class UsageError extends Error {}

/** The reason of a failure, as part of a sentence. */
export function failure(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
