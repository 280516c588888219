import { byKey, type SnapshotHead } from '../../store/snapshots.ts';
import type { Reader } from './reader.ts';

/** The heads of a process's snapshots (snapshots without content), read page by page for a walk in the order of `byKey`. */
export class Heads {
  /** How many snapshots there are, and of which projects the listing lacks; complete only after `toEnd`. */
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

  /** The head of one project, if it has a snapshot. Call this in the order of `byKey`; calls need not be awaited in between. */
  of(projectId: string): Promise<SnapshotHead | undefined> {
    const mine = this.#turn.then(() => this.#find(projectId));
    this.#turn = mine;
    return mine;
  }

  /** Reads the pages that are left. */
  async toEnd(): Promise<void> {
    while (!this.#isAtEnd) await this.#advance();
  }

  async #find(projectId: string): Promise<SnapshotHead | undefined> {
    while (!this.#isAtEnd && (this.#last === undefined || byKey(this.#last, projectId) < 0))
      await this.#advance();
    return this.#page.get(projectId);
  }

  async #advance(): Promise<void> {
    const { done, value: page } = await this.#pages.next();
    await this.#reader.heartbeat.beat();
    if (done) {
      this.#isAtEnd = true;
      return;
    }
    this.#page = new Map(page.map(head => [head.projectId, head]));
    this.#last = page.at(-1)?.projectId;
    this.known += page.length;
    for (const { projectId } of page) if (!this.#isListed(projectId)) this.unlisted.push(projectId);
  }
}
