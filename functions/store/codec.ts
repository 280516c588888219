import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { assert } from '../basics/assert.ts';
import type { JsonObject } from '../basics/json.ts';
import type { Attempt } from '../model/delivery.ts';
import type { Due } from '../model/due.ts';
import type { ChangeEvent } from '../model/event.ts';
import type { Completion } from '../model/process-state.ts';
import type { ReadUntil, Snapshot, Withheld } from '../model/snapshot.ts';

/** zstd(JSON), at zstd's default level: higher ones cost a pass more time than they save in table bytes. */
export function encode(value: unknown): Uint8Array {
  return zstdCompressSync(JSON.stringify(value));
}

/** Reverses `encode`; throws when the bytes are not zstd or not JSON. */
export function decode(bytes: Uint8Array): unknown {
  return JSON.parse(zstdDecompressSync(bytes).toString('utf8'));
}

/** The encoded part of a snapshot. */
type EncodedPart = Pick<Snapshot, 'content' | 'readUntil' | 'withheld' | 'due'>;

/** A project and its tasks as bytes: `{"record": {...}, "tasks": [[id, record], ...]}`. Pairs, not an object: a task
 *  identifier may be `__proto__`, or a number, which an object would put first. */
export function encodeContent({ content, readUntil, withheld, due }: EncodedPart): Uint8Array {
  return encode({ record: content.record, tasks: [...content.tasks], readUntil, withheld, due });
}

export function decodeContent(bytes: Uint8Array): EncodedPart {
  const { record, tasks, readUntil, withheld, due } = decode(bytes) as {
    record: JsonObject;
    tasks: [string, JsonObject][];
    readUntil?: ReadUntil;
    withheld?: Withheld;
    due?: Due;
  };
  return {
    content: { record, tasks: new Map(tasks) },
    ...(readUntil !== undefined && { readUntil }),
    ...(withheld !== undefined && { withheld }),
    ...(due !== undefined && { due }),
  };
}

/** The events of one change record, as `publish.ts` sends them: byte for byte what was committed. */
export function decodeEvents(bytes: Uint8Array): ChangeEvent[] {
  return decode(bytes) as ChangeEvent[];
}

/** The maximum bytes of JSON in one change record. It stays under the item's 400 KB even if it hardly
 *  compresses: no event is above 240 KB. */
const MAX_RECORD_BYTES = 300_000;

/** The events, encoded, by change record. */
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
      room = MAX_RECORD_BYTES;
    }
    room -= size;
    return first;
  });
  const count = groups.values().reduce((sum, group) => sum + group.length, 0);
  assert(count === events.length, 'journal.has-every-event');
  return [...groups.values()];
}

/** An attempt in its stored form, as JSON. */
export function attemptJson({ events, ...attempt }: Attempt): string {
  return JSON.stringify({ ...attempt, events: events.map(({ id, type }) => ({ id, type })) });
}

/** The completions in rows of groups, by process. For a process that moved to another group, the later one
 *  counts. */
export function latestOf(rows: readonly unknown[]): ReadonlyMap<string, Completion> {
  const all = rows.flatMap(row => Object.entries(row as Record<string, Completion>));
  return new Map(all.toSorted(([, one], [, other]) => one.completedAt - other.completedAt));
}
