import type { Clock } from '../../functions/basics/clock.ts';
import type { Log } from '../../functions/basics/telemetry.ts';
import type { Failures } from '../deliveries/failures.ts';

/** The shortest time, in ms, between two equal messages that are not about a single event. */
const ONCE_IN = 60_000;

/** The details that the deliverer's messages have. */
interface Details {
  readonly eventId?: string;
  readonly reason?: string;
  readonly said?: string;
  readonly seconds?: number;
  readonly error?: unknown;
}

/** The log of one endpoint's deliverer, as lines for a person at a terminal: failures are counted, any
 *  other message comes once a minute, and `info` is left out. */
export function endpointLog(say: (text: string) => void, failures: Failures, clock: Clock): Log {
  const saidAt = new Map<string, number>();
  const tell = (message: string, details: object = {}): void => {
    const { eventId, reason, said, seconds, error } = details as Details;
    if (eventId !== undefined && reason !== undefined && error === undefined) {
      const attempt = { eventId, reason, said };
      if (seconds === undefined) failures.gaveUp(attempt);
      else failures.failed({ ...attempt, pause: seconds * 1000 });
      return;
    }
    // The message itself says what the operator of a stack does about it; on one machine that is
    // something else.
    if (message.startsWith('endpoint.stopped')) {
      say(`${reason}, so nothing is sent to it until the next start; its events wait`);
      return;
    }
    const now = clock();
    if (now - (saidAt.get(message) ?? Number.NEGATIVE_INFINITY) < ONCE_IN) return;
    saidAt.set(message, now);
    const why = reason ?? error;
    say(why === undefined ? message : `${message.replace(/\.$/, '')} (${why})`);
  };
  return { info: () => undefined, warn: tell, error: tell };
}
