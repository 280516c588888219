import type { Clock } from '../../functions/basics/clock.ts';
import type { Log } from '../../functions/basics/telemetry.ts';
import type { Failure } from '../../functions/delivery/http/outcome.ts';
import { showAbout } from '../basics/duration.ts';
import { LINE_EVERY_MS, Outage, throttled } from '../basics/outage.ts';

/** After this number of failures in a row, the next delivered event means that the endpoint was down and is back. An
 *  event that always fails while others are delivered does not count. */
export const AWAY = 3;

/** A failed attempt of one event. */
interface FailedAttempt extends Pick<Failure, 'reason'> {
  readonly eventId: string;
  /** The beginning of the endpoint's answer. */
  readonly answer?: string | undefined;
  /** ms until the next attempt; undefined: the event became a dead letter. */
  readonly pause?: number | undefined;
}

/** The details in the messages of the deliver handler. */
interface Details {
  readonly code?: string;
  readonly endpoint?: string;
  readonly eventId?: string;
  readonly reason?: string;
  readonly quote?: string;
  readonly seconds?: number;
  readonly error?: unknown;
}

/** Writes a line about an endpoint, with its code. */
export type EndpointWarn = (endpoint: string, text: string, code: string) => void;

/** The state of the log for one endpoint. */
interface Logged {
  readonly outage: Outage;
  /** Writes a message that is not about a single event. */
  readonly warn: (text: string, details: { readonly code: string }) => void;
  failuresInARow: number;
  /** New dead letters since the last line about them. */
  dead: number;
  deadLoggedAt: number;
}

/** Logs deliveries for a person at a terminal: for each endpoint, the first failure at once, then the number of
 *  failures in at most one line a minute, then its recovery; dead letters likewise. Any other message appears at most
 *  once a minute. */
export class EndpointLog {
  /** The log of the deliver handler. `info` is left out. */
  readonly log: Log;
  readonly #warn: EndpointWarn;
  readonly #clock: Clock;
  readonly #logged = new Map<string, Logged>();
  #isEnded = false;

  /** @param other gets messages without an endpoint */
  constructor(warn: EndpointWarn, other: Log, clock: Clock) {
    this.#warn = (...line) => {
      if (!this.#isEnded) warn(...line);
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
    const line = logged.outage.failed(`${nameOf(attempt)}; next attempt in ${showAbout(pause)}`);
    if (line !== undefined) this.#warn(endpoint, line, 'delivery.failed');
  }

  /** Deliveries succeeded. `attempts`: the number of failed attempts of each. */
  arrived(endpoint: string, all: readonly { readonly attempts?: number | undefined }[]): void {
    const logged = this.#of(endpoint);
    for (const { attempts = 0 } of all) {
      const wasAway = logged.failuresInARow >= AWAY;
      logged.failuresInARow = 0;
      if (logged.outage.failures === 0 || !(attempts > 0 || wasAway)) continue;
      const line = logged.outage.ended('works again');
      if (line !== undefined) this.#warn(endpoint, line, 'endpoint.recovered');
    }
  }

  /** Reports the remaining dead letters, and nothing after that. */
  end(): void {
    for (const [endpoint, { dead }] of this.#logged)
      if (dead > 0)
        this.#warn(endpoint, `gave up on ${dead} more events; moved to the dead letters`, DEAD_LETTER);
    this.#isEnded = true;
  }

  #gaveUp(endpoint: string, logged: Logged, name: string): void {
    logged.dead += 1;
    const now = this.#clock();
    if (now - logged.deadLoggedAt < LINE_EVERY_MS) return;
    logged.deadLoggedAt = now;
    const all = logged.dead === 1 ? name : `${logged.dead} events (latest: ${name})`;
    this.#warn(endpoint, `gave up on ${all}; moved to the dead letters`, DEAD_LETTER);
    logged.dead = 0;
  }

  #of(endpoint: string): Logged {
    const known = this.#logged.get(endpoint);
    if (known) return known;
    const made: Logged = {
      outage: new Outage(this.#clock),
      warn: throttled(
        (text, details) => this.#warn(endpoint, text, (details as { readonly code: string }).code),
        this.#clock,
      ),
      ...{ failuresInARow: 0, dead: 0, deadLoggedAt: Number.NEGATIVE_INFINITY },
    };
    this.#logged.set(endpoint, made);
    return made;
  }

  #write(endpoint: string, message: string, details: object): void {
    const { code = 'endpoint.warning', eventId, reason, quote: answer, seconds, error } = details as Details;
    if (eventId !== undefined && reason !== undefined && error === undefined) {
      const pause = seconds === undefined ? undefined : seconds * 1000;
      this.failed(endpoint, { eventId, reason, answer, pause });
    } else if (code === 'endpoint.stopped') {
      // The message has the remedy for a stack; on one machine it is another one.
      this.#warn(
        endpoint,
        `${reason}; events are queued until you resume it: npx changewire endpoints resume ${endpoint}`,
        code,
      );
    } else {
      const why = reason ?? error;
      const text = why === undefined ? message : `${message.replace(/\.$/, '')} (${why})`;
      this.#of(endpoint).warn(text, { code });
    }
  }
}

const DEAD_LETTER = 'delivery.dead-letter';

function nameOf({ eventId, reason, answer }: Omit<FailedAttempt, 'pause'>): string {
  return `event ${eventId}: ${reason}${answer === undefined ? '' : ` (${answer})`}`;
}
