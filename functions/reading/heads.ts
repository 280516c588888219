import { byKey, type SnapshotHead } from '../snapshots/snapshots.ts';
import type { Reader } from './reader.ts';

/** The snapshots of a process without their contents, read a page at a time ahead of a walk in the order of `byKey`. */
export class Heads {
  /** How many there are, and which of them no listing shows; complete after `toEnd`. */
  known = 0;
  readonly unlisted: string[] = [];
  readonly #reader: Reader;
  readonly #isListed: (projectId: string) => boolean;
  readonly #pages: AsyncIterator<readonly SnapshotHead[]>;
  #page = new Map<string, SnapshotHead>();
  #last: string | undefined;
  #isAtEnd = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(reader: Reader, isListed: (projectId: string) => boolean) {
    const { snapshots, process } = reader.parts;
    this.#reader = reader;
    this.#isListed = isListed;
    this.#pages = snapshots.heads(process)[Symbol.asyncIterator]();
  }

  /** That of one project, if it has a snapshot. To be asked in order, or not awaited between. */
  of(projectId: string): Promise<SnapshotHead | undefined> {
    const mine = this.#turn.then(() => this.#find(projectId));
    this.#turn = mine;
    return mine;
  }

  /** Reads what is left. */
  async toEnd(): Promise<void> {
    while (!this.#isAtEnd) await this.#advance();
  }

  async #find(projectId: string): Promise<SnapshotHead | undefined> {
    while (!this.#isAtEnd && (this.#last === undefined || byKey(this.#last, projectId) < 0))
      await this.#advance();
    return this.#page.get(projectId);
  }

  async #advance(): Promise<void> {
    const { done, value = [] } = await this.#pages.next();
    await this.#reader.heartbeat.beat();
    if (done) {
      this.#isAtEnd = true;
      return;
    }
    this.#page = new Map(value.map((head: SnapshotHead) => [head.projectId, head]));
    this.#last = value.at(-1)?.projectId ?? this.#last;
    this.known += value.length;
    for (const { projectId } of value) if (!this.#isListed(projectId)) this.unlisted.push(projectId);
  }
}
