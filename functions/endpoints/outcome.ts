import { parseHttpDate, parseRetryAfter } from '../basics/http-date.ts';
import type { Answer, NoAnswer } from './post.ts';

/** Why an attempt failed. `reason` names neither URL nor address; `said` is what the endpoint answered, where that is looked at. */
export interface Failure {
  readonly reason: string;
  readonly said?: string | undefined;
}

/** What an attempt came to. */
export type Outcome =
  | { readonly kind: 'delivered' }
  | ({ readonly kind: 'failed' } & Failure)
  /** Too much for it: what else waits for this endpoint is not even tried. `retryAfter` in ms, when it said so. */
  | ({ readonly kind: 'slowed'; readonly retryAfter: number | undefined } & Failure)
  /** It wants no more, ever. */
  | ({ readonly kind: 'gone' } & Failure);

const SLOW_DOWN = new Set([429, 502, 503, 504]);

/** Reads an answer as Standard Webhooks does: 2xx delivered, 410 gone, 429 and gateway troubles slow down, all else failed. */
export function outcomeOf(answer: Answer | NoAnswer): Outcome {
  if ('why' in answer) return { kind: 'failed', reason: answer.why };
  const { status, at } = answer;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const redirected = status >= 300 && status < 400 ? ': redirects are not followed' : '';
  const failure = {
    reason: `answered ${status}${redirected}`,
    ...(answer.said !== undefined && { said: answer.said }),
  };
  if (status === 410) return { kind: 'gone', ...failure };
  if (!SLOW_DOWN.has(status)) return { kind: 'failed', ...failure };
  // By its own clock where it shows one: a date counts from there.
  const now = parseHttpDate(answer.date) ?? at;
  return { kind: 'slowed', ...failure, retryAfter: parseRetryAfter(answer.retryAfter, now) };
}
