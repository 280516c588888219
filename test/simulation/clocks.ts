import type { Coverage } from './faults.ts';
import type { ClockStep, Skew } from './plan/clocks.ts';
import type { Scheduler } from './scheduler.ts';

const MINUTE = 60_000;
/** How long a request may be under way since its sender read the clock, retries included. */
const ON_ITS_WAY_MS = 10_000;

/** The clocks of our two pollers, in ms since 1970. */
export class Clocks {
  readonly #scheduler: Scheduler;
  readonly #coverage: Coverage;
  readonly #offsets: [number, number];
  readonly #ever: number[];
  /** How far ahead clocks were before they were set back, and until when a request may come that was sent
   *  before. */
  readonly #former: { readonly offset: number; readonly until: number }[] = [];

  constructor(scheduler: Scheduler, coverage: Coverage, { pollers, service }: Skew, hasDate: boolean) {
    this.#scheduler = scheduler;
    this.#coverage = coverage;
    this.#offsets = [...pollers];
    this.#ever = [service, ...pollers];
    for (const offset of pollers) {
      if (offset !== service) coverage.add('clock', kindOf(offset - service));
      if (offset !== service && !hasDate)
        coverage.add('clock', `${offset > service ? 'ahead' : 'behind'} without Date`);
    }
    if (Math.abs(pollers[0] - pollers[1]) > 2_000) coverage.add('clock', 'pollers apart');
  }

  of(poller: number): () => number {
    return () => this.#scheduler.wall + (this.#offsets[poller % 2] ?? 0);
  }

  /** The time of the clock that is furthest ahead, or that was so when a request was sent that may come
   *  now. */
  get latest(): number {
    const { wall } = this.#scheduler;
    const former = this.#former.filter(({ until }) => wall < until).map(({ offset }) => offset);
    return wall + Math.max(...this.#offsets, ...former);
  }

  /** By how many ms our two clocks differ now. */
  get apart(): number {
    return Math.abs(this.#offsets[0] - this.#offsets[1]);
  }

  /** The most ms by which they ever differed, from each other or from the service's. */
  get spread(): number {
    return Math.max(...this.#ever) - Math.min(...this.#ever);
  }

  set({ poller: number, by }: Extract<ClockStep, { do: 'clock' }>): void {
    const poller = number as 0 | 1;
    this.#former.push({ offset: this.#offsets[poller], until: this.#scheduler.wall + ON_ITS_WAY_MS });
    this.#offsets[poller] += by;
    this.#ever.push(this.#offsets[poller]);
    this.#coverage.add('clock', by > 0 ? 'set forward' : 'set back');
  }
}

function kindOf(difference: number): string {
  const size =
    Math.abs(difference) < MINUTE ? 'seconds' : Math.abs(difference) < 60 * MINUTE ? 'minutes' : 'hours';
  return `${size} ${difference > 0 ? 'ahead' : 'behind'}`;
}
