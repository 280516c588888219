import type { SimulatedBackend } from '../../simulator/backend.ts';
import type { SimulatedProcess } from '../../simulator/data/workspace.ts';
import type { Coverage } from './faults.ts';
import type { Restless } from './plan/service.ts';
import { PROCESS } from './shared.ts';

/** Hides one project from each reading of the list for a while, though its task list answers. When a
 *  reading begins, another project is made, and it is deleted just before the page that would show the
 *  hidden one. With the order of the newest update, and cursors that count rows, this moves the hidden
 *  project onto a page that was read before. The deleted project was shown, so no two readings are equal. */
export class RestlessList {
  readonly #restless: Restless | undefined;
  readonly #backend: SimulatedBackend;
  readonly #coverage: Coverage;
  readonly #edited: (projectId: string) => void;
  #hidden: string | undefined;
  #decoys: string[] = [];
  /** How many readings of the whole list did not show it, and how many pages did. */
  readonly #seen = { without: 0, with: 0 };
  #missed = 0;
  /** Every project that was ever hidden. */
  readonly ever = new Set<string>();

  /** `edited` is told of each project that was made or deleted. */
  constructor(
    restless: Restless | undefined,
    backend: SimulatedBackend,
    coverage: Coverage,
    edited: (projectId: string) => void,
  ) {
    this.#restless = restless;
    this.#backend = backend;
    this.#coverage = coverage;
    this.#edited = edited;
  }

  /** The plan's step with this number begins. */
  reach(step: number): void {
    const { from = Number.POSITIVE_INFINITY, steps = 0, project = 0 } = this.#restless ?? {};
    const ids = [...this.#process.projects.keys()];
    if (step === from) this.#hidden = ids[project % ids.length];
    if (step === from + steps) this.rest();
  }

  rest(): void {
    this.#hidden = undefined;
  }

  /** To be told of each request for the list of projects, before it is answered. */
  asked(query: URLSearchParams): void {
    const hidden = this.#hidden;
    if (hidden === undefined) return;
    const after = query.get('after');
    const [size, from] = [Number(query.get('first')), after === null ? 0 : rowsBefore(after)];
    const rows = this.#rows(query);
    const at = rows.indexOf(hidden);
    if (at < 0) return;
    if (after === null) this.#makeDecoys(size - (at % size));
    else if (at === from) this.#goes(rows.slice(0, from), hidden, query);
    else if (at > from && at < from + size) this.#seen.with += 1;
  }

  /** The counts when a sweep begins, for `swept`. */
  get count(): { without: number; with: number } {
    return { ...this.#seen };
  }

  /** Told of a sweep that ended well, and of the count when it began. */
  swept(before: { without: number; with: number }): void {
    const hasMissed = this.#seen.without > before.without && this.#seen.with === before.with;
    this.#missed = hasMissed ? this.#missed + 1 : 0;
    if (this.#missed >= 2) this.#coverage.add('service', 'project hidden from two sweeps in a row');
  }

  get #process(): SimulatedProcess {
    return this.#backend.workspace().processes.get(PROCESS) as SimulatedProcess;
  }

  /** The ids of the listed projects, in the service's order. */
  #rows(query: URLSearchParams): string[] {
    const { clock, freedoms } = this.#backend;
    const after = query.get('updatedAfter');
    const [since, until] =
      after === null
        ? [-1, Number.POSITIVE_INFINITY]
        : [Date.parse(after), clock() - freedoms.updatesVisibleAfter];
    return [...this.#process.projects.values()]
      .filter(({ updatedAt }) => updatedAt > since && updatedAt <= until)
      .sort((one, other) => other.updatedAt - one.updatedAt || other.seq - one.seq)
      .map(({ id }) => id);
  }

  /** Makes so many projects that the hidden one is the first of a page, but not of the first page. */
  #makeDecoys(count: number): void {
    for (let made = 0; made < count; made++) {
      // A name of its own: in a chat, projects of one name look alike.
      const name = `Decoy ${this.#decoys.length}`;
      const id = this.#backend.edit.createProject(PROCESS, { name }, { audit: false });
      this.#decoys.push(id);
      this.#edited(id);
    }
  }

  #goes(shown: readonly string[], hidden: string, query: URLSearchParams): void {
    const decoy = this.#decoys.find(id => shown.includes(id));
    if (decoy === undefined) return;
    this.#backend.edit.deleteProject(PROCESS, decoy, { audit: false });
    this.#edited(decoy);
    this.ever.add(hidden);
    this.#coverage.add('service', 'project hidden from a reading');
    if (!query.has('updatedAfter')) this.#seen.without += 1;
  }
}

/** How many rows come before the page of this cursor. */
function rowsBefore(after: string): number {
  const [, rows] = JSON.parse(Buffer.from(after, 'base64url').toString()) as [string, number];
  return rows;
}
