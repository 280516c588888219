import type { ChangeRecord, ChangeRecords } from '../store/change-records.ts';
import type { FunctionName, LogEntry } from './protocol/logs.ts';
import type { SetAsideMessage, SetAsideName } from './protocol/set-aside.ts';

/** The part of a log to read, in ms since 1970. */
export interface LogStretch {
  readonly function: FunctionName;
  readonly since: number;
  readonly until: number;
  /** Also entries that are neither warnings nor errors. */
  readonly all: boolean;
  /** After this position of an earlier page of the same stretch. */
  readonly position?: string | undefined;
}

export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** Where the next page begins; undefined on the last one. A page may be empty and yet not the last. */
  readonly position: string | undefined;
}

/** The functions' logs. */
export interface LogReader {
  read(stretch: LogStretch, limit: number): Promise<LogPage>;
}

/** A queue of messages that were given up. */
export interface SetAsideQueue {
  /** The number of messages, which SQS tells only approximately. */
  count(): Promise<number>;
  /** Up to ten messages, which stay in the queue. */
  peek(): Promise<SetAsideMessage[]>;
  clear(): Promise<void>;
}

/** What there is on AWS only. */
export interface StackHouse {
  readonly logs: LogReader;
  readonly setAside: Readonly<Record<SetAsideName, SetAsideQueue>>;
  /** Sends messages that no run could settle back to the queues that they came from. @returns how many */
  readonly retryUnsettled: () => Promise<number>;
  readonly changeRecords: ChangeRecords;
  /** Publishes records in their order. @returns how many, counted from the first */
  readonly publish: (records: readonly ChangeRecord[]) => Promise<number>;
}
