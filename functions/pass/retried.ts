import { ServiceStatusError } from '../service/errors.ts';
import { type Listed, type Listing, listProjects } from './listing.ts';
import type { Pass } from './pass.ts';

/** The skipped projects, as a `changes` pass tries them again. */
export class Retried {
  readonly ids: ReadonlySet<string>;
  /** Those that need no further try. */
  readonly done = new Set<string>();
  /** Those that a listing may have passed over: nobody knows yet what became of them. */
  readonly unsure = new Set<string>();
  readonly #pass: Pass;
  #held: Promise<ReadonlySet<string>> | undefined;
  #changed: Promise<Listing> | undefined;
  #whole: Promise<Listing> | undefined;

  constructor(pass: Pass) {
    this.#pass = pass;
    this.ids = new Set(pass.parts.state.skipped.map(({ id }) => id));
  }

  /** The project's record, if it changed since the project was first skipped. That may be long ago, and the listing since
   *  then be long: so its tasks are tried first, and only when they can be had the listing is read, once for all. One that
   *  was never read may not have changed for years.
   *  @throws what the service says to either */
  async listed(id: string): Promise<Listed | undefined> {
    const isThere = await this.#hasTaskList(id);
    const { snapshots, process } = this.#pass.parts;
    this.#held ??= snapshots.held(process, this.ids);
    const held = await this.#held;
    const { projects, complete } = await (held.has(id) ? this.#listChanged(held) : this.#listAll());
    // One that lacks its task list, too, is gone; or a sweep finds it again.
    if (isThere && !complete && !projects.has(id)) this.unsure.add(id);
    return projects.get(id);
  }

  /** The project's record, if the whole listing shows it. */
  async shown(id: string): Promise<Listed | undefined> {
    return (await this.#listAll()).projects.get(id);
  }

  /** True for a project whose task list was missing when it was last tried. */
  lackedTaskList(id: string): boolean {
    return this.#pass.parts.state.skipped.some(one => one.id === id && one.tasksMissing);
  }

  #listAll(): Promise<Listing> {
    this.#whole ??= listProjects(this.#pass);
    return this.#whole;
  }

  #listChanged(held: ReadonlySet<string>): Promise<Listing> {
    const { state, settings } = this.#pass.parts;
    const since = Math.min(...state.skipped.flatMap(one => (held.has(one.id) ? [one.since] : [])));
    this.#changed ??= listProjects(this.#pass, since === 0 ? undefined : since - settings.overlap);
    return this.#changed;
  }

  async #hasTaskList(id: string): Promise<boolean> {
    const { service, process } = this.#pass.parts;
    try {
      for await (const _page of service.tasks(process.processId, id)) break;
      return true;
    } catch (error) {
      if (error instanceof ServiceStatusError && error.status === 404) return false;
      throw error;
    }
  }
}
