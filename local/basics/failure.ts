/** Why something failed, as part of a sentence. */
export function failure(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
