import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueAtOf, isDue, nextPace } from '../../functions/schedule/pace.ts';
import { AT, MINUTE, SECOND } from '../kit/time.ts';

const rhythm = { fastest: 10 * SECOND, slowest: 5 * MINUTE };

describe('the pace of a process', () => {
  it.each([
    ['is as fast as can be behind its first pass', undefined, false, 10],
    ['is as fast as can be behind a pass that found something', 160, true, 10],
    ['is half as fast behind one that did not', 10, false, 20],
    ['and half of that behind the next', 80, false, 160],
    ['down to the slowest', 160, false, 300],
    ['and no slower', 300, false, 300],
    ['is the slowest at once where that was made shorter', 7_200, false, 300],
    ['is no faster than what was configured anew', 1, false, 10],
  ])('%s', (_, before, found, wait) => {
    const pace = before === undefined ? undefined : { wait: before * SECOND, dueAt: 7 };
    expect(nextPace(pace, rhythm, { began: AT, found })).toEqual({
      wait: wait * SECOND,
      dueAt: AT + wait * SECOND,
    });
  });

  it.each([
    ['sooner, too: when that is', 30 * SECOND, 30 * SECOND],
    ['sooner than the fastest: the fastest', 1, 10 * SECOND],
    ['later: as ever', MINUTE, 40 * SECOND],
  ])('lets a pass come when a value falls due by a rule, if that is %s', (_, ahead, wait) => {
    const before = { wait: 20 * SECOND, dueAt: 7 };
    const pace = nextPace(before, rhythm, { began: AT, found: false, nextDue: AT + ahead });
    expect(pace).toEqual({ wait, dueAt: AT + wait });
  });

  it('is none where the time between passes is fixed', () => {
    const fixed = { fastest: MINUTE, slowest: MINUTE };
    expect(nextPace(undefined, fixed, { began: AT, found: true })).toBeUndefined();
    expect(isDue({ wait: MINUTE, dueAt: AT + MINUTE }, fixed, AT)).toBe(true);
  });

  it.each([
    [-1, true],
    [0, true],
    [5 * SECOND, true],
    [5 * SECOND + 1, false],
    [MINUTE, false],
  ])('lets a message that comes %i ms before its pass is due begin: %s', (ahead, begins) => {
    expect(isDue({ wait: MINUTE, dueAt: AT + ahead }, rhythm, AT)).toBe(begins);
  });

  it('never keeps a process waiting for longer than its slowest time and a minute, whatever was written by whichever clock', () => {
    const times = fc.integer({ min: 0, max: 10 ** 9 });
    fc.assert(
      fc.property(times, fc.integer(), times, times, (wait, ahead, fastest, more) => {
        const any = { fastest, slowest: fastest + more };
        const at = dueAtOf({ wait, dueAt: AT + ahead }, any, AT) ?? AT;
        expect(at).toBeLessThanOrEqual(AT + any.slowest + MINUTE);
      }),
    );
  });

  it('takes a time that lies ahead by less than a minute too much as it is: clocks differ', () => {
    const pace = { wait: rhythm.slowest, dueAt: AT + rhythm.slowest + MINUTE };
    expect(dueAtOf(pace, rhythm, AT)).toBe(pace.dueAt);
    const wrong = { ...pace, dueAt: pace.dueAt + 1 };
    expect(dueAtOf(wrong, rhythm, AT)).toBeUndefined();
    expect(isDue(wrong, rhythm, AT)).toBe(true);
  });
});
