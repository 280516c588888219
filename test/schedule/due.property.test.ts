import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueBetween } from '../../functions/schedule/due.ts';
import type { ScheduledProcess } from '../../functions/schedule/scheduled.ts';
import { AT, HOUR, MINUTE, SECOND } from '../kit/time.ts';

type DuePasses = ReturnType<typeof dueBetween>[number];
type Known = NonNullable<ReturnType<Parameters<typeof dueBetween>[2]>>;

const BASELINED: Known = { baselined: true, pace: undefined, completedAt: AT, stalled: undefined };
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
    const known: Known = { ...BASELINED, pace: { wait, dueAt: AT - MINUTE + ahead } };
    return { process, known };
  });
/** Ends of windows, in ms behind AT. */
const cuts = fc
  .array(fc.integer({ min: 1, max: HOUR }), { minLength: 1, maxLength: 40 })
  .map(all => [...new Set(all)].toSorted((one, other) => one - other));

/** Each process of each pass, and when the pass is due. */
const keysOf = (passes: readonly DuePasses[]) =>
  passes.flatMap(({ processes, mode, at }) => processes.map(id => `${id} ${mode} ${at}`));
const sorted = (passes: readonly DuePasses[]) => keysOf(passes).toSorted();
const isOf = (mode: string) => (pass: DuePasses) => pass.mode === mode;

/** One pass in each interval of a time of `ms`, and the intervals' distance apart. */
function expectSeries(
  found: readonly DuePasses[],
  { processId }: ScheduledProcess,
  step: number,
  ms: number,
): void {
  const times = found.filter(each => each.processes.includes(processId)).map(({ at }) => at);
  for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeCloseTo(step, 2);
  expect([0, 1]).toContain(times.length - Math.floor(ms / step));
}

describe('invariant: passes are due once', () => {
  it('in each interval, of every process, however time is cut into windows', () => {
    const processes = fc.uniqueArray(fixed, { selector: ({ processId }) => processId, maxLength: 4 });
    fc.assert(
      fc.property(processes, cuts, (some, ends) => {
        const found: DuePasses[] = [];
        let from = AT;
        const changes = (window: { from: number; to: number; now: number }) =>
          dueBetween(some, window, () => BASELINED).filter(isOf('changes'));
        for (const end of ends) {
          // A tick in time looks ahead.
          found.push(...changes({ from, to: AT + end, now: from }));
          from = AT + end;
        }
        const whole = changes({ from: AT, to: from, now: AT });
        expect(sorted(found)).toEqual(sorted(whole));
        for (const process of some) expectSeries(found, process, process.changes.slowest, from - AT);
      }),
    );
  });

  it('also those that adapt, as long as nothing new is known of them', () => {
    fc.assert(
      fc.property(adaptive, cuts, ({ process, known }, ends) => {
        // Nothing is overdue: what is overdue is looked at less often.
        const now = AT - MINUTE;
        const changes = (from: number, to: number) =>
          dueBetween([process], { from, to, now }, () => known).filter(isOf('changes'));
        const found: DuePasses[] = [];
        let from = AT - MINUTE;
        for (const end of ends) {
          found.push(...changes(from, AT + end));
          from = AT + end;
        }
        expect(sorted(found)).toEqual(sorted(changes(AT - MINUTE, from)));
        // The moment of its group that is nearest may be a little before the time itself.
        const half = Math.min(process.changes.fastest, MINUTE) / 2;
        expect(found.every(({ at }) => at >= (known.pace?.dueAt ?? 0) - half - 0.001)).toBe(true);
      }),
    );
  });

  it('late ticks start no pass twice, none that expired, and of each process one `changes` pass at most that is late', () => {
    const lateness = fc.array(fc.integer({ min: 0, max: 3 * HOUR }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fixed, lateness, (process, gaps) => {
        const seen = new Set<string>();
        let from = AT;
        for (const gap of gaps) {
          const now = from + gap;
          const due = dueBetween([process], { from, to: now + MINUTE, now }, () => BASELINED);
          const late = due.filter(({ at }) => at <= now);
          expect(late.filter(isOf('changes')).length).toBeLessThanOrEqual(1);
          expect(late.filter(isOf('sweep'))).toEqual([]);
          for (const each of due) {
            expect(each.at).toBeGreaterThan(from);
            expect(each.expiresAt).toBeGreaterThan(Math.max(each.at, now));
            for (const key of keysOf([each])) {
              expect(seen.has(key)).toBe(false);
              seen.add(key);
            }
          }
          from = now + MINUTE;
        }
      }),
    );
  });
});

/** Has a tick each minute, over five intervals of a process's sweeps, each of which takes `takes` ms. @returns the messages in their order */
function sweepsOf(process: ScheduledProcess, isLost: () => boolean, takes: number) {
  const sent: { readonly at: number; readonly dueAt: number; readonly isLost: boolean }[] = [];
  let [completedAt, endsAt] = [AT - process.sweep, 0];
  for (let now = AT; now < AT + 5 * process.sweep; now += MINUTE) {
    if (endsAt <= now) completedAt = Math.max(completedAt, endsAt);
    const isUnfinished = endsAt > now;
    const sweep = { completedAt, isUnfinished, leasedUntil: isUnfinished ? now + MINUTE : undefined };
    const window = { from: now, to: now + MINUTE, now };
    for (const { mode, at, dueAt = 0 } of dueBetween([process], window, () => ({ ...BASELINED, sweep }))) {
      if (mode === 'changes') continue;
      sent.push({ at, dueAt, isLost: isLost() });
      if (!sent.at(-1)?.isLost) endsAt = at + takes;
    }
  }
  return sent;
}

it('invariant: a sweep is made once in each interval, a minute later for each of its messages that is lost, at most', () => {
  const sweep = fc.integer({ min: 8, max: 40 }).map(minutes => minutes * MINUTE);
  const takes = fc.integer({ min: 1, max: 150 * SECOND });
  fc.assert(
    fc.property(fc.string(), sweep, fc.infiniteStream(fc.boolean()), takes, (processId, step, lost, ms) => {
      const changes = { fastest: HOUR, slowest: HOUR };
      let losses = 0;
      const isLost = () => {
        losses = losses < 3 && lost.next().value === true ? losses + 1 : 0;
        return losses > 0;
      };
      const sent = sweepsOf({ workspace: 'eu', processId, changes, sweep: step }, isLost, ms);
      // The first was due before the first tick. It may end after the second is due, which it then stands for, or is late by that.
      const made = sent.filter(each => !each.isLost).slice(1);
      expect(made.length).toBeGreaterThanOrEqual(3);
      for (const [index, { dueAt }] of made.slice(1).entries())
        expect(dueAt - (made[index]?.dueAt ?? 0)).toBe(step);
      const tries = Map.groupBy(sent, each => each.dueAt);
      for (const { dueAt } of made.slice(1))
        for (const [index, { at }] of (tries.get(dueAt) ?? []).entries())
          expect(at - dueAt).toBe(index * MINUTE);
    }),
    { numRuns: 60 },
  );
});
