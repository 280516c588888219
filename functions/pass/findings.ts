import { byText } from '../changes/order.ts';
import type { ProcessState } from '../snapshots/state.ts';
import type { Found } from './debts.ts';

/** More than this many that newly fail, or this part of those walked, are an outage; few are poisoned. */
const OUTAGE_COUNT = 10;
const OUTAGE_PART = 0.2;

/** What a pass found out about each project that it looked at. */
export class Findings {
  readonly #found = new Map<string, Found>();
  readonly #state: Pick<ProcessState, 'debts' | 'completedAt'>;
  readonly #total: number;
  #new = new Set<string>();
  #newFaults = 0;

  /** `total`: how many projects there are to look at. */
  constructor(state: Pick<ProcessState, 'debts' | 'completedAt'>, total: number) {
    this.#state = state;
    this.#total = total;
  }

  set(projectId: string, found: Found): void {
    this.#newFaults +=
      this.#isNewFault(projectId, found) - this.#isNewFault(projectId, this.#found.get(projectId));
    this.#found.set(projectId, found);
    this.#new.add(projectId);
  }

  /** Whichever was looked at first: what is told of them must have the same order every time. */
  sorted(): [projectId: string, found: Found][] {
    return [...this.#found].sort(([one], [other]) => byText(one, other));
  }

  /** Those found since this was called last: what is written on the way is written once. */
  takeNew(): [projectId: string, found: Found][] {
    const ids = this.#new;
    this.#new = new Set();
    return this.sorted().filter(([id]) => ids.has(id));
  }

  idsOf(...ends: readonly Found['end'][]): string[] {
    return this.sorted().flatMap(([id, { end }]) => (ends.includes(end) ? [id] : []));
  }

  /** The failures of projects, in the order of their ids. */
  get faults(): Error[] {
    return this.sorted().flatMap(([, { fault }]) => (fault ? [fault] : []));
  }

  /** Too many failed that did not before: there the service is at fault, and to go on without them would tell of each what is true
   *  of all. */
  get areOutage(): boolean {
    return this.#newFaults > Math.max(OUTAGE_COUNT, Math.floor(this.#total * OUTAGE_PART));
  }

  get total(): number {
    return this.#total;
  }

  #isNewFault(projectId: string, found: Found | undefined): number {
    const { debts, completedAt } = this.#state;
    // Passes of an outage, which come to no end, owe a few projects a look each: together these are as many as one pass would meet.
    const isKnown = (debts.get(projectId)?.metAt ?? Number.POSITIVE_INFINITY) <= completedAt;
    return found?.fault && !isKnown ? 1 : 0;
  }
}
