import type { Clock } from '../../functions/basics/clock.ts';
import type { Log } from '../../functions/basics/telemetry.ts';
import type { Failures } from '../deliveries/failures.ts';

/** What concerns no single event is told once in this time, in ms. */
const ONCE_IN = 60_000;

/** What the deliverer says of a message. */
interface Details {
  readonly eventId?: string;
  readonly reason?: string;
  readonly said?: string;
  readonly seconds?: number;
  readonly error?: unknown;
}

/** One endpoint's deliverer's log for a person at a terminal: its failures by their number, everything else once a minute,
 *  without what only tells machines something. */
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
    // What an operator of a stack does about it is another thing.
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
