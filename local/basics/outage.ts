import type { Clock } from '../../functions/basics/clock.ts';
import { showAbout } from './duration.ts';

/** The shortest time between two lines about the same. */
export const LINE_EVERY_MS = 60_000;

/** Writes each message at most once a minute: on a full disk the same operation fails every second. */
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

/** Reports repeated failures: the first at once, then their number in at most one line a minute, and their end. */
export class Outage {
  readonly #clock: Clock;
  #failed = 0;
  #since = 0;
  #isReported = false;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of failed attempts; 0 without an outage. */
  get failures(): number {
    return this.#failed;
  }

  /** An attempt failed, as `text` describes. @returns the line to write; undefined: it is only counted */
  failed(text: string): string | undefined {
    const now = this.#clock();
    if (this.#failed === 0) this.#since = now;
    this.#failed += 1;
    // A clock that was set back must not silence the log until the former time comes again.
    const past = now - this.#reportedAt;
    if (past >= 0 && past < LINE_EVERY_MS) return undefined;
    this.#reportedAt = now;
    this.#isReported = true;
    return this.#failed === 1 ? text : `${this.#attempts(now)}; latest: ${text}`;
  }

  /** The outage is over. @returns the line to write; undefined: the outage was never reported */
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
