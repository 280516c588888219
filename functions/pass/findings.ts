import { byText } from '../basics/order.ts';
import type { ProcessState } from '../store/state.ts';
import type { Found } from './debts.ts';

/** When more projects than this number, and than this part of all, newly fail, it is an outage; fewer are faults of their own. */
const OUTAGE_COUNT = 10;
const OUTAGE_PART = 0.2;

/** What a pass found out about each project that it looked at. */
export class Findings {
  readonly #found = new Map<string, Found>();
  readonly #state: Pick<ProcessState, 'debts' | 'completedAt'>;
  /** How many projects the pass covers. */
  readonly total: number;
  #new = new Set<string>();
  #newFaults = 0;

  constructor(state: Pick<ProcessState, 'debts' | 'completedAt'>, total: number) {
    this.#state = state;
    this.total = total;
  }

  set(projectId: string, found: Found): void {
    this.#newFaults +=
      this.#isNewFault(projectId, found) - this.#isNewFault(projectId, this.#found.get(projectId));
    this.#found.set(projectId, found);
    this.#new.add(projectId);
  }

  /** In the order of ids, not of looking: what is told of them must have the same order every time. */
  sorted(): [projectId: string, found: Found][] {
    return [...this.#found].sort(([one], [other]) => byText(one, other));
  }

  /** What was found since the last call, so that each debt is written once while the pass goes on. */
  takeNew(): [projectId: string, found: Found][] {
    const ids = this.#new;
    this.#new = new Set();
    return this.sorted().filter(([id]) => ids.has(id));
  }

  idsOf(...ends: readonly Found['end'][]): string[] {
    return this.sorted().flatMap(([id, { end }]) => (ends.includes(end) ? [id] : []));
  }

  /** The faults that were met, in the order of the projects' ids. */
  get faults(): Error[] {
    return this.sorted().flatMap(([, { fault }]) => (fault ? [fault] : []));
  }

  /** True when so many projects newly fail that the service must be at fault. The pass then fails; no single project is skipped. */
  get areOutage(): boolean {
    return this.#newFaults > Math.max(OUTAGE_COUNT, Math.floor(this.total * OUTAGE_PART));
  }

  #isNewFault(projectId: string, found: Found | undefined): number {
    const { debts, completedAt } = this.#state;
    // Known are debts from before the last completed pass. Those written since, by runs of an outage that did not end well, count as new.
    const isKnown = (debts.get(projectId)?.metAt ?? Number.POSITIVE_INFINITY) <= completedAt;
    return found?.fault && !isKnown ? 1 : 0;
  }
}
