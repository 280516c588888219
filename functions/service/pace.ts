/** How long accepted requests are counted in one count, in ms; a rate is taken from the last two counts. */
const COUNT_MS = 1_000;
/** The shortest time that a rate is computed over: services limit requests by the second, or by a longer
 *  time. */
const SHORTEST_MS = 1_000;
/** After so long without a request, counting begins anew: what the service bears now is unknown. */
const SILENCE_MS = 1_000;
/** The lowest rate that is assumed, in requests a second; a service that bears less must say so by its
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
 * How many requests a second a service with a rate limit takes: without a bound until it refuses one, then nine tenths of what it
 * had accepted, rising along a cubic curve (as TCP's CUBIC does): soon near that rate, there for long, and fast beyond it. Times
 * in ms by one clock. It may be set back: no wait becomes longer by that.
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

  /** The service refused one for its rate; the pace begins anew at `from`, when it takes requests again. */
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
    // A clock that was set back counts like one that went on: the older the refusal seems, the less it says.
    const curve = (Math.abs(now - from) / plateau - 1) ** 3;
    return rate * (1 + BACK_OFF * curve);
  }
}
