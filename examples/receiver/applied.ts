import type { SentEvent } from './changewire.ts';

export type Verdict = 'new' | 'duplicate' | 'stale';

/** Knows which events were applied, as far as a bounded memory can. It forgets what it has not met for longest, and
 *  everything when the process ends.
 *
 *  In production this is a row per record beside your data, written in the same transaction as what you make of the
 *  event: `UPDATE records SET sequence = :new, … WHERE source = :source AND subject = :subject AND sequence < :new`.
 *  No row updated means duplicate or stale. */
export class Applied {
  readonly #ids: RecentMap<true>;
  readonly #sequences: RecentMap<bigint>;

  constructor(capacity = 100_000) {
    this.#ids = new RecentMap(capacity);
    this.#sequences = new RecentMap(capacity);
  }

  /** What to do with an event. Stale: a newer event of the same record was applied. What a process tells about itself has no
   *  subject, and each of it counts. Sequences of different records of one
   *  project say nothing about one another: SNS keeps no order, and each record's newest event counts. */
  judge(event: SentEvent): Verdict {
    const known = this.#ids.get(event.id) === true;
    const last = this.#sequences.get(recordOf(event));
    if (known) return 'duplicate';
    if (event.subject === undefined) return 'new';
    return last !== undefined && BigInt(event.sequence) <= last ? 'stale' : 'new';
  }

  /** To be called when an event is applied, not before: one whose handling failed must be taken when it comes again. */
  remember(event: SentEvent): void {
    this.#ids.set(event.id, true);
    this.#sequences.set(recordOf(event), BigInt(event.sequence));
  }
}

/** A record's `subject` is unique within its `source`. Both are percent-encoded, so a blank parts them. */
function recordOf({ source, subject = '' }: SentEvent): string {
  return `${source} ${subject}`;
}

class RecentMap<Value> {
  readonly #capacity: number;
  readonly #entries = new Map<string, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#capacity && oldest !== undefined) this.#entries.delete(oldest);
  }
}
