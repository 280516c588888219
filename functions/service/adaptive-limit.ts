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
  /** True when the limit does not count it. */
  readonly isBeside: boolean;
}

/** A time in which the service wants no request, by its `Retry-After`. */
interface Pause {
  readonly status: number;
  readonly from: number;
  readonly until: number;
}

const FIRST = 4;
/** A longer `Retry-After` counts as this: the service is asked again now and then. */
const MAX_PAUSE_MS = 10 * 60_000;
/** A round of answers is slow when its median is longer than SLOW times the quickest median and SLOW_MS. SLOW
 *  is less than 2: where latency grows with the requests at once, half as many after a cut would otherwise
 *  only be as quick as the quickest round, which then crept upwards. */
const SLOW = 1.5;
const SLOW_MS = 50;
/** The median of fewer answers is not enough: each project's list takes its own time. */
const LEAST_KNOWN = 8;
/** The quickest median that is remembered grows by this factor with each slower round: a service may become
 *  slower for good. */
const FORGETTING = 1.05;

/**
 * How many requests a service is sent at once (additive increase, multiplicative decrease): one more after
 * each round of answers that is about as quick as the quickest round, half as many after a 429, a 503, a
 * time-out or a slow round. Requests that were under way at that time don't halve it again. Has no timer and
 * no queue: times in ms are arguments.
 */
export class AdaptiveLimit {
  readonly #ceiling: () => number;
  readonly #pace = new Pace();
  #atOnce: number;
  #underWay = 0;
  #beside = 0;
  #cuts = 0;
  #pause: Pause | undefined;
  #quickest = Number.POSITIVE_INFINITY;
  /** Answers of this round. */
  #answers = 0;
  /** What the latest answers took, in ms; emptied when the limit or the pace is reduced. */
  #recent: number[] = [];

  /** @param ceiling the most requests at once that are allowed now */
  constructor(ceiling: () => number) {
    this.#ceiling = ceiling;
    this.#atOnce = Math.min(FIRST, Math.max(1, ceiling()));
  }

  get atOnce(): number {
    return Math.min(this.#atOnce, this.#ceiling());
  }

  /** The pause that the service asked for, if it is not over. */
  pauseAt(now: number): Pause | undefined {
    // A clock that was set back makes no pause longer.
    return this.#pause && now < this.#pause.until && now >= this.#pause.from ? this.#pause : undefined;
  }

  /** Forgets the pause. */
  resume(): void {
    this.#pause = undefined;
  }

  /** ms from `now` until the next request may be sent; infinite while others have to end first. */
  wait(now: number): number {
    if (this.#underWay >= this.atOnce || this.#isFull) return Number.POSITIVE_INFINITY;
    const pause = this.pauseAt(now);
    return pause ? pause.until - now : this.#pace.wait(now);
  }

  start(now: number): Turn {
    this.#underWay += 1;
    this.#pace.started(now);
    return { at: now, cuts: this.#cuts, isLast: this.#underWay >= this.atOnce, isBeside: false };
  }

  /** A request beside those that the limit counts: only the ceiling, the pace and a pause bound it. */
  startBeside(now: number): Turn | undefined {
    if (this.#isFull || this.pauseAt(now) || this.#pace.wait(now) > 0) return undefined;
    this.#beside += 1;
    this.#pace.started(now);
    return { at: now, cuts: this.#cuts, isLast: false, isBeside: true };
  }

  get #isFull(): boolean {
    return this.#underWay + this.#beside >= this.#ceiling();
  }

  /** `retryAfter`: ms that the service asks to wait, with the status that asked. */
  end(turn: Turn, now: number, outcome: Outcome, asked?: { status: number; retryAfter: number }): void {
    if (turn.isBeside) this.#beside -= 1;
    else this.#underWay -= 1;
    if (asked) {
      const until = now + Math.min(asked.retryAfter, MAX_PAUSE_MS);
      if (until > (this.pauseAt(now)?.until ?? now)) this.#pause = { status: asked.status, from: now, until };
    }
    if (turn.isBeside && outcome === 'overloaded') return;
    if (outcome === 'answered') this.#answered(turn, now);
    else if (outcome !== 'other' && turn.cuts === this.#cuts) {
      if (outcome === 'rate limit') this.#pace.refused(now, this.pauseAt(now)?.until ?? now);
      // If the limit had room for more, it was not too many requests at once, but too many a second.
      this.#cut(outcome === 'overloaded' || turn.isLast);
    }
  }

  #answered(turn: Turn, now: number): void {
    this.#pace.accepted(now);
    // A request that didn't fill the limit shows nothing about it, and one from before a cut nothing about the
    // new limit.
    if (!turn.isLast || turn.cuts !== this.#cuts) return;
    const took = Math.max(0, now - turn.at);
    this.#recent.push(took);
    if (this.#recent.length > Math.max(this.atOnce, LEAST_KNOWN)) this.#recent.shift();
    this.#answers += 1;
    if (this.#answers < this.atOnce) return;
    this.#answers = 0;
    if (this.#isSlow()) this.#cut(true);
    // A ceiling that is low now may rise: what the service bears is not forgotten.
    else this.#atOnce = Math.max(this.#atOnce, Math.min(this.#ceiling(), this.#atOnce + 1));
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

/** How long accepted requests are counted in one count, in ms; a rate is taken from the last two counts. */
const COUNT_MS = 1_000;
/** The shortest time that a rate is computed over: services limit requests by the second, or by a longer
 *  time. */
const SHORTEST_MS = 1_000;
/** After so long without a request, counting starts again: what the service bears now is unknown. */
const SILENCE_MS = 1_000;
/** The lowest rate that is assumed, in requests a second; a service that bears less must show it by its
 *  `Retry-After`. */
const SLOWEST = 5;
/** By this part the pace begins below the rate that was refused. */
const BACK_OFF = 0.1;
/** ms until the pace reaches that rate again. GUESS_MS holds where the rate was observed for less than
 *  SHORTEST_MS. */
const PLATEAU_MS = 8_000;
const GUESS_MS = 3_000;

interface Count {
  readonly from: number;
  readonly accepted: number;
}

/**
 * How many requests a second a service with a rate limit takes: without a bound until it refuses one, then
 * nine tenths of what it had accepted, rising along a cubic curve (as TCP's CUBIC does): soon near that rate,
 * there for long, and fast beyond it. Times in ms by one clock. It may be set back: no wait becomes longer by
 * that.
 */
export class Pace {
  #counts: readonly [before: Count, now: Count] = [
    { from: 0, accepted: 0 },
    { from: 0, accepted: 0 },
  ];
  #lastAt = Number.NEGATIVE_INFINITY;
  #refusal: { readonly rate: number; readonly from: number; readonly plateau: number } | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #nextAt = Number.NEGATIVE_INFINITY;

  /** ms from `now` until the next request may start. */
  wait(now: number): number {
    // A clock that was set back would make it wait as long as it was set back by.
    return now < this.#startedAt ? 0 : Math.max(0, this.#nextAt - now);
  }

  started(now: number): void {
    if (Math.abs(now - this.#lastAt) > SILENCE_MS) {
      const count = { from: now, accepted: 0 };
      this.#counts = [count, count];
    }
    this.#lastAt = now;
    this.#startedAt = now;
    const interval = 1_000 / this.rate(now);
    // A timer that fired late is made up for by a shorter wait; time in which nothing was asked for is not.
    const isLate = now >= this.#nextAt && now - this.#nextAt < interval;
    this.#nextAt = (isLate ? this.#nextAt : now) + interval;
  }

  accepted(now: number): void {
    this.#lastAt = now;
    const [before, { from, accepted }] = this.#counts;
    const isOver = now - from >= COUNT_MS || now < from;
    const current = { from, accepted: accepted + 1 };
    this.#counts = isOver ? [current, { from: now, accepted: 0 }] : [before, current];
  }

  /** The service refused one for its rate; the pace starts again at `from`, when it takes requests again. */
  refused(now: number, from: number): void {
    const [before, current] = this.#counts;
    const accepted = current.accepted + (before.from === current.from ? 0 : before.accepted);
    const took = now - before.from;
    const rate = Math.max(SLOWEST, (accepted * 1_000) / Math.max(SHORTEST_MS, took));
    this.#refusal = { rate, from, plateau: took < SHORTEST_MS ? GUESS_MS : PLATEAU_MS };
    this.#lastAt = Math.max(now, from);
  }

  /** Requests a second. */
  rate(now: number): number {
    if (!this.#refusal) return Number.POSITIVE_INFINITY;
    const { rate, from, plateau } = this.#refusal;
    // A clock that was set back counts like one that went on: the older the refusal seems, the less it counts.
    const curve = (Math.abs(now - from) / plateau - 1) ** 3;
    return rate * (1 + BACK_OFF * curve);
  }
}
