import { updateTime } from '../changes/ignored-fields.ts';
import type { RecentProjects } from '../snapshots/state.ts';
import { fitting } from './fitting.ts';
import type { Listed } from './listing.ts';

/** Two edits within one tick of a coarse clock look the same: what was read this much later shows both (design.md §5). */
const SETTLED_MS = 5_000;

/** More than this many, or so many bytes of them, are not worth remembering: they would be read again, no more. */
const REMEMBERED = 2_000;
const REMEMBERED_BYTES = 250_000;

type Known = readonly [digest: string, readAt: number, shownAt?: number];

/** The projects that one `changes` pass listed, for the next one. The overlap lists each project several times; one
 *  that is byte for byte what was processed needs no second look. */
export class Recent {
  readonly #before: ReadonlyMap<string, Known>;
  readonly #now = new Map<string, Known>();

  constructor(before: RecentProjects) {
    this.#before = new Map(before.map(([id, ...rest]) => [id, rest]));
  }

  /** True when the record is the one last processed, and its tasks were read well after its update time; where our clock may
   *  not be the service's, well after it was first shown so. */
  isSettled(id: string, listed: Listed): boolean {
    const before = this.#before.get(id);
    if (!before || listed.flaw) return false;
    const [known, readAt, shownAt] = before;
    const updatedAt = updateTime(listed.record) ?? Number.POSITIVE_INFINITY;
    // One without an update time may have changed in what its record does not show.
    const since = updatedAt === Number.POSITIVE_INFINITY ? updatedAt : (shownAt ?? updatedAt);
    const settled = readAt - since >= SETTLED_MS && known === listed.digest;
    if (settled) this.#now.set(id, before);
    return settled;
  }

  /** Remembers a project that was looked at, and its record as it was listed. */
  add(id: string, listed: Listed, tasksReadAt: number): void {
    const [known, , shownAt] = this.#before.get(id) ?? [];
    const isAsBefore = known === listed.digest && shownAt !== undefined;
    const shown: Known = [listed.digest, tasksReadAt, isAsBefore ? shownAt : listed.readAt];
    this.#now.set(id, listed.untimed ? shown : [listed.digest, tasksReadAt]);
  }

  toSave(): RecentProjects {
    const latest = [...this.#now].slice(-REMEMBERED).reverse();
    const saved = latest.map(([id, known]) => [id, ...known] as const);
    return fitting(saved, REMEMBERED_BYTES).reverse();
  }
}
