import type { Subject } from './actions.ts';

/** What an operation came to, and what of it is written down: undefined when nothing was done. */
export interface Done<Answer> {
  readonly answer: Answer;
  readonly action: { readonly subject: Subject; readonly details?: string | undefined } | undefined;
}

/** Something was done to an endpoint. `details` are of known names, times and numbers alone: never what was typed. */
export function didTo<Answer>(
  endpoint: string,
  answer: Answer,
  details: readonly string[] = [],
): Done<Answer> {
  const text = details.length > 0 ? { details: details.join(', ') } : {};
  return { answer, action: { subject: { endpoint }, ...text } };
}

/** Something was done to what belongs to no one endpoint or process. */
export function didToStack<Answer>(answer: Answer, details: string): Done<Answer> {
  return { answer, action: { subject: { stack: true }, details } };
}

/** Nothing was. */
export function only<Answer>(answer: Answer): Done<Answer> {
  return { answer, action: undefined };
}
