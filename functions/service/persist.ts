import type { Clock, Random, Sleep } from '../basics/clock.ts';
import { DeadlineError, type ServiceError } from './errors.ts';
import { type Failure, MAX_WAIT_MS } from './failures.ts';

/** What one try gave. */
export type Try<Value> = { readonly value: Value } | { readonly failure: Failure };

/** What all tries gave: the value, or the last failure's error. */
export type Outcome<Value> =
  | { readonly value: Value }
  | { readonly error: ServiceError; readonly mayBeSize: boolean };

/** How tries are spread over time. `deadline` in ms since 1970 by `clock`; it may move while we wait. */
interface Pacing {
  readonly clock: Clock;
  readonly random: Random;
  readonly sleep: Sleep;
  readonly closing: AbortSignal;
  readonly maxAttempts: number;
  deadline(): number;
  /** Called for each failure that is retried. */
  onRetry?(met: ServiceError): void;
}

const FIRST_WAIT = 500;
const MAX_WAIT = 20_000;

/**
 * Tries until it works, until one kind of failure has used up its tries, or until the next wait would be too
 * long or pass the deadline. Waits as long as the service asks, else by exponential backoff with full jitter.
 * undici's retry interceptor doesn't serve here: it knows no deadline and no fresh token, waits by its own
 * timers, and joins the halves of two answers.
 */
export async function persist<Value>(
  request: string,
  pacing: Pacing,
  once: (attempt: number) => Promise<Try<Value>>,
): Promise<Outcome<Value>> {
  const failed = new Map<string, number>();
  let last: Failure | undefined;
  for (let attempt = 1; ; attempt += 1) {
    assertNotClosed(request, pacing);
    const result = await inTime(request, pacing, () => once(attempt), last);
    if (!('failure' in result)) return result;
    const { failure } = result;
    last = failure;
    assertNotClosed(request, pacing);
    const same = (failed.get(failure.kind) ?? 0) + 1;
    failed.set(failure.kind, same);
    if (same >= failure.tries || attempt >= pacing.maxAttempts) {
      const ending = attempt > 1 ? ` (${attempt} attempts)` : '';
      return { error: failure.error(ending), mayBeSize: failure.mayBeSize };
    }
    const wait = failure.retryAfter || backoff(attempt, pacing.random);
    if (wait > MAX_WAIT_MS) {
      const seconds = Math.ceil(wait / 1000);
      const ending = ` (attempt ${attempt}; the service asks to wait ${seconds} s)`;
      return { error: failure.error(ending), mayBeSize: false };
    }
    if (pacing.clock() + wait >= pacing.deadline()) {
      const ending = ` (attempt ${attempt}; the next, after ${Math.ceil(wait)} ms, would pass the deadline)`;
      return { error: failure.error(ending), mayBeSize: false };
    }
    pacing.onRetry?.(failure.error(` (attempt ${attempt})`));
    await pause(request, pacing, wait);
  }
}

/** One try. If the deadline ends it after an earlier failure, that failure is the result: the caller must see
 *  that the service fails, not that there was too little time. */
async function inTime<Value>(
  request: string,
  pacing: Pacing,
  once: () => Promise<Try<Value>>,
  before: Failure | undefined,
): Promise<Try<Value> | Outcome<Value>> {
  try {
    if (pacing.clock() >= pacing.deadline()) throw new DeadlineError(request);
    return await once();
  } catch (error) {
    if (!before || !(error instanceof DeadlineError)) throw error;
    return { error: before.error(' (the deadline of the pass ended the next attempt)'), mayBeSize: false };
  }
}

function backoff(attempt: number, random: Random): number {
  return random() * Math.min(MAX_WAIT, FIRST_WAIT * 2 ** (attempt - 1));
}

/** A stop of the run shows nothing of the service: the pass is cut off, as at its deadline. */
function assertNotClosed(request: string, pacing: Pacing): void {
  if (pacing.closing.aborted) throw new DeadlineError(request, 'the connection is closed');
}

async function pause(request: string, pacing: Pacing, ms: number): Promise<void> {
  try {
    await pacing.sleep(ms, pacing.closing);
  } catch (error) {
    assertNotClosed(request, pacing);
    throw error;
  }
}
