import type { ProcessKey } from '../basics/process.ts';
import type { ChangeEvent } from '../changes/event.ts';

/** An event as it was committed. */
export interface JournalEntry {
  readonly event: ChangeEvent;
  /** When it was committed, by our clock, in ms since 1970. */
  readonly at: number;
}

/** One that was looked for by its id. */
export interface FoundEntry extends JournalEntry {
  /** Whether it was published; undefined where the journal does not know. */
  readonly isPublished?: boolean | undefined;
}

/** What of the journal is read, in ms since 1970 by our clock. */
export interface Stretch {
  /** Committed then, or later. */
  readonly since: number;
  /** Committed before. */
  readonly until: number;
  /** Behind this position of an earlier slice of the same stretch; undefined: from its beginning. */
  readonly position?: string | undefined;
}

/** Some of a stretch. */
export interface JournalSlice {
  readonly entries: readonly JournalEntry[];
  /** Where the next slice begins; undefined: there is none. */
  readonly position: string | undefined;
}

/** A stretch in the order of its commits, or backwards. */
export interface Search extends Pick<Stretch, 'since' | 'until'> {
  readonly order: 'newest-first' | 'oldest-first';
  /** Those of these processes alone; undefined: of all. */
  readonly processes?: readonly ProcessKey[] | undefined;
  /** At this record of an earlier search, and on, in the same order; undefined: from the beginning. */
  readonly from?: string | undefined;
}

/** A change record. */
export interface JournalRecord {
  /** Its place in the order of all, for a search that goes on `from` there. */
  readonly position: string;
  readonly at: number;
  /** Whether it is of this project; no other is looked at any further. */
  isOf(projectId: string): boolean;
  /** In the order in which they are told. */
  events(): ChangeEvent[];
}

/** The events of the last 30 days, as people look for them. */
export interface JournalReader {
  /** The next events, each process's in the order of their commits: those of at most `limit` change records. */
  read(stretch: Stretch, limit: number): Promise<JournalSlice>;
  /** The change records of all processes by the time of their commit, read a page at a time as they are asked for: so a search may be left
   *  at any record, and gone on with `from` there. @throws TypeError for a `from` that is no position */
  search(search: Search): AsyncIterable<JournalRecord>;
  find(eventId: string): Promise<FoundEntry | undefined>;
}
