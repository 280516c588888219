import { parseHttpDate, parseRetryAfter } from '../../basics/http-date.ts';
import type { EndpointSecret } from '../../model/endpoint.ts';
import type { Answer, NoAnswer } from './post.ts';
import { quote } from './quote.ts';

/** Why an attempt failed. `reason` names neither URL nor address; `quote` is the first line of the endpoint's
 *  answer, unless that repeats something secret. */
export interface Failure {
  readonly reason: string;
  readonly quote?: string | undefined;
}

export type Outcome =
  | { readonly kind: 'delivered' }
  | ({ readonly kind: 'failed' } & Failure)
  /** The endpoint is overloaded or down: further deliveries wait, untried. `retryAfter` in ms, if given. */
  | ({ readonly kind: 'slowed'; readonly retryAfter: number | undefined } & Failure)
  /** The endpoint wants no more events, ever. */
  | ({ readonly kind: 'gone' } & Failure);

const SLOW_DOWN = new Set([429, 502, 503, 504]);

/** Judges an answer by Standard Webhooks: 2xx is delivered, 410 gone, 429 and 502 to 504 ask to slow down,
 *  all else failed. */
export function outcomeOf(answer: Answer | NoAnswer, secret: EndpointSecret): Outcome {
  if ('why' in answer) return { kind: 'failed', reason: answer.why };
  const { status, at, mail } = answer;
  if (!mail && status >= 200 && status < 300) return { kind: 'delivered' };
  const redirected = status >= 300 && status < 400 ? ': redirects are not followed' : '';
  const quoted = quote(answer.body ?? '', secret);
  if (mail) {
    const failure = {
      reason: `answered ${status}: ${mail.reason}`,
      ...(quoted !== undefined && { quote: quoted }),
    };
    return mail.isTemporary
      ? { kind: 'slowed', ...failure, retryAfter: undefined }
      : { kind: 'failed', ...failure };
  }
  const failure = {
    reason: `answered ${status}${redirected}`,
    ...(quoted !== undefined && { quote: quoted }),
  };
  if (status === 410) return { kind: 'gone', ...failure };
  if (!SLOW_DOWN.has(status)) return { kind: 'failed', ...failure };
  // A `Retry-After` with a date counts from the endpoint's own `Date`, where it sends one.
  const now = parseHttpDate(answer.date) ?? at;
  return { kind: 'slowed', ...failure, retryAfter: parseRetryAfter(answer.retryAfter, now) };
}

/** Whether the endpoint takes nothing now: then no delivery is to blame. */
export function isDown(answer: Answer | NoAnswer): boolean {
  if ('why' in answer) return true;
  return answer.mail ? answer.mail.isTemporary : answer.status === 429 || answer.status >= 500;
}
