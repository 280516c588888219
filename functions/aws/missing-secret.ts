const MISSING = new Set(['ResourceNotFoundException', 'AccessDeniedException']);

/** Whether an error of Secrets Manager means that a secret is missing. Denied access counts: whoever may read
 *  certain secrets only, by their ARNs, is denied one that has no ARN yet. */
export function isMissingSecret(error: unknown): error is Error {
  return error instanceof Error && MISSING.has(error.name);
}
