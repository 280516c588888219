import type { Clock } from '../../functions/basics/clock.ts';
import type { Failure } from '../../functions/endpoints/outcome.ts';
import { showAbout } from '../basics/duration.ts';

/** An attempt that failed, of one event. */
export interface FailedAttempt extends Failure {
  readonly eventId: string;
  /** Until the next one, in ms. */
  readonly pause: number;
}

/** From so many failures in a row on, the next event that arrives means that the endpoint was away and is
 *  back. An event that always fails, while others arrive, does not count as that. */
export const AWAY = 3;
/** The shortest time between two lines about the same. */
const LINE_EVERY_MS = 60_000;

/** Reports one endpoint's failures: the first at once, then their number in at most one line a minute,
 *  then that it answers again. */
export class Failures {
  readonly #say: (text: string) => void;
  readonly #clock: Clock;
  #failed = 0;
  #inARow = 0;
  #since = 0;
  #isTold = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #dead = 0;
  #deadToldAt = Number.NEGATIVE_INFINITY;

  constructor(say: (text: string) => void, clock: Clock) {
    this.#say = say;
    this.#clock = clock;
  }

  failed({ pause, ...attempt }: FailedAttempt): void {
    const now = this.#clock();
    if (this.#failed === 0) this.#since = now;
    this.#failed += 1;
    this.#inARow += 1;
    if (now - this.#toldAt < LINE_EVERY_MS) return;
    this.#toldAt = now;
    this.#isTold = true;
    const before = this.#failed === 1 ? '' : `${this.#attempts(now)}; the last: `;
    this.#say(`${before}${nameOf(attempt)}; next try in ${showAbout(pause)}`);
  }

  /** An event was given up: it is not tried again. */
  gaveUp(attempt: Omit<FailedAttempt, 'pause'>): void {
    this.#dead += 1;
    const now = this.#clock();
    if (now - this.#deadToldAt < LINE_EVERY_MS) return;
    this.#deadToldAt = now;
    const all = this.#dead === 1 ? 'given up' : `${this.#dead} events given up; the last`;
    this.#say(`${all}: ${nameOf(attempt)}; it is a dead letter now`);
    this.#dead = 0;
  }

  /** @param again whether an attempt of the same event had failed
   *  @returns true when the endpoint was away, and is back */
  arrived(again: boolean): boolean {
    const wasAway = this.#inARow >= AWAY;
    this.#inARow = 0;
    if (this.#failed === 0 || !(again || wasAway)) return wasAway;
    if (this.#isTold) this.#say(`answers again, after ${this.#attempts(this.#clock())}`);
    this.#failed = 0;
    this.#isTold = false;
    return wasAway;
  }

  /** Reports, at the end, what was not reported yet. */
  end(): void {
    if (this.#dead > 0) this.#say(`${this.#dead} more events given up; they are dead letters now`);
    this.#dead = 0;
  }

  #attempts(now: number): string {
    return `${this.#failed} failed ${this.#failed === 1 ? 'attempt' : 'attempts'} in ${showAbout(now - this.#since)}`;
  }
}

function nameOf({ eventId, reason, said }: Failure & { readonly eventId: string }): string {
  return `event ${eventId}: ${reason}${said === undefined ? '' : ` (${said})`}`;
}
