import { describe, expect, it } from 'vitest';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { figuresOf } from '../../functions/schedule/report.ts';
import type { ScheduledProcess } from '../../functions/schedule/scheduled.ts';
import type { TickProgress } from '../../functions/store/store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AT = Date.UTC(2026, 10, 21, 12);

/** A process that is well. */
const WELL: TickProgress = {
  ...UNKNOWN_PROCESS,
  ...{ baselined: true, completedAt: AT - MINUTE, sweepCompletedAt: AT - 6 * HOUR },
};
const process: ScheduledProcess = {
  ...{ workspace: 'eu', processId: 'onboarding', changes: { fastest: 10_000, slowest: 2 * MINUTE } },
  sweep: 6 * HOUR,
};
const figures = (more: Partial<TickProgress>, since?: number) =>
  figuresOf(new Map([[process, { ...WELL, ...more }]]), AT, () => since);

describe('what a tick tells of its processes', () => {
  it.each<[string, Partial<TickProgress>, string | undefined]>([
    ['one that is well', {}, undefined],
    ['one without a pass for five of its slowest intervals', { completedAt: AT - 10 * MINUTE }, undefined],
    ['one without a pass for longer', { completedAt: AT - 10 * MINUTE - 1 }, 'changes'],
    ['one without a sweep for two intervals and an hour', { sweepCompletedAt: AT - 13 * HOUR }, undefined],
    ['one without a sweep for longer', { sweepCompletedAt: AT - 13 * HOUR - 1 }, 'sweep'],
    ['one on hold', { hold: { since: AT - 99 * HOUR, missing: 3 } }, undefined],
  ])('late: %s, %j: %s', (_, more, what) => {
    const { workspace, processId } = process;
    expect(figures(more).late).toEqual(what === undefined ? [] : [{ workspace, processId, what }]);
  });

  it('a process that is late in both ways is one that is late', () => {
    expect(figures({ completedAt: 1, sweepCompletedAt: 1 }).late).toMatchObject([{ what: 'changes' }]);
  });

  it.each<[string, Partial<TickProgress>, number | undefined, number]>([
    ['is under way', { workedUntil: AT }, AT - 24 * HOUR, 0],
    ['is under way for more than a day', { workedUntil: AT }, AT - 24 * HOUR - 1, 1],
    ['nobody works on, for an hour since it was known', {}, AT - HOUR, 0],
    ['nobody works on for longer', {}, AT - HOUR - 1, 1],
    ['somebody worked on until just now', { workedUntil: AT - 1 }, AT - HOUR - 1, 1],
    ['is of nobody knows when', {}, undefined, 0],
  ])('late: a baseline that %s: %j', (_, more, since, late) => {
    const unknown = { ...UNKNOWN_PROCESS, ...more };
    expect(figures(unknown, since).late).toHaveLength(late);
    if (late > 0) expect(figures(unknown, since).late).toMatchObject([{ what: 'baseline' }]);
  });

  it('counts what is stalled, on hold and owing, and has no baseline yet', () => {
    const hold = { since: AT, missing: 3 };
    const all: Partial<TickProgress>[] = [
      {},
      { stalled: { since: AT } },
      { hold },
      { hold, released: true },
      { skipped: 0 },
      { skipped: 1 },
      { skipped: 2, stalled: { since: AT } },
      UNKNOWN_PROCESS,
    ];
    const progress = new Map(
      all.map((more, index) => [
        { ...process, processId: `p${index}` },
        { ...WELL, ...more },
      ]),
    );
    expect(figuresOf(progress, AT)).toMatchObject({ stalled: 2, onHold: 1, withRechecks: 2, unbaselined: 1 });
  });

  it('tells the age of the pass that is longest ago, of those that have a baseline', () => {
    const ages = [3, 7, 5].map(minutes => ({ ...WELL, completedAt: AT - minutes * MINUTE }));
    const all = [...ages, UNKNOWN_PROCESS].map((progress, index): [ScheduledProcess, TickProgress] => [
      { ...process, processId: `p${index}` },
      progress,
    ]);
    expect(figuresOf(new Map(all), AT).oldestPassAge).toBe(7 * MINUTE);
    expect(figuresOf(new Map(), AT).oldestPassAge).toBe(0);
    expect(figures(UNKNOWN_PROCESS).oldestPassAge).toBe(0);
    // A clock that went back.
    expect(figures({ completedAt: AT + MINUTE }).oldestPassAge).toBe(0);
  });
});
