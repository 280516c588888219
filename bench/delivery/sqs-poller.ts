import { randomUUID } from 'node:crypto';
import type { Sleep } from '../../functions/basics/clock.ts';
import type { Queue, Serve } from '../../functions/queue/queue.ts';

export interface PollerOptions {
  readonly queue: Queue;
  readonly deliver: Serve;
  readonly sleep: Sleep;
  /** Invocations at once; 2 by default. */
  readonly concurrency?: number;
  /** ms that one invocation may take. */
  readonly timeLimit?: number;
  /** Called when receiving or the handler failed; it continues after a second. */
  readonly onTrouble: (error: unknown) => void;
}

export interface Poller {
  /** Receives nothing more. Resolves when the invocations under way have ended. */
  stop(): Promise<void>;
}

/** The most messages of one receive, and so of one invocation. */
const BATCH = 10;
const TIME_LIMIT_MS = 120_000;
const EMPTY_PAUSE_MS = 10;

/** The event source mapping of `deliver.ts`: hands it one queue's messages, and deletes those that it does not return.
 *  When the handler throws, all of them are shown again after the visibility time-out. */
export function startPoller(options: PollerOptions): Poller {
  const stopping = new AbortController();
  const loops = Array.from({ length: options.concurrency ?? 2 }, () => loop(options, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function loop(options: PollerOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!(await turn(options))) await options.sleep(EMPTY_PAUSE_MS, signal).catch(() => {});
    } catch (error) {
      options.onTrouble(error);
      await options.sleep(1000, signal).catch(() => {});
    }
  }
}

/** @returns false when there was nothing to do */
async function turn({ queue, deliver, timeLimit = TIME_LIMIT_MS }: PollerOptions): Promise<boolean> {
  const messages = await queue.receive(BATCH);
  if (messages.length === 0) return false;
  const until = Date.now() + timeLimit;
  const again = await deliver(
    { messages, queue },
    { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => until - Date.now() },
  );
  await queue.delete(messages.filter(({ id }) => !again.includes(id)));
  return true;
}
