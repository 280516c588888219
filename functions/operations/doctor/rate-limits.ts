import type { Asker } from './asker.ts';
import type { Examination, Examined } from './examination.ts';
import { counted, span } from './words.ts';

const TOPIC = 'rate limits';

/** What the doctor's own requests met. It comes last. */
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
    ...({ topic: TOPIC, verdict: 'setting', asked } as const),
    found: `${counted(limited.length, 'request')} met a limit (429), though one was sent at a time. Passes wait as they are told.`,
    came: `${speed}; told to wait: ${[...new Set(waits)].join(', ')}`,
    remedy: 'Set concurrency, as below; where that does not do, set changes and sweep to longer times.',
  };
  return { findings: [finding], settings: { workspace: { concurrency: 1 } } };
}
