/** How long one count lasts, in ms; the rate is that of two. */
const COUNT_MS = 1_000;
/** The shortest time that a rate is told of: what services allow, they allow a second at least. */
const SHORTEST_MS = 1_000;
/** Behind so long a silence nothing is known of what the service bears now. */
const SILENCE_MS = 1_000;
/** So many a second are never waited for; what a slower service asks for is up to its `Retry-After`. */
const SLOWEST = 5;
/** A part of the rate that was too much, which is left out at first. */
const BACK_OFF = 0.1;
/** ms until the pace is that rate again; and where it is but a guess, as it was not observed for SHORTEST_MS. */
const PLATEAU_MS = 8_000;
const GUESS_MS = 3_000;

interface Count {
  readonly from: number;
  readonly accepted: number;
}

/**
 * How many requests a second a service with a rate limit takes: unknown until it refuses one, then nine tenths of what it had
 * accepted, rising along a cubic curve (as TCP's CUBIC does): soon near that rate, there for long, and fast beyond it. Times in
 * ms by one clock, which may be set: no wait is longer than what it is for.
 */
export class Pace {
  #counts: readonly [before: Count, now: Count] = [
    { from: 0, accepted: 0 },
    { from: 0, accepted: 0 },
  ];
  #lastAt = Number.NEGATIVE_INFINITY;
  #too: { readonly rate: number; readonly from: number; readonly plateau: number } | undefined;
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
    // What a timer rang late is made up for; what was not asked for is not.
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
    this.#too = { rate, from, plateau: took < SHORTEST_MS ? GUESS_MS : PLATEAU_MS };
    this.#lastAt = Math.max(now, from);
  }

  /** Requests a second. */
  rate(now: number): number {
    if (!this.#too) return Number.POSITIVE_INFINITY;
    const { rate, from, plateau } = this.#too;
    // Of a clock that was set back nothing is known any more, as of one that went on for long.
    const curve = (Math.abs(now - from) / plateau - 1) ** 3;
    return rate * (1 + BACK_OFF * curve);
  }
}
