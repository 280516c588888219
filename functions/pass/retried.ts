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
    const { state, settings } = this.#pass.parts;
    const since = Math.min(...state.skipped.map(one => one.since));
    // One that the baseline left out may not have changed for years.
    this.#listing ??= listProjects(this.#pass, since === 0 ? undefined : since - settings.overlap);
    return (await this.#listing).projects.get(id);
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
