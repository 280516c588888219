/** The command line or the environment can't be followed; the message says what to change. */
export class UsageError extends Error {}

/** Why something failed, as part of a sentence. */
export function failure(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
