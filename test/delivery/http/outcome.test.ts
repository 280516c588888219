import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../functions/delivery/http/outcome.ts';

const SECRET = { url: 'https://crm.example/T0ABCDEFGH' };
const NOW = Date.UTC(2026, 10, 21, 12);
const answer = (status: number, headers: { retryAfter?: string; date?: string } = {}) =>
  outcomeOf({ status, retryAfter: headers.retryAfter, date: headers.date, at: NOW }, SECRET);

describe('an answer', () => {
  it('of 2xx is a delivery, whichever', () => {
    for (const status of [200, 201, 202, 204, 299]) expect(answer(status)).toEqual({ kind: 'delivered' });
  });

  it('of 3xx is a failure', () => {
    for (const status of [300, 301, 302, 304, 307, 308])
      expect(answer(status)).toEqual({
        kind: 'failed',
        reason: `answered ${status}: redirects are not followed`,
      });
  });

  it('that is no answer yet, or of no kind that there is, is a failure', () => {
    for (const status of [101, 199, 600])
      expect(answer(status)).toEqual({ kind: 'failed', reason: `answered ${status}` });
  });

  it('tells what it said, if it is no success', () => {
    const head = { retryAfter: undefined, date: undefined, at: NOW, body: 'no_service\nat all' };
    for (const status of [302, 404, 410, 429])
      expect(outcomeOf({ ...head, status }, SECRET)).toMatchObject({ quote: 'no_service' });
    expect(outcomeOf({ ...head, status: 200 }, SECRET)).toEqual({ kind: 'delivered' });
    expect(outcomeOf({ ...head, body: 'no T0ABCDEFGH', status: 404 }, SECRET)).not.toHaveProperty('quote');
    expect(answer(404)).not.toHaveProperty('quote');
  });

  it('of 410 ends the endpoint', () => {
    expect(answer(410, { retryAfter: '5' })).toEqual({ kind: 'gone', reason: 'answered 410' });
  });

  it('of 429, 502, 503 and 504 slows it down', () => {
    for (const status of [429, 502, 503, 504])
      expect(answer(status)).toEqual({ kind: 'slowed', reason: `answered ${status}`, retryAfter: undefined });
  });

  it('of any other 4xx or 5xx, or none at all, is a failure', () => {
    for (const status of [400, 401, 403, 404, 408, 413, 422, 500, 501, 505])
      expect(answer(status)).toEqual({ kind: 'failed', reason: `answered ${status}` });
    const why = 'no answer within 15 s';
    expect(outcomeOf({ why }, SECRET)).toEqual({ kind: 'failed', reason: why });
  });

  it.each([
    ['120', undefined, 120_000],
    ['0', undefined, 0],
    ['Sat, 21 Nov 2026 12:02:00 GMT', undefined, 120_000],
    ['Sat, 21 Nov 2026 12:02:00 GMT', 'Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', undefined, 0],
    ['soon', undefined, undefined],
    ['-5', undefined, undefined],
  ])('tells when to come back: Retry-After %s with Date %s is %s ms', (retryAfter, date, ms) => {
    expect(answer(429, { retryAfter, ...(date && { date }) })).toMatchObject({ retryAfter: ms });
  });
});
