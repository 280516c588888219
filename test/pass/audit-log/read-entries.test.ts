import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/basics/json.ts';
import type { AuditPosition } from '../../../functions/model/process-state.ts';
import { readEntries } from '../../../functions/pass/audit-log/read-entries.ts';
import type { PassContext } from '../../../functions/pass/context/context.ts';
import { digest } from '../../../functions/pass/reading/digest.ts';

const AT = Date.UTC(2026, 10, 21, 12);
/** An entry without a time, by its number. */
const entry = (n: number): JsonObject => ({ n });
const left = (order: AuditPosition['order'], tail: string | undefined, ...seen: number[]): AuditPosition => ({
  ...{ order, tail, seen: seen.map(n => digest(entry(n))), readAt: AT - 60_000 },
});
const readAt = expect.any(Number);

interface Options {
  /** The entries in their order, as each walk finds them; the last one is found again and again. */
  readonly logs: readonly (readonly number[])[];
  readonly size?: number;
  /** How long a page takes. */
  readonly pageMs?: number;
  readonly stopAt?: number;
  /** The ids of the entries that were told already. */
  readonly told?: readonly string[];
  readonly entryOf?: (n: number) => JsonObject;
}

/** Reads such a log, by cursors that count entries, as it was left before. */
async function reading(
  before: AuditPosition,
  { logs, size = 2, pageMs = 0, stopAt = AT + 900_000, told = [], entryOf = entry }: Options,
  isTailLost?: boolean,
) {
  let now = AT;
  /** From where each walk began. */
  const walks: (string | undefined)[] = [];
  const said: [string, object][] = [];
  const context = {
    process: { workspace: 'w', processId: 'p' },
    clock: () => now,
    stopAt,
    log: { warn: (message: string, details: object) => said.push([message, details]) },
    snapshots: {
      toldEntries: async (_: object, ids: Iterable<string>) => new Set(ids).intersection(new Set(told)),
    },
    service: {
      async *auditLog(_process: string, after: string | undefined) {
        const log = logs[Math.min(walks.push(after), logs.length) - 1] ?? [];
        for (let from = Number(after ?? 0); from === Number(after ?? 0) || from < log.length; from += size) {
          now += pageMs;
          yield {
            items: log.slice(from, from + size).map(entryOf),
            ...{ readAt: now, clock: 'service', digest: '' },
            ...{ after: from === 0 ? undefined : String(from), hasNextPage: from + size < log.length },
          };
        }
      },
    },
    before: { watermark: 0 },
    heartbeat: { beat: async () => {} },
  } as unknown as PassContext;
  const { untold = [], entries, ...read } = await readEntries(context, before, isTailLost);
  const numbers = (some: readonly JsonObject[]) => some.map(({ n }) => n);
  const ids = untold.map(({ id }) => id);
  return {
    ...read,
    ids,
    untold: numbers(untold.map(one => one.entry)),
    fresh: numbers(entries),
    walks,
    said,
  };
}

const tooLong = { workspace: 'w', processId: 'p', code: 'audit-too-long' };
const noTime = [
  expect.stringMatching(
    /^There was no time to read the audit log .* may never be told\. Make runs longer, or shorten the log\.$/,
  ),
  tooLong,
];
const inNextPass = [
  expect.stringMatching(
    /^There was no time to read the audit log .*: the next pass goes on with it\. .* make runs longer, or shorten the log\.$/,
  ),
  tooLong,
];

/** An entry of the last minute. */
const timed = (n: number): JsonObject => ({ n, at: new Date(AT - 60_000 + n).toISOString() });
/** A newest-first log of such entries. */
const leftAt = (...seen: number[]): AuditPosition => ({
  ...{ order: 'newest-first', tail: undefined, seen: seen.map(n => digest(timed(n))), readAt: AT - 60_000 },
});

describe('the new entries of a log', () => {
  it('are read once where they fit one page', async () => {
    const before = left('newest-first', undefined, 2, 1);
    const read = await reading(before, { logs: [[4, 3, 2, 1]], size: 5, pageMs: 7 });
    expect(read).toMatchObject({
      ...{ untold: [3, 4], fresh: [4, 3], walks: [undefined], said: [], readAt: AT + 7 },
      position: { ...left('newest-first', undefined, 4, 3, 2, 1), readAt: AT + 7 },
    });
  });

  it('come oldest first, whatever the order of the log', async () => {
    const newest = await reading(left('newest-first', undefined, 2, 1), { logs: [[4, 3, 2, 1]] });
    const oldest = await reading(left('oldest-first', undefined, 1, 2), { logs: [[1, 2, 3, 4]] });
    expect([newest.untold, oldest.untold]).toEqual([
      [3, 4],
      [3, 4],
    ]);
    expect(oldest.position).toEqual({ ...left('oldest-first', '2', 3, 4), readAt });
  });

  it('are read again where they fill several pages, until nothing new is found', async () => {
    const before = left('newest-first', undefined, 2, 1);
    const at = await reading(before, { logs: [[4, 3, 2, 1]] });
    expect([at.untold, at.walks.length]).toEqual([[3, 4], 2]);
    const moved = await reading(before, {
      logs: [
        [4, 3, 2, 1],
        [5, 4, 3, 2, 1],
      ],
    });
    expect([moved.untold.toSorted(), moved.walks.length]).toEqual([[3, 4, 5], 3]);
  });

  it('are read again, too, where the first reading found none that was not told', async () => {
    const logs = [
      [1, 2, 3, 4],
      [1, 2, 3, 4, 5],
    ];
    const before = left('oldest-first', undefined, 1, 2);
    const { ids, untold } = await reading(before, { logs: logs.slice(0, 1) });
    expect(untold).toEqual([3, 4]);
    const again = await reading(before, { logs, told: ids });
    expect([again.untold, again.walks.length]).toEqual([[5], 3]);
  });

  it('are told, too, where they say that they are old, but stand where the log grows', async () => {
    const late = { n: 3, at: new Date(AT - 86_400_000).toISOString() };
    const entryOf = (n: number) => (n === 3 ? late : entry(n));
    const { untold } = await reading(left('oldest-first', undefined, 1, 2), { logs: [[1, 2, 3]], entryOf });
    expect(untold).toEqual([3]);
  });

  it('are read five times at most', async () => {
    const logs = Array.from({ length: 9 }, (_, index) =>
      Array.from({ length: 4 + index }, (_, place) => 4 + index - place),
    );
    const { untold, walks } = await reading(left('newest-first', undefined, 2, 1), { logs });
    expect([walks.length, untold.toSorted()]).toEqual([5, [3, 4, 5, 6, 7, 8]]);
  });
});

describe('the whole log', () => {
  it('is read where an oldest-first log shows but the last of several seen entries: it may have been turned around', async () => {
    const { walks } = await reading(left('oldest-first', '2', 3, 4), { logs: [[9, 8, 7, 4]] });
    expect(walks.slice(0, 2)).toEqual(['2', undefined]);
    const kept = await reading(left('oldest-first', '2', 3, 4), { logs: [[1, 2, 3, 4]] });
    expect(kept.walks).toEqual(['2']);
  });

  it('is read where new entries stand before the one seen entry of an oldest-first log, or behind that of a newest-first one', async () => {
    const entryOf = (n: number) => (n === 5 ? { n, at: new Date(AT - 1_000).toISOString() } : entry(n));
    const oldest = await reading(left('oldest-first', '2', 4), { logs: [[1, 2, 5, 4]], entryOf });
    expect([oldest.walks.length > 1, oldest.untold]).toEqual([true, [5]]);
    const newest = await reading(left('newest-first', undefined, 4), { logs: [[4, 5]], entryOf });
    expect([newest.walks.length > 1, newest.untold]).toEqual([true, [5]]);
  });

  it('is read where it can not be read from where it was left', async () => {
    const before = left('oldest-first', '2', 3, 4);
    const { untold, walks, position } = await reading(before, { logs: [[1, 2, 3, 4, 5, 6]] }, true);
    expect([untold, walks]).toEqual([
      [5, 6],
      [undefined, undefined],
    ]);
    expect(position).toEqual({ ...left('oldest-first', '4', 5, 6), readAt });
  });

  it('is not read again by the next pass, which gives none of what stands between its ends', async () => {
    const log = [1, 2, 3, 4, 5, 6, 7];
    const first = await reading(left('oldest-first', '4', 5, 6), { logs: [log] }, true);
    expect(first.untold).toEqual([7]);
    const next = await reading(first.position as AuditPosition, { logs: [log] });
    expect([next.untold, next.walks]).toEqual([[], ['6']]);
  });

  it('is left without a cursor where it is newest-first', async () => {
    const before = left('newest-first', undefined, 4, 3);
    const { untold, position } = await reading(before, { logs: [[6, 5, 4, 3, 2, 1]] }, true);
    expect(untold).toEqual([5, 6]);
    expect(position).toEqual({ ...left('newest-first', undefined, 6, 5), readAt });
  });

  it('is read where it is not met as it was left: all of it is new', async () => {
    const before = left('oldest-first', '2', 3, 4);
    const { untold, walks, said } = await reading(before, { logs: [[5, 6, 7, 8]] });
    expect([untold, walks, said]).toEqual([[5, 6, 7, 8], ['2', undefined, undefined], []]);
  });

  it('is read no further than there is time, and its place is kept then', async () => {
    const before = left('oldest-first', '2', 3, 4);
    const time = { logs: [[1, 2, 3, 4, 5, 6]], pageMs: 1_000, stopAt: AT + 4_000 };
    const { untold, walks, position, said } = await reading(before, time, true);
    expect([untold, walks, said]).toEqual([[], [undefined], [noTime]]);
    expect(position).toBe(before);
    const inTime = await reading(before, { ...time, stopAt: AT + 20_000 }, true);
    expect([inTime.untold, inTime.said]).toEqual([[5, 6], []]);
  });

  it('gives, where time is up, those that say that they are new', async () => {
    const timed = (n: number) => ({ n, at: new Date(n === 2 ? AT : AT - 86_400_000).toISOString() });
    const time = { logs: [[1, 2, 3, 4, 5, 6]], pageMs: 1_000, stopAt: AT + 4_000, entryOf: timed };
    const { untold, said } = await reading(left('oldest-first', '2', 3, 4), time, true);
    expect([untold, said]).toEqual([[2], [noTime]]);
  });
});

describe('a log that takes long', () => {
  it('oldest-first, is left where half of the time that is left was over, and read on by the next pass', async () => {
    const logs = [[1, 2, 3, 4, 5, 6, 7, 8]];
    const before = left('oldest-first', undefined, 1, 2);
    const cut = await reading(before, { logs, pageMs: 1_000, stopAt: AT + 4_000 });
    expect([cut.untold, cut.walks, cut.said]).toEqual([[3, 4], [undefined], [noTime]]);
    expect(cut.position).toEqual({ ...left('oldest-first', '2', 3, 4), readAt });
    const later = await reading(before, { logs, pageMs: 1_000, stopAt: AT + 4_001 });
    expect([later.untold, later.position?.tail]).toEqual([[3, 4, 5, 6], '4']);
  });

  it('newest-first, is left at its head where it was read to old entries, but what was known is not met in that time', async () => {
    const entryOf = (n: number) => (n === 5 ? { n, at: new Date(AT - 86_400_000).toISOString() } : timed(n));
    const logs = [[8, 7, 6, 5, 4, 3, 2, 1]];
    const cut = await reading(leftAt(2, 1), { logs, entryOf, pageMs: 1_000, stopAt: AT + 4_000 });
    expect([cut.untold, cut.walks, cut.said]).toEqual([[6, 7, 8], [undefined], [noTime]]);
    expect(cut.position).toEqual({ ...leftAt(8, 7), readAt });
  });

  it('newest-first, is left at its head, too, where a hundred passes came no further', async () => {
    const short = { logs: [[8, 7, 6, 5, 4, 3, 2, 1]], pageMs: 1_000, stopAt: AT + 4_000 };
    let before = left('newest-first', undefined, 2, 1);
    for (let cuts = 1; cuts <= 100; cuts++) {
      const cut = await reading(before, short);
      expect([cut.untold, cut.walks, cut.said]).toEqual([[], [undefined], [inNextPass]]);
      expect(cut.position).toEqual({ ...before, cuts });
      before = cut.position ?? before;
    }
    const last = await reading(before, short);
    expect([last.untold, last.said]).toEqual([[], [noTime]]);
    expect(last.position).toEqual({ ...left('newest-first', undefined, 8, 7), readAt });
  });

  it('newest-first, is so by the last entry of a page', async () => {
    const old = new Date(AT - 86_400_000).toISOString();
    const logs = [[9, 8, 7, 6, 5, 4, 3, 2, 1]];
    const short = { logs, size: 3, pageMs: 1_000, stopAt: AT + 4_000 };
    const entryOf = (n: number) => (n === 4 ? { n, at: old } : timed(n));
    const past = await reading(leftAt(2, 1), { ...short, entryOf });
    expect(past.position).toEqual({ ...leftAt(9, 8, 7), readAt });
    const late = (n: number) => (n === 5 ? { n, at: old } : timed(n));
    const inMidst = await reading(leftAt(2, 1), { ...short, entryOf: late });
    expect(inMidst.position).toEqual({ ...leftAt(2, 1), cuts: 1 });
  });

  it('oldest-first, is left where the reading ended, though what was known is not met in that time', async () => {
    const logs = [[5, 6, 7, 8, 9, 10, 11, 12, 13, 14]];
    const before = left('oldest-first', '2', 3, 4);
    const cut = await reading(before, { logs, pageMs: 1_000, stopAt: AT + 4_000 });
    expect([cut.untold, cut.walks, cut.said]).toEqual([[], ['2'], [noTime]]);
    expect(cut.position).toEqual({ ...left('oldest-first', '4', 9, 10), readAt });
  });

  it('newest-first, counts only the passes that came no further', async () => {
    const short = { pageMs: 1_000, stopAt: AT + 6_000, entryOf: timed };
    const log = Array.from({ length: 20 }, (_, index) => 20 - index);
    const first = await reading({ ...leftAt(2, 1), cuts: 7 }, { ...short, logs: [log] });
    expect(first.position).toEqual({ ...leftAt(2, 1), head: digest(timed(20)), tail: '4' });
    const told = first.ids;
    const place = first.position as AuditPosition;
    const same = await reading(place, { ...short, logs: [log], told, stopAt: AT + 4_000 });
    expect(same.position).toEqual({ ...place, cuts: 1 });
    const less = await reading(place, { ...short, logs: [[21, 22, ...log]], told, stopAt: AT + 2_000 });
    expect([less.untold, less.position]).toEqual([[22, 21], { ...place, cuts: 1 }]);
    const on = await reading(same.position as AuditPosition, { ...short, logs: [log], told });
    expect(on.position).toEqual({ ...place, tail: '6' });
    const met = await reading({ ...place, cuts: 3 }, { logs: [log], told, entryOf: timed });
    expect(met.position).toEqual({ ...leftAt(20, 19), readAt });
  });

  it('newest-first, is left where it was read and told down to, and what is between is read by the next pass', async () => {
    const short = { pageMs: 1_000, stopAt: AT + 4_000, entryOf: timed };
    const before = leftAt(2, 1);
    const cut = await reading(before, { ...short, logs: [[8, 7, 6, 5, 4, 3, 2, 1]] });
    expect([cut.untold, cut.said]).toEqual([[5, 6, 7, 8], [inNextPass]]);
    expect(cut.position).toEqual({ ...before, head: digest(timed(8)), tail: '2' });

    const logs = [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]];
    const next = await reading(cut.position ?? before, { logs, told: cut.ids, entryOf: timed });
    expect([next.untold, next.said]).toEqual([[3, 4, 9, 10], []]);
    expect(next.walks).toEqual([undefined, '2', undefined, '2']);
    expect(next.position).toEqual({ ...leftAt(10, 9), readAt });
  });

  it('newest-first, that grew by several pages since, is read on behind all of these', async () => {
    const log = Array.from({ length: 20 }, (_, index) => 20 - index);
    const short = { logs: [log], entryOf: timed, pageMs: 1_000, stopAt: AT + 8_000 };
    const cut = await reading(leftAt(2, 1), short);
    expect([cut.untold, cut.position?.tail]).toEqual([[13, 14, 15, 16, 17, 18, 19, 20], '6']);
    const grown = [26, 25, 24, 23, 22, 21, ...log];
    const next = await reading(cut.position as AuditPosition, {
      ...{ logs: [grown], told: cut.ids, entryOf: timed },
    });
    expect(next.untold).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 21, 22, 23, 24, 25, 26]);
  });

  it('newest-first, keeps its place where not all that was read can be told yet, because one says no time or an old one', async () => {
    const before = leftAt(2, 1);
    for (const at of [{}, { at: new Date(AT - 86_400_000).toISOString() }]) {
      const entryOf = (n: number) => (n === 7 ? { n, ...at } : timed(n));
      const logs = [[8, 7, 6, 5, 4, 3, 2, 1]];
      const cut = await reading(before, { logs, entryOf, pageMs: 1_000, stopAt: AT + 4_000 });
      expect([cut.untold, cut.said]).toEqual([[5, 6, 8], [inNextPass]]);
      expect(cut.position).toEqual({ ...before, cuts: 1 });
    }
  });

  it('newest-first, keeps its place where a single page was read', async () => {
    const before = leftAt(2, 1);
    const page = { logs: [[8, 7, 6, 5, 4, 3, 2, 1]], entryOf: timed, pageMs: 1_000, stopAt: AT + 2_000 };
    const one = await reading(before, page);
    expect([one.untold, one.said, one.walks]).toEqual([[7, 8], [inNextPass], [undefined]]);
    expect(one.position).toEqual({ ...before, cuts: 1 });
  });

  it('newest-first, is read as a whole where it is not met behind what was told', async () => {
    const cut = { ...leftAt(2, 1), head: digest(timed(8)), tail: '2' };
    const logs = [[10, 9, 8, 7, 6, 5, 4, 3]];
    const entryOf = (n: number) => (n === 3 ? entry(n) : timed(n));
    const { untold, walks } = await reading(cut, { logs, entryOf });
    expect(untold.toSorted()).toEqual([10, 3, 4, 5, 6, 7, 8, 9]);
    expect(walks).toEqual([undefined, '2', undefined, undefined]);
  });

  it('newest-first, is left at its head where it was read to its end, but not as a whole again', async () => {
    const time = { entryOf: timed, pageMs: 1_000, stopAt: AT + 6_500 };
    const { untold, position, said } = await reading(leftAt(2, 1), {
      ...{ logs: [[10, 9, 8, 7, 6, 5, 4, 3]], ...time },
    });
    expect([untold, said]).toEqual([[3, 4, 5, 6, 7, 8, 9, 10], [noTime]]);
    expect(position).toEqual({ ...leftAt(10, 9), readAt });
  });

  it('newest-first, that was met is left there, though the reading after that is cut short', async () => {
    const logs = [[4, 3, 2, 1], Array.from({ length: 40 }, (_, index) => 40 - index)];
    const before = leftAt(2, 1);
    const cut = await reading(before, { logs, entryOf: timed, pageMs: 1_000, stopAt: AT + 10_000 });
    expect([cut.position, cut.said]).toEqual([{ ...leftAt(4, 3), readAt }, [noTime]]);
  });

  it('invariants 1 and 3: newest-first, has each of its new entries told once, however little time the passes have', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(
          fc.record({
            grows: fc.nat({ max: 12 }),
            purged: fc.boolean(),
            pages: fc.integer({ min: 1, max: 6 }),
            /** How many of its entries a pass tells before it is killed. */
            killedAt: fc.option(fc.nat({ max: 6 })),
          }),
          { minLength: 1, maxLength: 12, size: 'max' },
        ),
        async (size, steps) => {
          let log = [3, 2, 1];
          let newest = 3;
          let before = leftAt(...log.slice(0, size));
          const told = new Map<string, number>();
          const pass = async (pages: number, killedAt: number | null) => {
            const time = { pageMs: 1_000, stopAt: AT + 2_000 * pages };
            const read = await reading(before, {
              ...{ logs: [log], size, told: [...told.keys()], entryOf: timed },
              ...time,
            });
            for (const [index, id] of read.ids.slice(0, killedAt ?? undefined).entries()) {
              expect([...told.keys()]).not.toContain(id);
              told.set(id, read.untold[index] as number);
            }
            if (killedAt === null) before = read.position ?? before;
          };
          for (const { grows, purged, pages, killedAt } of steps) {
            log = [...Array.from({ length: grows }, (_, index) => newest + grows - index), ...log];
            newest += grows;
            // Only what was told is purged.
            const untold = log.findLastIndex(n => n > 3 && ![...told.values()].includes(n));
            if (purged) log = log.slice(0, Math.max(untold + 1, 1));
            await pass(pages, killedAt);
          }
          await pass(1_000, null);
          const due = Array.from({ length: newest - 3 }, (_, index) => 4 + index);
          expect([...told.values()].toSorted((a, b) => a - b)).toEqual(due);
        },
      ),
      { numRuns: Number(process.env.RUNS ?? 500) },
    );
  });

  it('of unknown order, keeps its place', async () => {
    const before = left('unknown', '6', 1, 2);
    const time = { logs: [[1, 2, 3, 4, 5, 6, 7, 8]], pageMs: 1_000, stopAt: AT + 2_000 };
    const cut = await reading({ ...before, tail: undefined }, time);
    expect([cut.untold, cut.said]).toEqual([[], [noTime]]);
    expect(cut.position).toEqual({ ...before, tail: undefined });
  });

  it('is read again where twice the time of the last reading is left', async () => {
    const before = left('newest-first', undefined, 2, 1);
    const time = { logs: [[4, 3, 2, 1]], pageMs: 1_000 };
    const again = await reading(before, { ...time, stopAt: AT + 6_000 });
    expect([again.walks.length, again.said]).toEqual([2, []]);
    const once = await reading(before, { ...time, stopAt: AT + 5_999 });
    expect([once.untold, once.walks.length, once.said]).toEqual([[3, 4], 1, [noTime]]);
    expect(once.position).toEqual({ ...left('newest-first', undefined, 4, 3), readAt });
  });
});

describe('more new entries than there is room for', () => {
  it('keep the place of the log: the next pass reads them again', async () => {
    const before = left('newest-first', undefined, 1);
    const log = Array.from({ length: 20 }, (_, index) => 20 - index);
    const entryOf = (n: number) => (n === 1 ? entry(1) : { n, text: 'x'.repeat(2 ** 20) });
    const { untold, position } = await reading(before, { logs: [log], size: 30, entryOf });
    expect(untold).toHaveLength(15);
    expect(position).toBe(before);
  });
});
