import type { ChangeEvent } from '../changes/event.ts';

/** An event as it was committed. */
export interface JournalEntry {
  readonly event: ChangeEvent;
  /** When it was committed, by our clock, in ms since 1970. */
  readonly at: number;
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

/** The events of the last 30 days, as people look for them. */
export interface JournalReader {
  /** The next events, each process's in the order of their commits: those of at most `limit` change records. */
  read(stretch: Stretch, limit: number): Promise<JournalSlice>;
  find(eventId: string): Promise<JournalEntry | undefined>;
}
