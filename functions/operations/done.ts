import type { Subject } from '../store/actions.ts';

/** The answer of an operation, and the action to write down; undefined when nothing was done. */
export interface Done<Answer> {
  readonly answer: Answer;
  readonly action: { readonly subject: Subject; readonly details?: string | undefined } | undefined;
}

/** An action on an endpoint. `details` may hold known names, times and numbers, but nothing that was
 *  typed. */
export function didTo<Answer>(
  endpoint: string,
  answer: Answer,
  details: readonly string[] = [],
): Done<Answer> {
  const text = details.length > 0 ? { details: details.join(', ') } : {};
  return { answer, action: { subject: { endpoint }, ...text } };
}

/** An action on neither an endpoint nor a process. */
export function didToStack<Answer>(answer: Answer, details: string): Done<Answer> {
  return { answer, action: { subject: { stack: true }, details } };
}

/** Nothing was done. */
export function only<Answer>(answer: Answer): Done<Answer> {
  return { answer, action: undefined };
}
