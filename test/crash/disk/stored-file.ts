/** Something that was done to a file and is not known to be safe. */
type Change = { readonly offset: number; readonly bytes: Buffer } | { readonly length: number };

/** A disk writes whole sectors. */
const SECTOR = 512;

/** A file as the disk has it, and what may still get there. */
export class StoredFile {
  #safe: Buffer;
  #changes: Change[] = [];

  constructor(safe: Buffer = Buffer.alloc(0)) {
    this.#safe = safe;
  }

  /** How many changes a power cut may take back. */
  get unsafe(): number {
    return this.#changes.length;
  }

  write(offset: number, bytes: Buffer): void {
    this.#changes.push({ offset, bytes: Buffer.from(bytes) });
  }

  truncate(length: number): void {
    this.#changes.push({ length });
  }

  sync(): void {
    this.#safe = this.content();
    this.#changes = [];
  }

  /** With the first `count` of its changes; of the next one, if it is a write, its first `torn` sectors. */
  content(count = this.#changes.length, torn = 0): Buffer {
    const done = this.#changes.slice(0, count);
    const next = this.#changes[count];
    if (next && 'bytes' in next && torn > 0)
      done.push({ ...next, bytes: next.bytes.subarray(0, torn * SECTOR) });
    return apply(this.#safe, done);
  }
}

function apply(safe: Buffer, changes: readonly Change[]): Buffer {
  const ends = changes.map(change =>
    'bytes' in change ? change.offset + change.bytes.length : change.length,
  );
  const content = Buffer.alloc(Math.max(safe.length, ...ends));
  safe.copy(content);
  let { length } = safe;
  for (const change of changes) {
    if ('bytes' in change) {
      change.bytes.copy(content, change.offset);
      length = Math.max(length, change.offset + change.bytes.length);
    } else {
      // What is cut off, and comes back when the file grows again, is empty.
      content.fill(0, change.length);
      length = change.length;
    }
  }
  return content.subarray(0, length);
}
