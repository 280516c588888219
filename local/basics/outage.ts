import type { Clock } from '../../functions/basics/clock.ts';
import type { Failure } from '../../functions/delivery/http/outcome.ts';
import { showAbout } from './duration.ts';

/** The shortest time between two lines about the same. */
const LINE_EVERY_MS = 60_000;

/** Writes each message once a minute at most: on a full disk the same fails every second. */
export function throttled(
  write: (message: string, details?: object) => void,
  clock: Clock,
): (message: string, details?: object) => void {
  const writtenAt = new Map<string, number>();
  return (message, details) => {
    const now = clock();
    const past = now - (writtenAt.get(message) ?? Number.NEGATIVE_INFINITY);
    if (past >= 0 && past < LINE_EVERY_MS) return;
    writtenAt.set(message, now);
    write(message, details);
  };
}

/** Reports the failures of one thing: the first at once, then their number in at most one line a minute, and their end. */
export class Outage {
  readonly #clock: Clock;
  #failed = 0;
  #since = 0;
  #isReported = false;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many attempts have failed; 0: there is no outage. */
  get failures(): number {
    return this.#failed;
  }

  /** An attempt failed, as `text` says. @returns the line to write; undefined: it is counted alone */
  failed(text: string): string | undefined {
    const now = this.#clock();
    if (this.#failed === 0) this.#since = now;
    this.#failed += 1;
    // A clock that was set back must not silence the log until the former time comes again.
    const past = now - this.#reportedAt;
    if (past >= 0 && past < LINE_EVERY_MS) return undefined;
    this.#reportedAt = now;
    this.#isReported = true;
    return this.#failed === 1 ? text : `${this.#attempts(now)}; the last: ${text}`;
  }

  /** The outage is over. @returns the line that says so; undefined: it was never reported */
  ended(how: string): string | undefined {
    const line = this.#isReported ? `${how}, after ${this.#attempts(this.#clock())}` : undefined;
    this.#failed = 0;
    this.#isReported = false;
    return line;
  }

  #attempts(now: number): string {
    const attempts = this.#failed === 1 ? 'attempt' : 'attempts';
    return `${this.#failed} failed ${attempts} in ${showAbout(Math.max(0, now - this.#since))}`;
  }
}

/** An attempt that failed, of one event. */
interface FailedAttempt extends Failure {
  readonly eventId: string;
  /** Until the next one, in ms. */
  readonly pause: number;
}

/** From so many failures in a row on, the next event that arrives means that the endpoint was away and is
 *  back. An event that always fails, while others arrive, does not count as that. */
export const AWAY = 3;

/** Reports one endpoint's failures: the first at once, then their number in at most one line a minute,
 *  then that it answers again. */
export class Failures {
  readonly #say: (text: string) => void;
  readonly #clock: Clock;
  readonly #outage: Outage;
  #inARow = 0;
  #dead = 0;
  #deadToldAt = Number.NEGATIVE_INFINITY;

  constructor(say: (text: string) => void, clock: Clock) {
    this.#say = say;
    this.#clock = clock;
    this.#outage = new Outage(clock);
  }

  failed({ pause, ...attempt }: FailedAttempt): void {
    this.#inARow += 1;
    const line = this.#outage.failed(`${nameOf(attempt)}; next try in ${showAbout(pause)}`);
    if (line !== undefined) this.#say(line);
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
    if (this.#outage.failures === 0 || !(again || wasAway)) return wasAway;
    const line = this.#outage.ended('answers again');
    if (line !== undefined) this.#say(line);
    return wasAway;
  }

  /** Reports, at the end, what was not reported yet. */
  end(): void {
    if (this.#dead > 0) this.#say(`${this.#dead} more events given up; they are dead letters now`);
    this.#dead = 0;
  }
}

function nameOf({ eventId, reason, said }: Failure & { readonly eventId: string }): string {
  return `event ${eventId}: ${reason}${said === undefined ? '' : ` (${said})`}`;
}
