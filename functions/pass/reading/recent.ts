import { updateTime } from '../../changes/ignored-fields.ts';
import type { RecentProjects } from '../../store/state.ts';
import { fitting } from './fitting.ts';
import type { Listed } from './listing.ts';

/** Two edits may get the same update time from a coarse clock: a reading this much later shows both (design.md §5). */
const SETTLED_MS = 5_000;

/** At most this many projects, and bytes of them, are remembered. One that is not remembered is only read again. */
const REMEMBERED = 2_000;
const REMEMBERED_BYTES = 250_000;

type Known = readonly [digest: string, readAt: number, shownAt?: number];

/** The projects that a `changes` pass listed, remembered for the next one. Because of the overlap several passes list the
 *  same project; if its record is byte for byte the same, it need not be looked at again. */
export class Recent {
  readonly #before: ReadonlyMap<string, Known>;
  readonly #now = new Map<string, Known>();

  constructor(before: RecentProjects) {
    this.#before = new Map(before.map(([id, ...rest]) => [id, rest]));
  }

  /** True when the record is the one last processed, and its tasks were read at least SETTLED_MS after its update time. If they
   *  were dated by our clock, which the update time can't be compared with: as long after this record was first listed. */
  isSettled(id: string, listed: Listed): boolean {
    const before = this.#before.get(id);
    if (!before || listed.flaw) return false;
    const [known, readAt, shownAt] = before;
    const updatedAt = updateTime(listed.record) ?? Number.POSITIVE_INFINITY;
    // Without an update time the record doesn't show that something else, such as a task, has changed.
    const since = updatedAt === Number.POSITIVE_INFINITY ? updatedAt : (shownAt ?? updatedAt);
    const settled = readAt - since >= SETTLED_MS && known === listed.digest;
    if (settled) this.#now.set(id, before);
    return settled;
  }

  /** Remembers a project that was looked at, with the digest of its listed record. */
  add(id: string, listed: Listed, tasksReadAt: number): void {
    const before = this.#before.get(id);
    const shownAt = before?.[0] === listed.digest ? before[2] : undefined;
    const read = [listed.digest, tasksReadAt] as const;
    this.#now.set(id, listed.untimed ? [...read, shownAt ?? listed.readAt] : read);
  }

  toSave(): RecentProjects {
    const latest = [...this.#now].slice(-REMEMBERED).reverse();
    const saved = latest.map(([id, known]) => [id, ...known] as const);
    return fitting(saved, REMEMBERED_BYTES).reverse();
  }
}
