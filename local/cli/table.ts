import type { ProcessKey } from '../../functions/basics/process.ts';
import type { Publish } from '../../functions/handlers/create-publish.ts';
import type { JournalReader, ProcessReader, Roster, Snapshots } from '../../functions/store/store.ts';
import type { Closers } from '../basics/closers.ts';
import type { Output } from '../basics/output.ts';
import { sleep } from '../basics/sleep.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import type { Store } from '../data/store.ts';
import { startJournalFeed } from '../feed/journal-feed.ts';
import type { Feed } from '../stream/rounds.ts';

/** Where passes keep their state, and what carries their change records to `publish`. */
export interface Table {
  readonly snapshots: Snapshots;
  feed(publish: Publish): Feed;
  /** What people can see of these processes: their state, and what was told. */
  looks(processes: readonly ProcessKey[]): {
    readonly states: ProcessReader;
    readonly journal: JournalReader;
    readonly roster: Roster;
  };
}

export interface TableHouse {
  readonly closers: Closers;
  readonly directory: DataDirectory;
  readonly output: Output;
}

/** The store's own table. */
export function sqliteTable(
  { closers, output }: TableHouse,
  { snapshots, journal, reader, states, roster }: Store,
): Table {
  let wake = () => {};
  return {
    snapshots: {
      ...snapshots,
      async commit(...request) {
        const result = await snapshots.commit(...request);
        wake();
        return result;
      },
    },
    looks: () => ({ states, roster, journal: reader }),
    feed: publish => {
      const feed = startJournalFeed({ journal, publish, sleep, onNotice: output.warn });
      wake = feed.wake;
      closers.add(feed.stop);
      return feed;
    },
  };
}
