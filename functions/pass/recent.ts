import { updateTime } from '../changes/ignored-fields.ts';
import type { RecentProjects } from '../snapshots/state.ts';
import { digest } from './digest.ts';
import { fitting } from './fitting.ts';
import type { Listed } from './listing.ts';

/** Two edits within one tick of a coarse clock look the same: what was read this much later shows both (DESIGN §5). */
const SETTLED_MS = 5_000;

/** More than this many, or so many bytes of them, are not worth remembering: they would be read again, no more. */
const REMEMBERED = 2_000;
const REMEMBERED_BYTES = 250_000;

/** The projects that one `changes` pass listed, for the next one. The overlap lists each project several times; one
 *  that is byte for byte what was processed needs no second look. */
export class Recent {
  readonly #before: ReadonlyMap<string, readonly [digest: string, readAt: number]>;
  readonly #now = new Map<string, readonly [digest: string, readAt: number]>();

  constructor(before: RecentProjects) {
    this.#before = new Map(before.map(([id, ...rest]) => [id, rest]));
  }

  /** True when the record is the one last processed, and its tasks were read well after its update time. */
  isSettled(id: string, listed: Listed): boolean {
    const before = this.#before.get(id);
    if (!before || listed.flaw) return false;
    const [known, readAt] = before;
    const updatedAt = updateTime(listed.record) ?? Number.POSITIVE_INFINITY;
    const settled = readAt - updatedAt >= SETTLED_MS && known === digest(listed.record);
    if (settled) this.#now.set(id, before);
    return settled;
  }

  processed(id: string, listed: Listed, tasksReadAt: number): void {
    this.#now.set(id, [digest(listed.record), tasksReadAt]);
  }

  toSave(): RecentProjects {
    const latest = [...this.#now].slice(-REMEMBERED).reverse();
    const saved = latest.map(([id, [known, readAt]]) => [id, known, readAt] as const);
    return fitting(saved, REMEMBERED_BYTES).reverse();
  }
}
