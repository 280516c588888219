import type { Clock } from '../../functions/basics/clock.ts';
import type { Failure } from '../../functions/endpoints/outcome.ts';
import { showAbout } from '../basics/duration.ts';

/** An attempt that failed, of one event. */
export interface FailedAttempt extends Failure {
  readonly eventId: string;
  /** Until the next one, in ms. */
  readonly pause: number;
}

/** So many failures in a row, and then an event that arrives, are an endpoint that was away and is back. One event that
 *  always fails, among others that arrive, is none. */
export const AWAY = 3;
/** Between two lines about the same. */
const LINE_EVERY_MS = 60_000;

/** Tells of one endpoint's failures: the first at once, then a line a minute at most, with their number, then that it answers
 *  again. */
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

  /** Nothing of it is tried again. */
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

  /** What was not told yet, at the end. */
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
