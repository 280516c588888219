import type { Asker } from './asker.ts';
import type { Examination, Examined } from './examination.ts';
import { counted, span } from './words.ts';

const TOPIC = 'rate limits';

/** Which rate limits the doctor's own requests met. It comes last. */
export const rateLimits: Examination = {
  topic: TOPIC,
  examine: async asker => judgeLimits(asker.met),
};

export function judgeLimits(met: Asker['met']): Examined {
  const limited = met.filter(({ status }) => status === 429);
  const asked = [...new Set(limited.map(({ request }) => request))];
  const times = met.map(({ took }) => took).sort((one, other) => one - other);
  const speed = `${counted(met.length, 'request')}, answered in ${times[Math.floor(times.length / 2)] ?? 0} ms, the slowest in ${times.at(-1) ?? 0} ms`;
  if (limited.length === 0) {
    const found = 'None was met, one request at a time.';
    return { findings: [{ topic: TOPIC, verdict: 'fine', found, asked, came: speed }] };
  }
  const waits = limited.map(({ retryAfter }) =>
    retryAfter === undefined ? 'no Retry-After' : span(retryAfter),
  );
  const finding = {
    ...({ topic: TOPIC, verdict: 'warning', asked } as const),
    found: `${counted(limited.length, 'request')} met a limit (429), though one was sent at a time. Passes wait as they are told, and find out how many a second are accepted.`,
    came: `${speed}; told to wait: ${[...new Set(waits)].join(', ')}`,
    remedy:
      'Nothing, as long as passes come to their ends in time; else set changes and sweep to longer times.',
  };
  return { findings: [finding] };
}
