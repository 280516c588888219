import type { Clock } from '../../functions/basics/clock.ts';
import { showAbout } from './duration.ts';

/** The shortest time between two lines about the same. */
export const LINE_EVERY_MS = 60_000;

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
