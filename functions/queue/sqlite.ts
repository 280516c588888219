import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../basics/clock.ts';
import { inTransaction } from '../store/sqlite/database.ts';
import type { Message, NewMessage, Queue } from './queue.ts';

/** All queues of a SQLite file. `shown_at` is when a message can be received: ms since 1970, by the local
 *  clock. The index is the order in which the messages of a group are received. */
export const QUEUE_SCHEMA = `
CREATE TABLE IF NOT EXISTS message (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL, "group" TEXT NOT NULL, body TEXT NOT NULL, attributes TEXT NOT NULL,
  sent_at INTEGER NOT NULL, shown_at REAL NOT NULL, receives INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS message_turn ON message (queue, "group", shown_at, seq);
`;

interface SqliteQueueOptions {
  readonly clock: Clock;
  /** Seconds for which a received message is hidden. */
  readonly visibility: number;
}

/** The number of messages of a group, and when the oldest was sent. */
interface GroupSize {
  readonly count: number;
  readonly oldest: number | undefined;
}

/** Smaller steps back of the clock are treated as corrections. */
const MAX_CORRECTION_MS = 1_000;
/** The longest delay of a message, in ms, as in SQS. */
const MAX_DELAY_MS = 900_000;

type Row = Record<string, unknown>;

/** A group: when its first message is shown, and its next one after now. */
interface Turn {
  readonly group: string;
  readonly first: number;
  readonly next: number | null;
}

/** A queue in a table of a SQLite file. One process receives from it; any process of this machine may send.
 *  Each `receive` returns messages of one group, the groups in turn. The file survives the end of this
 *  process, even a kill. After a power cut, it is as it was at an earlier moment: the write-ahead log is
 *  written in order. A message and the row from which it was made are in one file, so a lost message is
 *  sent again, because its origin was reverted as well. So no write waits for the disk. */
export class SqliteQueue implements Queue {
  readonly name: string;
  readonly #file: DatabaseSync;
  readonly #options: SqliteQueueOptions;
  readonly #prepared: ReturnType<typeof prepare>;
  readonly #listeners: (() => void)[] = [];
  /** The group of the last receive. */
  #group = '';
  /** When it was last read or written. */
  #now: number;

  constructor(file: DatabaseSync, name: string, options: SqliteQueueOptions) {
    this.name = name;
    this.#file = file;
    this.#options = options;
    this.#now = options.clock();
    this.#prepared = prepare(file);
  }

  /** `listener` is called when something may have become receivable: a message was sent, or shown again. */
  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async send(messages: readonly NewMessage[], hasTime: () => boolean = () => true) {
    const indexes = [...messages.keys()];
    if (!hasTime()) return { indexes };
    try {
      this.#write(now => {
        for (const { body, group = '', attributes = {}, delay = 0 } of messages)
          this.#prepared.insert.run(
            ...[this.name, group, body, JSON.stringify(attributes), now, now + delay * 1000],
          );
      });
    } catch (error) {
      return { indexes, reason: String(error) };
    }
    for (const listener of this.#listeners) listener();
    return { indexes: [] };
  }

  /** Receives messages of the next group, by name, that has messages and is not busy. */
  async receive(max: number, isBusy: (group: string) => boolean = () => false): Promise<Message[]> {
    const now = this.#options.clock();
    // Avoids a write if there is nothing to receive.
    if (now >= this.#now && this.#ready(now, isBusy).length === 0) {
      this.#now = now;
      return [];
    }
    return this.#write(now => {
      const groups = this.#ready(now, isBusy);
      const group = groups.find(name => name > this.#group) ?? groups[0];
      if (group === undefined) return [];
      this.#group = group;
      return this.#take(group, now, max).map(messageOf);
    });
  }

  async extend({ receipt }: Pick<Message, 'receipt'>, seconds: number): Promise<void> {
    this.#write(now => this.#prepared.show.run(now + seconds * 1000, Number(receipt)));
    for (const listener of this.#listeners) listener();
  }

  async delete(messages: readonly Pick<Message, 'receipt'>[]): Promise<void> {
    if (messages.length === 0) return;
    this.#write(() => {
      for (const { receipt } of messages) this.#prepared.remove.run(Number(receipt));
    });
  }

  /** When the next message is shown after `now`, in ms since 1970; undefined when all are shown. */
  nextAfter(now: number): number | undefined {
    const times = this.#turns(now).flatMap(({ next }) => next ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** All messages of a group, received or not, in order; with `text` those whose body contains it. */
  messagesOf(group: string, text = ''): Message[] {
    return (this.#prepared.all.all(this.name, group, text) as Row[]).map(messageOf);
  }

  /** The size of a group, including received messages. */
  sizeOf(group: string): GroupSize {
    const { count, oldest } = this.#prepared.size.get(this.name, group) as Row;
    return { count: Number(count), oldest: oldest === null ? undefined : Number(oldest) };
  }

  /** The names of all groups that have messages, in order. */
  groups(): string[] {
    return this.#turns(0).map(({ group }) => group);
  }

  /** The groups with messages that can be received, by name. */
  #ready(now: number, isBusy: (group: string) => boolean): string[] {
    return this.#turns(now).flatMap(({ group, first }) => (first <= now && !isBusy(group) ? [group] : []));
  }

  #turns(now: number): Turn[] {
    return this.#prepared.turns.all({ queue: this.name, now }) as unknown as Turn[];
  }

  #take(group: string, now: number, max: number): Row[] {
    const until = now + this.#options.visibility * 1000;
    const rows = this.#prepared.take.all(until, this.name, group, now, max) as Row[];
    return rows.toSorted((one, other) => Number(one.seq) - Number(other.seq));
  }

  /** Runs `work` in one transaction. If the clock was set back, the times of all messages move back with
   *  it. */
  #write<Result>(work: (now: number) => Result): Result {
    const now = this.#options.clock();
    const back = this.#now - now;
    return inTransaction({ file: this.#file }, () => {
      if (back > MAX_CORRECTION_MS) this.#prepared.shift.run(back, this.name);
      this.#now = now;
      return work(now);
    });
  }
}

/** Makes messages receivable that an earlier process received and did not delete, in all queues of the
 *  file. */
export function recoverMessages(file: DatabaseSync, now: number): void {
  file
    .prepare('UPDATE message SET shown_at = ? WHERE shown_at > ? AND (receives > 0 OR shown_at > ?)')
    .run(now, now, now + MAX_DELAY_MS);
}

function prepare(file: DatabaseSync) {
  return {
    insert: file.prepare(`INSERT INTO message (queue, "group", body, attributes, sent_at, shown_at, receives)
      VALUES (?, ?, ?, ?, ?, ?, 0)`),
    // Steps from group to group by the index, regardless of the number of their messages.
    turns: file.prepare(`WITH RECURSIVE turn (name) AS (
      SELECT min("group") FROM message WHERE queue = :queue
      UNION ALL
      SELECT (SELECT min("group") FROM message WHERE queue = :queue AND "group" > turn.name)
        FROM turn WHERE turn.name IS NOT NULL)
      SELECT name AS "group",
        (SELECT min(shown_at) FROM message WHERE queue = :queue AND "group" = name) AS first,
        (SELECT min(shown_at) FROM message WHERE queue = :queue AND "group" = name AND shown_at > :now) AS next
      FROM turn WHERE name IS NOT NULL`),
    take: file.prepare(`UPDATE message SET shown_at = ?, receives = receives + 1 WHERE seq IN (
      SELECT seq FROM message WHERE queue = ? AND "group" = ? AND shown_at <= ? ORDER BY shown_at, seq LIMIT ?)
      RETURNING *`),
    show: file.prepare('UPDATE message SET shown_at = ? WHERE seq = ?'),
    remove: file.prepare('DELETE FROM message WHERE seq = ?'),
    shift: file.prepare('UPDATE message SET shown_at = shown_at - ? WHERE queue = ?'),
    all: file.prepare(
      'SELECT * FROM message WHERE queue = ? AND "group" = ? AND instr(body, ?) > 0 ORDER BY seq',
    ),
    size: file.prepare(`SELECT count(*) AS count, min(sent_at) AS oldest FROM message
      WHERE queue = ? AND "group" = ?`),
  };
}

function messageOf({ seq, body, group, attributes, sent_at, receives }: Row): Message {
  return {
    id: String(seq),
    receipt: String(seq),
    body: body as string,
    ...(group !== '' && { group: group as string }),
    attributes: JSON.parse(attributes as string),
    sentAt: Number(sent_at),
    receives: Number(receives),
  };
}
