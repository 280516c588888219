import { ServiceStatusError } from '../service/errors.ts';
import { type Listed, type Listing, listProjects } from './listing.ts';
import type { Pass } from './pass.ts';

/** The skipped projects, as a `changes` pass tries them again. */
export class Retried {
  readonly ids: ReadonlySet<string>;
  /** Those that need no further try. */
  readonly done = new Set<string>();
  readonly #pass: Pass;
  #listing: Promise<Listing> | undefined;

  constructor(pass: Pass) {
    this.#pass = pass;
    this.ids = new Set(pass.parts.state.skipped.map(({ id }) => id));
  }

  /** The project's record, if it changed since the project was first skipped. That may be long ago, and the listing since
   *  then be long: so its tasks are tried first, and only when they can be had the listing is read, once for all.
   *  @throws what the service says to either */
  async listed(id: string): Promise<Listed | undefined> {
    await this.#tryTasks(id);
    this.#listing ??= this.#list();
    return (await this.#listing).projects.get(id);
  }

  async #list(): Promise<Listing> {
    const { state, settings, snapshots, process } = this.#pass.parts;
    const held = await snapshots.held(process, this.ids);
    // One that was never read may not have changed for years.
    if (!this.ids.isSubsetOf(held)) return listProjects(this.#pass);
    const since = Math.min(...state.skipped.map(one => one.since));
    return listProjects(this.#pass, since - settings.overlap);
  }

  async #tryTasks(id: string): Promise<void> {
    const { service, process } = this.#pass.parts;
    try {
      for await (const _page of service.tasks(process.processId, id)) break;
    } catch (error) {
      if (!(error instanceof ServiceStatusError && error.status === 404)) throw error;
    }
  }
}
