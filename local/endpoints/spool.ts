import type { SpooledMessage, SpoolFile } from './spool-file.ts';

/** A message that waits in an endpoint's queue. */
export type Waiting = Pick<SpooledMessage, 'key' | 'body'>;

/**
 * What one endpoint has yet to get, on disk, for the queue forgets all with the process. A message is in the queue, or
 * parked here until its next attempt; while it is in the queue it is on disk as well once {@link secure} has seen it.
 */
export class Spool {
  readonly #file: SpoolFile;
  readonly #queued = new Set<string>();
  readonly #tried = new Set<string>();
  /** Settled, and maybe still listed by a queue that was asked a moment ago. */
  readonly #gone = new Set<string>();

  /** What an earlier run left goes on: what is not due at `now` counts as tried. */
  constructor(file: SpoolFile, now: number) {
    this.#file = file;
    for (const { key, due = 0 } of file.values()) if (due > now) this.#tried.add(key);
  }

  get path(): string {
    return this.#file.path;
  }

  /** How many messages are neither delivered nor given up. */
  get size(): number {
    return this.#file.size;
  }

  /** True when there is a message that this run has not tried, though it was due. */
  get untried(): boolean {
    for (const { key } of this.#file.values()) if (!this.#tried.has(key)) return true;
    return false;
  }

  get(key: string): SpooledMessage | undefined {
    return this.#file.get(key);
  }

  /** Parked messages whose time has come. Each counts as queued from now on, until it is parked or put back. */
  takeDue(now: number): SpooledMessage[] {
    const due = [...this.#file.values()].filter(
      each => !this.#queued.has(each.key) && (each.due ?? 0) <= now,
    );
    for (const { key } of due) this.#queued.add(key);
    return due;
  }

  /** It could not be queued after all. */
  putBack(key: string): void {
    this.#queued.delete(key);
  }

  /** The queue handed it out. */
  received(key: string): void {
    this.#gone.delete(key);
  }

  /** Keeps it until `due`; it leaves the queue. @throws the file system's error */
  park(message: SpooledMessage): void {
    this.#file.put([message], { flush: false });
    this.#queued.delete(message.key);
    this.#tried.add(message.key);
  }

  /** They are delivered, or kept as dead letters. @throws the file system's error */
  settle(keys: readonly string[]): void {
    for (const key of keys) this.#gone.add(key);
    this.#file.delete(keys);
    for (const key of keys) {
      this.#queued.delete(key);
      this.#tried.delete(key);
    }
  }

  /** Resolves when everything that `list` finds in the queue is on disk or settled. Rejects when that can't be written. */
  async secure(list: () => Promise<readonly Waiting[]>): Promise<void> {
    const before = [...this.#gone];
    const waiting = await list();
    const listed = new Set(waiting.map(({ key }) => key));
    const fresh = waiting.filter(({ key }) => !this.#gone.has(key) && this.#file.get(key) === undefined);
    for (const key of before) if (!listed.has(key)) this.#gone.delete(key);
    this.#file.put(
      fresh.map(({ key, body }) => ({ key, body })),
      { flush: true },
    );
    for (const { key } of fresh) this.#queued.add(key);
  }
}
