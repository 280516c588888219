import type { Gate } from './life.ts';
import type { Edit, MeetStep } from './plan.ts';
import type { Pollers, RunRequest } from './pollers.ts';
import type { ServiceSide } from './service-side.ts';
import type { Shared } from './shared.ts';

/** Longer than a lease lasts by anybody's clock. */
const LEASE_ENDS_MS = 65_000;
/** Plans give times in a meeting in thousandths of so many steps, about as many as two passes make. */
const STEPS = 40;

/** A call that waits, or a pass's beginning. */
interface Call {
  readonly go: () => void;
}

/** One pass of a meeting, and its calls that wait for their turn. */
interface Walker extends Gate {
  readonly request: RunRequest;
  readonly waiting: Call[];
  isUnderWay: boolean;
}

/** What a meeting needs of the world. */
interface Met {
  readonly pollers: Pollers;
  readonly service: ServiceSide;
  readonly isBaselined: () => boolean;
}

/** Several passes over one process, in which every call waits at a gate until it is picked: so they meet
 *  in every possible order, not only in likely ones. Each call has its effect, and its pass goes on up to
 *  its next call, before another is picked. */
export class Meeting {
  readonly #shared: Shared;
  readonly #met: Met;
  readonly #step: MeetStep;
  readonly #walkers: readonly Walker[];
  readonly #priorities: Priorities<Walker>;
  readonly #edits: MeetStep['edits'][number][];
  readonly #freezes: MeetStep['changes'][number][];
  #ended = 0;
  #isPicking = false;

  constructor(shared: Shared, step: MeetStep, met: Met) {
    this.#shared = shared;
    this.#met = met;
    this.#step = step;
    this.#walkers = step.walkers.map(request => this.#walker(request));
    this.#priorities = new Priorities(
      this.#walkers,
      step.changes.map(({ at }) => stepOf(at)),
    );
    this.#edits = step.edits.toSorted((one, other) => one.at - other.at);
    this.#freezes = step.changes
      .filter(({ frozen }) => frozen > 0)
      .toSorted((one, other) => one.at - other.at);
  }

  get isOver(): boolean {
    return this.#ended === this.#walkers.length && this.#edits.length === 0;
  }

  begin(): void {
    for (const walker of this.#walkers) walker.waiting.push({ go: () => this.#start(walker) });
    this.#pickSoon();
  }

  #walker(request: RunRequest): Walker {
    const waiting: Call[] = [];
    const hold: Gate['hold'] = call => {
      waiting.push({ go: () => void call() });
      this.#pickSoon();
    };
    return { request, waiting, hold, isUnderWay: false };
  }

  /** Begins a pass. If another pass holds the lease, or all of the workspace's requests at once, it begins after that has ended, as if the
   *  other had been frozen until then; the other goes on now. Passes that have no lease yet may meet. */
  #start(walker: Walker): void {
    const lease = (one: Walker) => (this.#met.isBaselined() ? one.request.mode : 'sweep');
    const isTaken = this.#walkers.some(one => one.isUnderWay && lease(one) === lease(walker));
    const mayMeet = lease(walker) === 'changes' && this.#step.isClose;
    if ((isTaken && !mayMeet) || this.#met.pollers.isFull(walker.request.mode))
      this.#shared.scheduler.freeze(LEASE_ENDS_MS);
    walker.isUnderWay = true;
    void this.#met.pollers.runThrough(walker, walker.request).then(() => {
      walker.isUnderWay = false;
      walker.waiting.length = 0;
      this.#ended += 1;
      this.#pickSoon();
    });
  }

  /** Picks the next call, once every pass that can go on has come to its next call. */
  #pickSoon(): void {
    if (this.#isPicking) return;
    this.#isPicking = true;
    this.#shared.scheduler.after(this.#step.pace, () => {
      this.#isPicking = false;
      this.#pick();
    });
  }

  #pick(): void {
    const { random, scheduler } = this.#shared;
    const { steps } = this.#priorities;
    const isLast = this.#ended === this.#walkers.length;
    const isDue = ({ at }: { at: number }) => isLast || stepOf(at) <= steps;
    while (this.#edits[0] && isDue(this.#edits[0])) this.#met.service.edit(this.#edits.shift() as Edit);
    while (this.#freezes[0] && isDue(this.#freezes[0])) scheduler.freeze(this.#freezes.shift()?.frozen ?? 0);
    const walker = this.#priorities.next(({ waiting }) => waiting.length > 0);
    // Any of the pass's calls: when it has several under way, their order is open.
    const [call] = walker?.waiting.splice(Math.floor(random() * walker.waiting.length), 1) ?? [];
    if (!call) return;
    call.go();
    this.#pickSoon();
  }
}

function stepOf(at: number): number {
  return Math.floor((at * STEPS) / 1000);
}

/** Decides which of several threads takes the next step, by probabilistic concurrency testing: each has a
 *  priority, and the first that can go does; at a few random steps the one whose turn it is gets the
 *  lowest priority. A bug that needs `d` such orderings among `n` threads of `k` steps is then found with
 *  a probability of at least 1 / (n · k^(d-1)), however rare it would be by chance (Burckhardt, Kothari,
 *  Musuvathi, Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, 2010). */
export class Priorities<Thread> {
  readonly #order: Thread[];
  readonly #changes: ReadonlySet<number>;
  #steps = 0;

  /** @param order the first has the highest priority
   *  @param changes the numbers (from 0 on) of the steps at which priorities change */
  constructor(order: readonly Thread[], changes: Iterable<number>) {
    this.#order = [...order];
    this.#changes = new Set(changes);
  }

  /** How many steps were taken. */
  get steps(): number {
    return this.#steps;
  }

  /** Takes the next step: of those that `canGo`, the one with the highest priority. */
  next(canGo: (thread: Thread) => boolean): Thread | undefined {
    const first = this.#order.find(canGo);
    if (first === undefined) return undefined;
    if (this.#changes.has(this.#steps++)) {
      this.#order.splice(this.#order.indexOf(first), 1);
      this.#order.push(first);
    }
    return this.#order.find(canGo);
  }
}
