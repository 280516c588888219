import type { SentEvent } from './changewire.ts';

export type Verdict = 'new' | 'duplicate' | 'stale';

/** Remembers the applied events in bounded memory. It forgets the least recently used ones, and everything when the
 *  process ends.
 *
 *  In production, use a row per record in your database, written in the same transaction that applies the event:
 *  `UPDATE records SET sequence = :new, … WHERE source = :source AND subject = :subject AND sequence <= :new`.
 *  No row updated means stale. Several events of one commit have the same sequence; a duplicate has the same id. */
export class Applied {
  readonly #ids: RecentMap<true>;
  readonly #sequences: RecentMap<bigint>;

  constructor(capacity = 100_000) {
    this.#ids = new RecentMap(capacity);
    this.#sequences = new RecentMap(capacity);
  }

  /** What to do with an event. Stale: a newer event of the same record was applied. Events about a process have no
   *  subject, and are never stale. Only sequences of the same record are compared: SNS does not keep the order, and
   *  each record's newest event counts. */
  judge(event: SentEvent): Verdict {
    const known = this.#ids.get(event.id) === true;
    const last = this.#sequences.get(recordOf(event));
    if (known) return 'duplicate';
    if (event.subject === undefined) return 'new';
    return last !== undefined && BigInt(event.sequence) < last ? 'stale' : 'new';
  }

  /** Call it after an event is applied, not before: an event whose handling failed must be accepted when it is sent
   *  again. */
  remember(event: SentEvent): void {
    this.#ids.set(event.id, true);
    this.#sequences.set(recordOf(event), BigInt(event.sequence));
  }
}

/** A record's `subject` is unique within its `source`. Both are percent-encoded, so a space separates them. */
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
