import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DuePass, dueBetween, type Known } from '../../functions/schedule/due.ts';
import type { ScheduledProcess } from '../../functions/schedule/scheduled.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const AT = Date.UTC(2026, 10, 21, 12);

const BASELINED: Known = { baselined: true, pace: undefined };
const interval = fc.oneof(fc.integer({ min: 5, max: 120 }), fc.integer({ min: 120, max: 7_200 }));
const fixed = fc.record({ id: fc.string(), changes: interval, sweep: interval }).map(
  ({ id, changes, sweep }): ScheduledProcess => ({
    ...{ workspace: 'eu', processId: id, sweep: sweep * SECOND },
    changes: { fastest: changes * SECOND, slowest: changes * SECOND },
  }),
);
/** What is known of a process whose passes adapt, and how often they may be due. */
const adaptive = fc
  .record({
    fastest: interval,
    factor: fc.integer({ min: 2, max: 60 }),
    doubled: fc.nat(6),
    dueAt: fc.nat(120),
  })
  .map(({ fastest, factor, doubled, dueAt }) => {
    const changes = { fastest: fastest * SECOND, slowest: fastest * factor * SECOND };
    const process: ScheduledProcess = { workspace: 'eu', processId: 'p', changes, sweep: HOUR };
    const wait = Math.min(changes.fastest * 2 ** doubled, changes.slowest);
    // No pass begins in the future.
    const ahead = Math.min(dueAt * SECOND, wait);
    const known: Known = { baselined: true, pace: { wait, dueAt: AT - MINUTE + ahead } };
    return { process, known };
  });
/** Ends of windows, in ms behind AT. */
const cuts = fc
  .array(fc.integer({ min: 1, max: HOUR }), { minLength: 1, maxLength: 40 })
  .map(all => [...new Set(all)].toSorted((one, other) => one - other));

const keyOf = ({ processId, mode, at }: DuePass) => `${processId} ${mode} ${at}`;
const sorted = (passes: readonly DuePass[]) => passes.map(keyOf).toSorted();

/** One pass in each interval of a time of `ms`, and the intervals' distance apart. */
function expectSeries(
  found: readonly DuePass[],
  { processId }: ScheduledProcess,
  mode: string,
  step: number,
  ms: number,
): void {
  const times = found.filter(each => each.processId === processId && each.mode === mode).map(({ at }) => at);
  for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBe(step);
  expect([0, 1]).toContain(times.length - Math.floor(ms / step));
}

describe('invariant: passes are due once', () => {
  it('in each interval, of every process and mode, however time is cut into windows', () => {
    const processes = fc.uniqueArray(fixed, { selector: ({ processId }) => processId, maxLength: 4 });
    fc.assert(
      fc.property(processes, cuts, (some, ends) => {
        const found: DuePass[] = [];
        let from = AT;
        for (const end of ends) {
          // A tick in time looks ahead.
          found.push(...dueBetween(some, { from, to: AT + end, now: from }, () => BASELINED));
          from = AT + end;
        }
        const whole = dueBetween(some, { from: AT, to: from, now: AT }, () => BASELINED);
        expect(sorted(found)).toEqual(sorted(whole));
        for (const process of some) {
          expectSeries(found, process, 'changes', process.changes.slowest, from - AT);
          expectSeries(found, process, 'sweep', process.sweep, from - AT);
        }
      }),
    );
  });

  it('also those that adapt, as long as nothing new is known of them', () => {
    fc.assert(
      fc.property(adaptive, cuts, ({ process, known }, ends) => {
        // Nothing is overdue: what is overdue is looked at less often.
        const now = AT - MINUTE;
        const changes = (from: number, to: number) =>
          dueBetween([process], { from, to, now }, () => known).filter(({ mode }) => mode === 'changes');
        const found: DuePass[] = [];
        let from = AT - MINUTE;
        for (const end of ends) {
          found.push(...changes(from, AT + end));
          from = AT + end;
        }
        expect(sorted(found)).toEqual(sorted(changes(AT - MINUTE, from)));
        expect(found.every(({ at }) => at >= (known.pace?.dueAt ?? 0))).toBe(true);
      }),
    );
  });

  it('late ticks start no pass twice, none that expired, and of each process and mode one at most that is late', () => {
    const lateness = fc.array(fc.integer({ min: 0, max: 3 * HOUR }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fixed, lateness, (process, gaps) => {
        const seen = new Set<string>();
        let from = AT;
        for (const gap of gaps) {
          const now = from + gap;
          const due = dueBetween([process], { from, to: now + MINUTE, now }, () => BASELINED);
          for (const mode of ['changes', 'sweep'])
            expect(due.filter(each => each.mode === mode && each.at <= now).length).toBeLessThanOrEqual(1);
          for (const each of due) {
            expect(each.at).toBeGreaterThan(from);
            expect(each.expiresAt).toBeGreaterThan(Math.max(each.at, now));
            expect(seen.has(keyOf(each))).toBe(false);
            seen.add(keyOf(each));
          }
          from = now + MINUTE;
        }
      }),
    );
  });

  it('a process that is overdue is started once a minute, however long it fails', () => {
    fc.assert(
      fc.property(adaptive, fc.integer({ min: 4, max: 90 }), ({ process, known }, minutes) => {
        const { dueAt } = known.pace as { dueAt: number };
        const counts = Array.from({ length: minutes }, (_, minute) => {
          const now = dueAt + (minute + 1) * MINUTE + SECOND;
          const due = dueBetween([process], { from: now, to: now + MINUTE, now }, () => known);
          return due.filter(({ mode }) => mode === 'changes').length;
        });
        expect(new Set(counts)).toEqual(new Set([1]));
      }),
    );
  });
});
