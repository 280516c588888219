import type { Sleep } from '../../functions/clock.ts';
import type { PostResult } from './http.ts';
import type { Slots } from './slots.ts';

/** SNS's default for HTTP endpoints, in ms: "up to three retries with a delay between failed attempts set at 20 seconds".
 *  The four phases with 50 attempts and more are for SMTP, SMS, push, SQS and Lambda endpoints. */
export const snsRetryDelays: readonly number[] = [20_000, 20_000, 20_000];

/** How one message's delivery ended, and after how many attempts. */
export type DeliveryResult = PostResult & { readonly attempts: number };

/** Attempts until the endpoint takes the message, refuses it for good, or the retries are used up. Waiting for a retry
 *  holds no slot. Rejects only when `signal` aborts. */
export async function deliver(
  post: () => Promise<PostResult>,
  how: {
    readonly retryDelays: readonly number[];
    readonly slots: Slots;
    readonly sleep: Sleep;
    readonly signal: AbortSignal;
    onRetry(reason: string, attempts: number, delay: number): void;
  },
): Promise<DeliveryResult> {
  for (let attempts = 1; ; attempts++) {
    const result = await how.slots.run(post);
    how.signal.throwIfAborted();
    const delay = how.retryDelays[attempts - 1];
    if (result.outcome !== 'failed' || delay === undefined) return { ...result, attempts };
    how.onRetry(result.reason, attempts, delay);
    await how.sleep(delay, how.signal);
  }
}
