import type { Clock } from '../../functions/clock.ts';
import type { Log } from '../../functions/telemetry.ts';

/** What a batch says of each of its messages is told once in this time, in ms. */
const ONCE_IN = 1000;

/** One endpoint's deliverer's log for a person at a terminal, without what only tells machines something. */
export function endpointLog(say: (text: string) => void, clock: Clock): Log {
  let last = { matter: '', at: 0 };
  const tell = (message: string, details: object = {}): void => {
    const { reason, seconds, error } = details as { reason?: unknown; seconds?: unknown; error?: unknown };
    const why = reason ?? error;
    const matter = `${message} ${why}`;
    const now = clock();
    if (matter === last.matter && now - last.at < ONCE_IN) return;
    last = { matter, at: now };
    if (seconds !== undefined) say(`${why}; next in ${seconds} s`);
    else say(why === undefined ? message : `${message.replace(/\.$/, '')} (${why})`);
  };
  return { info: () => undefined, warn: tell, error: tell };
}
