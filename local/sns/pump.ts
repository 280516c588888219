import type { Sleep } from '../../functions/clock.ts';
import type { Feed, FeedMessage } from './emulator.ts';
import { Settlements } from './settlements.ts';
import type { Slots } from './slots.ts';

/** Carries messages from a feed to an endpoint, several at once and in no order, as SNS does. */
export interface Pump {
  /** Resolves when everything now in the feed is settled; rejects when the pump's signal aborts first. */
  idle(): Promise<void>;
}

/** Starts pumping until `signal` aborts. `handle` resolves when a message needs nothing more; when it rejects, the message
 *  is handled again, since nothing may be lost to a full disk. */
export function startPump(how: {
  readonly feed: Feed;
  readonly slots: Slots;
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
  handle(message: FeedMessage): Promise<void>;
  onTrouble(error: unknown): void;
}): Pump {
  const { feed, signal } = how;
  const settlements = new Settlements();

  /** Runs `work` until it succeeds or the pump stops. */
  async function persist(work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) return;
        how.onTrouble(error);
        await how.sleep(1000, signal).catch(() => {});
      }
    }
  }

  async function settle(message: FeedMessage): Promise<void> {
    await persist(() => how.handle(message));
    await persist(async () => {
      await feed.settle(message);
      settlements.settled(message.id);
    });
  }

  async function take(): Promise<void> {
    await how.slots.available();
    const room = Math.max(1, Math.min(10, how.slots.free));
    for (const message of await feed.receive(room, signal)) void settle(message);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) await persist(take);
  }
  void run();
  return { idle: () => settlements.waitFor(() => feed.waiting(), signal) };
}
