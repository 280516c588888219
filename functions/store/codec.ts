import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { JsonObject } from '../basics/json.ts';
import type { ChangeEvent } from '../model/event.ts';
import type { ReadUntil, Snapshot } from './snapshots.ts';

/** zstd(JSON), at zstd's own level: higher ones cost a pass more time than they save in table bytes. */
export function encode(value: unknown): Uint8Array {
  return zstdCompressSync(JSON.stringify(value));
}

/** What `encode` was given; throws when the bytes are not zstd or not JSON. */
export function decode(bytes: Uint8Array): unknown {
  return JSON.parse(zstdDecompressSync(bytes).toString('utf8'));
}

/** What the bytes of a snapshot hold. */
type Held = Pick<Snapshot, 'content' | 'readUntil'>;

/** A project and its tasks as bytes: `{"record": {...}, "tasks": [[id, record], ...]}`. Pairs, not an object: a task
 *  identifier may be `__proto__`, or a number, which an object would put first. */
export function encodeContent({ content, readUntil }: Held): Uint8Array {
  return encode({ record: content.record, tasks: [...content.tasks], readUntil });
}

export function decodeContent(bytes: Uint8Array): Held {
  const { record, tasks, readUntil } = decode(bytes) as {
    record: JsonObject;
    tasks: [string, JsonObject][];
    readUntil?: ReadUntil;
  };
  return { content: { record, tasks: new Map(tasks) }, ...(readUntil !== undefined && { readUntil }) };
}

/** The events of one change record, as `publish.ts` sends them: byte for byte what was committed. */
export function decodeEvents(bytes: Uint8Array): ChangeEvent[] {
  return decode(bytes) as ChangeEvent[];
}
