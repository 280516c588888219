import { parseRetryAfter, plausibleDate } from '../basics/http-date.ts';
import {
  CHECK_NETWORK,
  isPassing,
  type Scope,
  ServiceAnswerError,
  type ServiceError,
  ServiceStatusError,
  ServiceUnreachableError,
} from './errors.ts';
import type { HttpAnswer, HttpFailure } from './send-once.ts';

/** One failed try, and what may be done about it. */
export interface Failure {
  /** Failures of one kind are counted together. */
  readonly kind: string;
  /** After how many failures of this kind to give up. */
  readonly tries: number;
  /** What the service asks to wait, in ms. */
  readonly retryAfter?: number | undefined;
  /** True when asking for less may help (service-api.md §7: the status of an oversized response is unspecified). */
  readonly mayBeSize: boolean;
  /** The error to throw; `ending` gives the reason for the end of the retries. */
  error(ending: string): ServiceError;
}

/** A request that is being tried: its method and path, whom its errors concern, and how often it is tried. */
export interface Trying {
  readonly request: string;
  readonly scope: Scope;
  readonly maxAttempts: number;
  /** True: give up early on failures that a smaller page may avoid. */
  readonly brief: boolean;
}

const BRIEF_TRIES = 2;
const MALFORMED_TRIES = 3;
const BETWEEN = 'check the address, and what answers between (a proxy, a sign-in page)';
const NEVER_SIZE = new Set([401, 403, 404, 410, 429]);

/** A request that got no whole answer. `limits` are named in the error. `isSilent`: nor did any other since
 *  it was sent, or it got none before; it is not tried again, because the next try would take as long. */
export function exchangeFailure(
  trying: Trying,
  failure: HttpFailure,
  limits: { timeout: number; maxBodyBytes: number },
  isSilent = false,
): Failure {
  if (failure.why === 'damaged') {
    const found = `a body that is not completely in its content-encoding (${failure.code})`;
    return malformedFailure(trying, found);
  }
  if (failure.why === 'too large' || failure.why === 'inflates too large') {
    const where = {
      path: '$',
      expected: `a body of at most ${limits.maxBodyBytes} bytes`,
      found: failure.why === 'too large' ? 'a larger one' : 'a compressed one that inflates to more',
    };
    return {
      kind: 'too large',
      tries: 1,
      mayBeSize: true,
      error: () => new ServiceAnswerError(trying.request, where, trying.scope),
    };
  }
  const slowBody = failure.why === 'time-out' && failure.during === 'body';
  const what = {
    network: `the connection failed (${failure.code})`,
    'time-out': `no ${slowBody ? 'whole body' : 'answer'} within ${limits.timeout} ms`,
  }[failure.why];
  return {
    kind: slowBody ? 'slow body' : 'network',
    tries: isSilent ? 1 : slowBody && trying.brief ? BRIEF_TRIES : trying.maxAttempts,
    mayBeSize: slowBody,
    error: ending => new ServiceUnreachableError(trying.request, `${what}${ending}; ${CHECK_NETWORK}`),
  };
}

/** A status other than 2xx (service-api.md §7). `now` is our clock, for a `Retry-After` without a `Date` beside it. */
export function statusFailure(trying: Trying, answer: HttpAnswer, now: number): Failure {
  const { status } = answer;
  const retryAfter = retryAfterOf(answer, now);
  // A `Retry-After` shows an overload, not of a page that is too large.
  const impatient = trying.brief && status !== 429 && retryAfter === undefined;
  return {
    kind: status === 429 ? 'rate limit' : 'status',
    tries: isPassing(status) ? (impatient ? BRIEF_TRIES : trying.maxAttempts) : 1,
    retryAfter,
    mayBeSize: status >= 400 && !NEVER_SIZE.has(status) && !isLong(retryAfter),
    error: ending => {
      const asked = isLong(retryAfter) ? retryAfter : undefined;
      return new ServiceStatusError(
        trying.request,
        status,
        `${remedy(status)}${ending}`,
        trying.scope,
        asked,
      );
    },
  };
}

/** The longest wait within a run, in ms. For a longer one the run would be paid for, and others could not run. */
export const MAX_WAIT_MS = 20_000;

function isLong(retryAfter: number | undefined): boolean {
  return retryAfter !== undefined && retryAfter > MAX_WAIT_MS;
}

/** ms that an overloaded service asks to wait. `now` as above. */
export function retryAfterOf({ status, date, retryAfter }: HttpAnswer, now: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  return parseRetryAfter(retryAfter, plausibleDate(date, now) ?? now);
}

/** A 2xx whose body is not JSON: mostly a page of something on the way, or a body cut short. `found` is safe
 *  to print. */
export function malformedFailure(trying: Trying, found: string): Failure {
  return {
    kind: 'malformed',
    tries: Math.min(MALFORMED_TRIES, trying.maxAttempts),
    mayBeSize: false,
    error: ending => {
      const where = { path: '$', expected: 'JSON', found: `${found}${ending}; ${BETWEEN}` };
      return new ServiceAnswerError(trying.request, where, trying.scope);
    },
  };
}

function remedy(status: number): string {
  if (status === 304) return 'nothing was asked for that could be unmodified; check what caches on the way';
  if (status < 400) return 'redirects are not followed; check the base address';
  if (status === 401) return 'the credentials are refused; check client id, secret, audience and instance';
  if (status === 403) return 'access is denied; check what the credentials may read';
  if (status === 404) return 'there is no such thing; check the identifiers and the base address';
  if (status === 429) return 'the rate limit is exceeded';
  return status < 500 ? 'the request is refused' : 'the service failed';
}
