import type { SeenRequest, SimulatedService } from '../../simulator/server.ts';
import { servedState, type Told } from '../kit/told.ts';
import { Chronicle, idOf } from './chronicle.ts';

/** A process that the runners watch, and what they must know of it. */
export class Watched {
  readonly id: string;
  readonly chronicle: Chronicle;
  /** It changes while its baseline is made. */
  readonly restless: boolean;
  readonly #service: SimulatedService;
  #baseline: { state: Told; chronicle: Chronicle } | undefined;
  /** A life was told to watch it. */
  joined = false;
  /** When all of its projects were last listed, in ms since 1970; 0 in a life that has not. */
  listedAt = 0;

  constructor(service: SimulatedService, id: string, restless: boolean) {
    this.#service = service;
    this.id = id;
    this.restless = restless;
    this.chronicle = new Chronicle(service.workspace, id);
  }

  /** Its baseline is made: every change from now on is told. */
  get baselined(): boolean {
    return this.#baseline !== undefined;
  }

  /** It may be edited. */
  get changes(): boolean {
    return this.baselined || (this.restless && this.joined);
  }

  /** A baseline is under way in this life, as far as its requests tell. */
  get inBaseline(): boolean {
    return this.listedAt > 0 && !this.baselined;
  }

  /** What the service showed when the baseline was made; of a restless one, what it showed at some time before. */
  get baseline(): { readonly state: Told; readonly chronicle: Chronicle } {
    if (this.#baseline) return this.#baseline;
    throw new Error(`Process ${this.id} never had a baseline: no life was long enough.`);
  }

  /** A life begins that watches `processes`. */
  newLife(processes: readonly string[]): void {
    this.joined ||= processes.includes(this.id);
    this.listedAt = 0;
  }

  /** To be called with each request, before it is answered. Only what has a baseline is asked for updates. */
  asked({ path }: SeenRequest): void {
    const [place, query = ''] = path.split('?');
    if (place !== `/processes/${this.id}/projects`) return;
    if (!query.includes('updatedAfter=')) this.listedAt = Date.now();
    else this.#baseline ??= { state: this.served(), chronicle: this.chronicle.copy() };
  }

  served(): Told {
    return servedState(this.#service.workspace, this.id, idOf);
  }
}
