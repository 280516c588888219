import { randomUUID } from 'node:crypto';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { PostResult } from './http.ts';
import { handshake, type Outgoing, type Sender } from './messages.ts';

const LONGEST_PAUSE = 20_000;

/** Posts the SubscriptionConfirmation until `signal` aborts, as it does when the subscription is
 *  confirmed. Each try has the same message id, as SNS's retries have. `onPending` is told why it is
 *  still pending, once per reason. */
export async function askForConfirmation(how: {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
  post(outgoing: Outgoing): Promise<PostResult>;
  onPending(reason: string): void;
}): Promise<void> {
  const messageId = randomUUID();
  let told: string | undefined;
  for (let pause = 1000; !how.signal.aborted; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
    const timestamp = new Date(how.clock()).toISOString();
    const result = await how.post(
      await handshake(how.sender, 'SubscriptionConfirmation', { messageId, timestamp }),
    );
    if (how.signal.aborted) return;
    const taken = result.outcome === 'delivered';
    const reason = taken ? 'took the confirmation, but has not visited its SubscribeURL' : result.reason;
    // Many receivers answer first and visit the URL afterwards: after the first try that is not reported.
    const early = taken && pause === 1000;
    if (reason !== told && !early) {
      told = reason;
      how.onPending(reason);
    }
    await how.sleep(taken ? Math.max(pause, 5000) : pause, how.signal).catch(() => {});
  }
}
