import type { Sleep } from '../../functions/basics/clock.ts';
import type { Publish } from '../../functions/handlers/create-publish.ts';
import { type Journal, PUBLISHER } from '../../functions/store/sqlite/journal.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { publishAll } from './publish-all.ts';
import { type Feed, startRounds } from './rounds.ts';
import { streamRecord } from './stream-record.ts';

export interface JournalFeedOptions {
  readonly journal: Journal;
  /** `functions/publish.ts`. */
  readonly publish: Publish;
  readonly sleep: Sleep;
  /** One line for people: publishing fails, or works again. */
  readonly onNotice: (text: string) => void;
  /** How often the journal is read when it is quiet, in ms. */
  readonly interval?: number;
}

/** Change records handed over at once: no more than the stack's event source takes. */
const BATCH = 100;
const INTERVAL_MS = 1_000;

/** The same snapshots; `wake` is called after each commit that has events. */
export function waking(snapshots: Snapshots, wake: () => void): Snapshots {
  const woken: Snapshots = {
    ...snapshots,
    until: () => woken,
    commit: async (process, request) => {
      const result = await snapshots.commit(process, request);
      if (request.events.length > 0) wake();
      return result;
    },
    announce: async (...request) => {
      const result = await snapshots.announce(...request);
      wake();
      return result;
    },
  };
  return woken;
}

/**
 * The event source of `publish.ts` on one machine: hands it the change records in the order of their
 * commits. A row in the same file says how far it is, and moves on when records are taken: after a crash
 * in between they are published again.
 */
export function startJournalFeed(options: JournalFeedOptions): Feed {
  const { journal, publish, sleep, onNotice, interval = INTERVAL_MS } = options;
  return startRounds({
    what: 'The journal',
    sleep,
    onNotice,
    interval,
    async round(fails, signal) {
      const changes = journal.after(journal.positionOf(PUBLISHER), BATCH);
      const last = changes.at(-1);
      if (last === undefined) return false;
      const onFailure = (error: unknown, left: number) =>
        fails(`${left} change records are not published`, error);
      await publishAll(changes.map(streamRecord), { publish, sleep, signal, onFailure });
      journal.moveTo(PUBLISHER, last.position);
      return true;
    },
  });
}
