import type { ProcessKey } from '../basics/process.ts';
import type { ChangeEvent } from '../model/event.ts';

/** An event as it was committed. */
export interface JournalEntry {
  readonly event: ChangeEvent;
  /** When it was committed, by our clock, in ms since 1970. */
  readonly at: number;
}

/** An event that was found by its id. */
export interface FoundEntry extends JournalEntry {
  /** Whether it was published to the topic; undefined where the journal doesn't know. */
  readonly isPublished?: boolean | undefined;
}

/** The part of the journal to read, in ms since 1970 by our clock. */
export interface Stretch {
  /** Committed at this time or later. */
  readonly since: number;
  /** Committed before this time. */
  readonly until: number;
  /** After this position of an earlier slice of the same stretch; undefined: from its beginning. */
  readonly position?: string | undefined;
}

/** The next events of a stretch. */
export interface JournalSlice {
  readonly entries: readonly JournalEntry[];
  /** Where the next slice begins; undefined after the last one. */
  readonly position: string | undefined;
}

/** A stretch to search, in the order of commits or backwards. */
export interface Search extends Pick<Stretch, 'since' | 'until'> {
  readonly order: 'newest-first' | 'oldest-first';
  /** Only these processes; undefined: all. */
  readonly processes?: readonly ProcessKey[] | undefined;
  /** Begins with this record of an earlier search in the same order; undefined: at the beginning. */
  readonly from?: string | undefined;
}

/** A change record. */
export interface JournalRecord {
  /** Its place among all records, for a later search that begins there. */
  readonly position: string;
  readonly at: number;
  /** Whether it belongs to this project. Without that, its events need not be decoded. */
  isOf(projectId: string): boolean;
  /** Its events in the order in which they are published. */
  events(): ChangeEvent[];
}

/** The events of the last 30 days, for people who look for some. */
export interface JournalReader {
  /** The next events of a stretch, those of at most `limit` change records; each process's in the order of
   *  its commits. */
  read(stretch: Stretch, limit: number): Promise<JournalSlice>;
  /** The change records of all processes by the time of their commit. They are read page by page as they are
   *  taken, so that a search can stop at any record, and a later one begin there. @throws TypeError for a
   *  `from` that is no position */
  search(search: Search): AsyncIterable<JournalRecord>;
  find(eventId: string): Promise<FoundEntry | undefined>;
}
