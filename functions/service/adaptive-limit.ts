import { Pace } from './pace.ts';

/** What came of a request: an answer, a 429 (`rate limit`), a 503 or a time-out (`overloaded`), or another
 *  failure. */
export type Outcome = 'answered' | 'rate limit' | 'overloaded' | 'other';

/** A request under way. */
export interface Turn {
  /** ms, when it was sent. */
  readonly at: number;
  /** How often the limit or the pace had been reduced when it was sent. */
  readonly cuts: number;
  /** True when it was the last that the limit allowed at that moment. */
  readonly isLast: boolean;
}

/** A time in which the service wants no request, by its `Retry-After`. */
export interface Pause {
  readonly status: number;
  readonly from: number;
  readonly until: number;
}

const FIRST = 4;
/** A longer `Retry-After` counts as this: the service is asked again now and then. */
const LONGEST_PAUSE_MS = 10 * 60_000;
/** A round of answers is slow when its median is longer than SLOW times the quickest median and SLOW_MS. SLOW
 *  is less than 2: where latency grows with the requests at once, half as many after a cut would otherwise
 *  only be as quick as the quickest round, which then crept upwards. */
const SLOW = 1.5;
const SLOW_MS = 50;
/** The median of fewer answers says too little: each project's list takes its own time. */
const LEAST_KNOWN = 8;
/** The quickest median that is remembered grows by this factor with each slower round: a service may become
 *  slower for good. */
const FORGETTING = 1.05;

/**
 * How many requests a service is sent at once (additive increase, multiplicative decrease): one more after each round of answers
 * that is about as quick as the quickest round, half as many after a 429, a 503, a time-out or a slow round. Requests that were
 * under way at that time don't halve it again. Has no timer and no queue: times in ms are arguments.
 */
export class AdaptiveLimit {
  readonly #ceiling: number;
  readonly #pace = new Pace();
  #atOnce: number;
  #underWay = 0;
  #cuts = 0;
  #pause: Pause | undefined;
  #quickest = Number.POSITIVE_INFINITY;
  /** Answers of this round. */
  #answers = 0;
  /** What the latest answers took, in ms; emptied when the limit or the pace is reduced. */
  #recent: number[] = [];

  constructor(ceiling: number) {
    this.#ceiling = ceiling;
    this.#atOnce = Math.min(FIRST, ceiling);
  }

  get atOnce(): number {
    return this.#atOnce;
  }

  /** The pause that the service asked for, if it is not over. */
  pauseAt(now: number): Pause | undefined {
    // A clock that was set back makes no pause longer.
    return this.#pause && now < this.#pause.until && now >= this.#pause.from ? this.#pause : undefined;
  }

  /** ms from `now` until the next request may be sent; infinite while others have to end first. */
  wait(now: number): number {
    if (this.#underWay >= this.#atOnce) return Number.POSITIVE_INFINITY;
    const pause = this.pauseAt(now);
    return pause ? pause.until - now : this.#pace.wait(now);
  }

  start(now: number): Turn {
    this.#underWay += 1;
    this.#pace.started(now);
    return { at: now, cuts: this.#cuts, isLast: this.#underWay >= this.#atOnce };
  }

  /** `retryAfter`: ms that the service asks to wait, with the status that asked. */
  end(turn: Turn, now: number, outcome: Outcome, asked?: { status: number; retryAfter: number }): void {
    this.#underWay -= 1;
    if (asked) {
      const until = now + Math.min(asked.retryAfter, LONGEST_PAUSE_MS);
      if (until > (this.pauseAt(now)?.until ?? now)) this.#pause = { status: asked.status, from: now, until };
    }
    if (outcome === 'answered') this.#answered(turn, now);
    else if (outcome !== 'other' && turn.cuts === this.#cuts) {
      if (outcome === 'rate limit') this.#pace.refused(now, this.pauseAt(now)?.until ?? now);
      // If the limit had room for more, it was not too many requests at once, but too many a second.
      this.#cut(outcome === 'overloaded' || turn.isLast);
    }
  }

  #answered(turn: Turn, now: number): void {
    this.#pace.accepted(now);
    // A request that didn't fill the limit says nothing about it, and one from before a cut nothing about the
    // new limit.
    if (!turn.isLast || turn.cuts !== this.#cuts) return;
    const took = Math.max(0, now - turn.at);
    this.#recent.push(took);
    if (this.#recent.length > Math.max(this.#atOnce, LEAST_KNOWN)) this.#recent.shift();
    this.#answers += 1;
    if (this.#answers < this.#atOnce) return;
    this.#answers = 0;
    if (this.#isSlow()) this.#cut(true);
    else this.#atOnce = Math.min(this.#ceiling, this.#atOnce + 1);
  }

  #isSlow(): boolean {
    if (this.#recent.length < LEAST_KNOWN) return false;
    const median = this.#recent.toSorted((one, other) => one - other)[this.#recent.length >> 1] as number;
    const isSlow = median > SLOW * this.#quickest + SLOW_MS;
    this.#quickest = Math.min(median, FORGETTING * this.#quickest);
    return isSlow;
  }

  #cut(halves: boolean): void {
    this.#cuts += 1;
    if (halves) this.#atOnce = Math.max(1, this.#atOnce >> 1);
    this.#answers = 0;
    this.#recent = [];
  }
}
