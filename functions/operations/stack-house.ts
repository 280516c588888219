import type { FunctionName, LogEntry } from './protocol/logs.ts';
import type { SetAsideMessage, SetAsideName } from './protocol/set-aside.ts';

/** What of a log is read, in ms since 1970. */
export interface LogStretch {
  readonly function: FunctionName;
  readonly since: number;
  readonly until: number;
  /** Also what is neither a warning nor an error. */
  readonly all: boolean;
  /** Behind this position of an earlier page of the same stretch. */
  readonly position?: string | undefined;
}

export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** Where the next page begins; undefined: there is none. A page may be empty and yet not the last. */
  readonly position: string | undefined;
}

/** What the functions logged. */
export interface LogReader {
  read(stretch: LogStretch, limit: number): Promise<LogPage>;
}

/** A queue of what was given up. */
export interface SetAsideQueue {
  /** About so many messages. */
  count(): Promise<number>;
  /** Up to ten of them; they stay. */
  peek(): Promise<SetAsideMessage[]>;
  clear(): Promise<void>;
}

/** A change record of the journal, as it is published. */
export interface ChangeRecord {
  readonly pk: string;
  readonly sk: string;
  /** When it was committed, in ms since 1970. */
  readonly at: number;
  /** As the table holds them. */
  readonly encoded: Uint8Array;
  /** How many events these are. */
  readonly events: number;
}

export interface ChangeRecords {
  /** Those of one process that were committed at `since` or later and before `until`, behind the key `behind`, in their order. */
  read(
    process: { readonly workspace: string; readonly processId: string },
    stretch: { readonly since: number; readonly until: number; readonly behind: string | undefined },
  ): Promise<{ readonly records: readonly ChangeRecord[]; readonly isLast: boolean }>;
}

/** What only a stack on AWS has. */
export interface StackHouse {
  readonly logs: LogReader;
  readonly setAside: Readonly<Record<SetAsideName, SetAsideQueue>>;
  /** Sends what no run could settle back to where it came from. @returns how many messages that were */
  readonly retryUnsettled: () => Promise<number>;
  readonly changeRecords: ChangeRecords;
  /** Publishes records in their order. @returns how many of them were, the first ones */
  readonly publish: (records: readonly ChangeRecord[]) => Promise<number>;
}
