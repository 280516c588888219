import type { Publish } from '../../functions/create-publish.ts';
import type { Snapshots } from '../../functions/snapshots/snapshots.ts';
import { startJournalFeed } from '../feed/journal-feed.ts';
import type { Feed } from '../feed/rounds.ts';
import type { Closers } from './closers.ts';
import type { DataDirectory } from './data-directory.ts';
import type { Output } from './output.ts';
import { sleep } from './sleep.ts';
import type { Store } from './store.ts';

/** What passes keep, and what carries their change records to `publish`. */
export interface Table {
  readonly snapshots: Snapshots;
  feed(publish: Publish): Feed;
}

export interface TableHouse {
  readonly closers: Closers;
  readonly directory: DataDirectory;
  readonly output: Output;
}

/** The store's own table. */
export function sqliteTable({ closers, output }: TableHouse, { snapshots, journal }: Store): Table {
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
    feed: publish => {
      const feed = startJournalFeed({ journal, publish, sleep, onNotice: output.warn });
      wake = feed.wake;
      closers.add(feed.stop);
      return feed;
    },
  };
}
