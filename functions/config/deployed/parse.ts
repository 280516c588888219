import * as z from 'zod';

/** JSON in a text, such as a variable of an environment. */
export const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue('expected JSON');
    return z.NEVER;
  }
});

/** An issue in words, without what was typed: zod's message quotes unknown keys, and a long one, or one with
 *  more than letters, may be a secret. */
export function told(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  return `unknown keys: ${issue.keys.map(key => (/^[A-Za-z]{1,16}$/.test(key) ? key : 'another')).join(', ')}`;
}
