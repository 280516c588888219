const MISSING = new Set(['ResourceNotFoundException', 'AccessDeniedException']);

/** Whether Secrets Manager says so of a secret that is not there. Who may read only certain secrets, by their ARNs, is denied
 *  one that has no ARN yet. */
export function isMissingSecret(error: unknown): error is Error {
  return error instanceof Error && MISSING.has(error.name);
}
