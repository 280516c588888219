import type { ChangeEvent } from '../model/event.ts';
import { encode } from './codec.ts';

/** How long the journal keeps a change record, for replay. */
export const KEPT_SECONDS = 30 * 24 * 60 * 60;

/** Bytes of JSON that go into one change record. It stays under the item's 400 KB even where it hardly compresses:
 *  no event is above 240 KB. */
const RECORD_BYTES = 300_000;

/** A change record of the journal, as it is published. */
export interface ChangeRecord {
  readonly pk: string;
  readonly sk: string;
  /** When it was committed, in ms since 1970. */
  readonly at: number;
  /** Its events, as the table holds them. */
  readonly encoded: Uint8Array;
  /** The number of its events. */
  readonly events: number;
}

export interface ChangeRecords {
  /** The records of one process that were committed at `since` or later and before `until`, in their order,
   *  after the key `behind`. */
  read(
    process: { readonly workspace: string; readonly processId: string },
    stretch: { readonly since: number; readonly until: number; readonly behind: string | undefined },
  ): Promise<{ readonly records: readonly ChangeRecord[]; readonly isLast: boolean }>;
}

/** When a change record of `at` (ms since 1970) expires, in seconds since 1970. */
export function expiryOf(at: number): number {
  return Math.floor(at / 1000) + KEPT_SECONDS;
}

/** The events as each change record holds them, encoded. */
export function changeGroups(events: readonly ChangeEvent[]): Uint8Array[] {
  return grouped(events).map(encode);
}

/** Consecutive events that go into one change record; the first event of each group is its key. */
function grouped(events: readonly ChangeEvent[]): ChangeEvent[][] {
  let first: ChangeEvent | undefined;
  let room = 0;
  const groups = Map.groupBy(events, event => {
    const size = Buffer.byteLength(JSON.stringify(event));
    if (size > room) {
      first = event;
      room = RECORD_BYTES;
    }
    room -= size;
    return first;
  });
  return [...groups.values()];
}
