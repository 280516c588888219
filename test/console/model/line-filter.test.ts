import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EVERYTHING, filterIn, processOf, withTimes } from '../../../console/model/line-filter.ts';
import { addressOf, readRoute } from '../../../console/model/routes.ts';
import { SINCE } from '../../../console/model/times.ts';
import { hostileText } from '../../kit/console/events.ts';

const text = hostileText.map(each => each.toWellFormed());
const time = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
  .map(date => date.toISOString());
const filter = fc.record({
  ...{ words: text, type: text, field: text, person: text, process: text },
  since: fc.oneof(fc.constant(''), fc.constantFrom(...Object.keys(SINCE)), time),
  until: fc.oneof(fc.constant(''), time),
});

describe('a filter in an address', () => {
  it('is read as it was written, on each page', () => {
    fc.assert(
      fc.property(fc.constantFrom('now', 'history'), filter, (page, given) => {
        expect(filterIn(readRoute(addressOf(page, undefined, given)).query)).toEqual(given);
      }),
    );
  });

  it('is read from any text without an error, and its times can be requested', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (since, rest) => {
        const query = { ...readRoute(`#/now?${rest}`).query, since, until: since };
        const { since: from, until } = withTimes(filterIn(query), 4e12);
        for (const at of [from, until]) if (at !== '') expect(new Date(at).toISOString()).toBe(at);
      }),
    );
  });

  it('has the times that words, days and times mean, days from local midnight', () => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(new Date(0).getHours()).toBe(19);
    const of = (since: string) => withTimes(filterIn({ since }), new Date(2026, 10, 23, 9).getTime()).since;
    expect(of('friday')).toBe(new Date(2026, 10, 20).toISOString());
    expect(of('2026-11-20')).toBe(new Date(2026, 10, 20).toISOString());
    expect(of('2026-11-20T09:00:00Z')).toBe('2026-11-20T09:00:00.000Z');
    expect(of('soon')).toBe('');
  });

  it('names the process with its workspace, as links to a process do apart', () => {
    const { process } = filterIn({ workspace: 'eu', process: 'a/b' });
    expect(processOf({ ...EVERYTHING, process })).toEqual({ workspace: 'eu', process: 'a/b' });
    expect(processOf(EVERYTHING)).toEqual({});
  });
});
