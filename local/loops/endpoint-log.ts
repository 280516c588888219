import type { Clock } from '../../functions/basics/clock.ts';
import type { Log } from '../../functions/basics/telemetry.ts';
import type { Failure } from '../../functions/delivery/http/outcome.ts';
import { showAbout } from '../basics/duration.ts';
import { LINE_EVERY_MS, Outage, throttled } from '../basics/outage.ts';

/** After this many failures in a row, the next event that arrives means that the endpoint was away and is
 *  back. An event that always fails, while others arrive, does not count as that. */
export const AWAY = 3;

/** A failed attempt of one event. */
interface FailedAttempt extends Failure {
  readonly eventId: string;
  /** ms until the next attempt; undefined: the event was given up. */
  readonly pause?: number | undefined;
}

/** The details that the deliverer's messages have. */
interface Details {
  readonly endpoint?: string;
  readonly eventId?: string;
  readonly reason?: string;
  readonly said?: string;
  readonly seconds?: number;
  readonly error?: unknown;
}

/** What was logged of one endpoint. */
interface Logged {
  readonly outage: Outage;
  /** Writes a message that is not about a single event. */
  readonly say: (text: string) => void;
  failuresInARow: number;
  /** Events given up since the last line about them. */
  dead: number;
  deadLoggedAt: number;
}

/** Logs deliveries for a person at a terminal: of each endpoint, the first failure at once, then their number in at most one line a
 *  minute, then that it answers again; the same of events that are given up. Any other message comes once a minute at most. */
export class EndpointLog {
  /** The log of the deliverer. `info` is left out. */
  readonly log: Log;
  readonly #say: (endpoint: string, text: string) => void;
  readonly #clock: Clock;
  readonly #logged = new Map<string, Logged>();
  #isEnded = false;

  /** @param other gets messages about no endpoint */
  constructor(say: (endpoint: string, text: string) => void, other: Log, clock: Clock) {
    this.#say = (endpoint, text) => {
      if (!this.#isEnded) say(endpoint, text);
    };
    this.#clock = clock;
    const write =
      (level: 'warn' | 'error') =>
      (message: string, details: object = {}) => {
        const { endpoint } = details as Details;
        if (endpoint !== undefined) this.#write(endpoint, message, details);
        else if (!this.#isEnded) other[level](message, details);
      };
    this.log = { info: () => undefined, warn: write('warn'), error: write('error') };
  }

  /** An attempt failed. */
  failed(endpoint: string, { pause, ...attempt }: FailedAttempt): void {
    const logged = this.#of(endpoint);
    if (pause === undefined) {
      this.#gaveUp(endpoint, logged, nameOf(attempt));
      return;
    }
    logged.failuresInARow += 1;
    const line = logged.outage.failed(`${nameOf(attempt)}; next try in ${showAbout(pause)}`);
    if (line !== undefined) this.#say(endpoint, line);
  }

  /** Deliveries arrived. `attempts`: how many of each had failed. */
  arrived(endpoint: string, all: readonly { readonly attempts?: number | undefined }[]): void {
    const logged = this.#of(endpoint);
    for (const { attempts = 0 } of all) {
      const wasAway = logged.failuresInARow >= AWAY;
      logged.failuresInARow = 0;
      if (logged.outage.failures === 0 || !(attempts > 0 || wasAway)) continue;
      const line = logged.outage.ended('answers again');
      if (line !== undefined) this.#say(endpoint, line);
    }
  }

  /** Reports what was not reported yet, and nothing after that. */
  end(): void {
    for (const [endpoint, { dead }] of this.#logged)
      if (dead > 0) this.#say(endpoint, `${dead} more events given up; they are dead letters now`);
    this.#isEnded = true;
  }

  #gaveUp(endpoint: string, logged: Logged, name: string): void {
    logged.dead += 1;
    const now = this.#clock();
    if (now - logged.deadLoggedAt < LINE_EVERY_MS) return;
    logged.deadLoggedAt = now;
    const all = logged.dead === 1 ? 'given up' : `${logged.dead} events given up; the last`;
    this.#say(endpoint, `${all}: ${name}; it is a dead letter now`);
    logged.dead = 0;
  }

  #of(endpoint: string): Logged {
    const known = this.#logged.get(endpoint);
    if (known) return known;
    const made = {
      outage: new Outage(this.#clock),
      say: throttled(text => this.#say(endpoint, text), this.#clock),
      ...{ failuresInARow: 0, dead: 0, deadLoggedAt: Number.NEGATIVE_INFINITY },
    };
    this.#logged.set(endpoint, made);
    return made;
  }

  #write(endpoint: string, message: string, details: object): void {
    const { eventId, reason, said, seconds, error } = details as Details;
    if (eventId !== undefined && reason !== undefined && error === undefined) {
      const pause = seconds === undefined ? undefined : seconds * 1000;
      this.failed(endpoint, { eventId, reason, said, pause });
    } else if (message.startsWith('endpoint.stopped')) {
      // The message itself says what the operator of a stack does about it; on one machine that is
      // something else.
      this.#say(endpoint, `${reason}, so nothing is sent to it until the next start; its events wait`);
    } else {
      const why = reason ?? error;
      this.#of(endpoint).say(why === undefined ? message : `${message.replace(/\.$/, '')} (${why})`);
    }
  }
}

function nameOf({ eventId, reason, said }: Omit<FailedAttempt, 'pause'>): string {
  return `event ${eventId}: ${reason}${said === undefined ? '' : ` (${said})`}`;
}
