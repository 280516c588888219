import { parseHttpDate, parseRetryAfter } from '../http-date.ts';
import type { Answer, NoAnswer } from './post.ts';

/** What an attempt came to. `reason` names neither URL nor address. */
export type Outcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** Too much for it: what else waits for this endpoint is not even tried. `retryAfter` in ms, when it said so. */
  | { readonly kind: 'slowed'; readonly reason: string; readonly retryAfter: number | undefined }
  /** It wants no more, ever. */
  | { readonly kind: 'gone'; readonly reason: string };

const SLOW_DOWN = new Set([429, 502, 503, 504]);

/** Reads an answer as Standard Webhooks does: 2xx delivered, 410 gone, 429 and gateway troubles slow down, all else failed. */
export function outcomeOf(answer: Answer | NoAnswer): Outcome {
  if ('why' in answer) return { kind: 'failed', reason: answer.why };
  const { status, at } = answer;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const reason = `answered ${status}`;
  if (status === 410) return { kind: 'gone', reason };
  if (status >= 300 && status < 400)
    return { kind: 'failed', reason: `${reason}: redirects are not followed` };
  if (!SLOW_DOWN.has(status)) return { kind: 'failed', reason };
  // By its own clock where it shows one: a date counts from there.
  const now = parseHttpDate(answer.date) ?? at;
  return { kind: 'slowed', reason, retryAfter: parseRetryAfter(answer.retryAfter, now) };
}
