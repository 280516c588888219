import type { Clock } from '../../functions/basics/clock.ts';
import type { Log } from '../../functions/basics/telemetry.ts';
import { Failures } from '../basics/outage.ts';

/** The shortest time, in ms, between two equal messages that are not about a single event. */
const ONCE_IN = 60_000;

/** The details that the deliverer's messages have. */
interface Details {
  readonly endpoint?: string;
  readonly eventId?: string;
  readonly reason?: string;
  readonly said?: string;
  readonly seconds?: number;
  readonly error?: unknown;
}

/** What one endpoint's deliverer logged. */
interface Logged {
  readonly failures: Failures;
  readonly saidAt: Map<string, number>;
}

/** The log of the deliverer, as lines for a person at a terminal: failures are counted for each endpoint, any other message about it comes
 *  once a minute, and `info` is left out. */
export class EndpointLog {
  readonly log: Log;
  readonly #say: (endpoint: string, text: string) => void;
  readonly #clock: Clock;
  readonly #logged = new Map<string, Logged>();
  #isEnded = false;

  /** @param other what is about no endpoint goes there */
  constructor(say: (endpoint: string, text: string) => void, other: Log, clock: Clock) {
    this.#say = (endpoint, text) => {
      if (!this.#isEnded) say(endpoint, text);
    };
    this.#clock = clock;
    const tell =
      (level: 'warn' | 'error') =>
      (message: string, details: object = {}) => {
        const { endpoint } = details as Details;
        if (endpoint !== undefined) this.#tell(endpoint, message, details);
        else if (!this.#isEnded) other[level](message, details);
      };
    this.log = { info: () => undefined, warn: tell('warn'), error: tell('error') };
  }

  /** Deliveries arrived. `attempts`: how many of each had failed. */
  arrived(endpoint: string, all: readonly { readonly attempts?: number | undefined }[]): void {
    const { failures } = this.#of(endpoint);
    for (const { attempts = 0 } of all) failures.arrived(attempts > 0);
  }

  /** Reports what was not reported yet, and nothing after that. */
  end(): void {
    for (const { failures } of this.#logged.values()) failures.end();
    this.#isEnded = true;
  }

  #of(endpoint: string): Logged {
    const say = (text: string) => this.#say(endpoint, text);
    const known = this.#logged.get(endpoint) ?? {
      failures: new Failures(say, this.#clock),
      saidAt: new Map<string, number>(),
    };
    this.#logged.set(endpoint, known);
    return known;
  }

  #tell(endpoint: string, message: string, details: object): void {
    const { eventId, reason, said, seconds, error } = details as Details;
    const { failures, saidAt } = this.#of(endpoint);
    if (eventId !== undefined && reason !== undefined && error === undefined) {
      const attempt = { eventId, reason, said };
      if (seconds === undefined) failures.gaveUp(attempt);
      else failures.failed({ ...attempt, pause: seconds * 1000 });
      return;
    }
    // The message itself says what the operator of a stack does about it; on one machine that is
    // something else.
    if (message.startsWith('endpoint.stopped')) {
      this.#say(endpoint, `${reason}, so nothing is sent to it until the next start; its events wait`);
      return;
    }
    const now = this.#clock();
    if (now - (saidAt.get(message) ?? Number.NEGATIVE_INFINITY) < ONCE_IN) return;
    saidAt.set(message, now);
    const why = reason ?? error;
    this.#say(endpoint, why === undefined ? message : `${message.replace(/\.$/, '')} (${why})`);
  }
}
