import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/basics/json.ts';
import type { AuditPosition } from '../../../functions/model/process-state.ts';
import { FoundEntries } from '../../../functions/pass/audit-log/found-entries.ts';
import { WalkedPages } from '../../../functions/pass/audit-log/walked-pages.ts';
import type { PassContext } from '../../../functions/pass/context/context.ts';
import { digest } from '../../../functions/pass/reading/digest.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
/** When the log was last read; entries of up to ten minutes before may show up only now. */
const READ_AT = AT - MINUTE;
const LATE = READ_AT - 10 * MINUTE;

const at = (n: number, time: number): JsonObject => ({ n, at: new Date(time).toISOString() });
const plain = (n: number): JsonObject => ({ n });
const fresh = (n: number) => at(n, AT - 1_000);
const old = (n: number) => at(n, LATE - 1);
/** An old entry, the older the smaller its number is. */
const dated = (n: number) => at(n, AT - 86_400_000 + n * MINUTE);

type Order = AuditPosition['order'];
const left = (
  order: Order,
  seen: readonly JsonObject[],
  more: Partial<AuditPosition> = {},
): AuditPosition => ({
  ...{ order, tail: undefined, seen: seen.map(digest), readAt: READ_AT },
  ...more,
});
type Pages = readonly (readonly JsonObject[])[];

function finding(before: AuditPosition, told: readonly string[] = []) {
  const asked: string[][] = [];
  const toldEntries = async (_: object, ids: Iterable<string>) => {
    asked.push([...ids]);
    return new Set(told);
  };
  const context = {
    process: { workspace: 'w', processId: 'p' },
    snapshots: { toldEntries },
    before: { watermark: 0 },
  };
  const found = new FoundEntries(context as unknown as PassContext, before);
  const walked = new WalkedPages(before);
  return {
    found,
    walked,
    asked,
    /** Walks over these pages. */
    async walk(pages: Pages, page: { readonly readAt?: number; readonly clock?: 'service' | 'poller' } = {}) {
      found.begin();
      for (const [index, items] of pages.entries()) {
        const [after, hasNextPage] = [index === 0 ? undefined : `${index}`, index < pages.length - 1];
        const one = { items, readAt: AT, clock: 'service', digest: '', after, hasNextPage, ...page } as const;
        walked.add(one as never);
        await found.see(one as never);
      }
    },
    numbers: () => found.entries.map(({ entry }) => entry.n),
  };
}
const [one, two, three] = [plain(1), plain(2), plain(3)] as const;

describe('a log', () => {
  const both = left('newest-first', [two, one]);
  const last = left('newest-first', [two]);
  const grown = left('oldest-first', [one, two]);
  const end = left('oldest-first', [two]);
  const unknown = left('unknown', [one, two]);
  const cursor = left('unknown', [one, two], { tail: '2' });
  it.each<[string, boolean, AuditPosition, readonly Pages[]]>([
    ['of which nothing was seen', true, left('newest-first', []), [[[fresh(1)]]]],
    ['newest-first, by several of the entries that were seen', true, both, [[[three, two, one]]]],
    ['newest-first, though what is new says that it is old', true, both, [[[old(3), two, one]]]],
    ['newest-first, not where it was turned around', false, both, [[[one, two, three]]]],
    ['newest-first, by the entry beyond which it grows', true, both, [[[three, two]]]],
    ['newest-first, not by another one', false, both, [[[three, one]]]],
    ['newest-first, not where none that was seen is there', false, both, [[[three]]]],
    ['newest-first, by its only one that was seen', true, last, [[[three, two]]]],
    ['newest-first, not by its only one behind one that says it is old', false, last, [[[old(3), two]]]],
    ['newest-first, not where one that says it is new stands behind', false, last, [[[two, fresh(3)]]]],
    ['newest-first, not where that was so before it began anew', false, last, [[[two, fresh(3)]], [[two]]]],
    ['oldest-first, not by the last alone of several that were seen', false, grown, [[[two, three]]]],
    ['oldest-first, not by the first of them', false, grown, [[[one, three]]]],
    ['oldest-first, by several of them', true, grown, [[[one, two, old(3)]]]],
    ['oldest-first, not where it was turned around', false, grown, [[[three, two, one]]]],
    ['oldest-first, by its only one that was seen', true, end, [[[two, three]]]],
    ['oldest-first, not by its only one before one that says it is old', false, end, [[[two, old(3)]]]],
    ['oldest-first, not where that was so before it began anew', false, end, [[[two, old(3)]], [[two]]]],
    ['of unknown order, wherever it was left', true, unknown, [[[three]]]],
    ['of unknown order, whichever way it is now', true, unknown, [[[two, one]]]],
    [
      'of unknown order, not where it grew by one that says it is old',
      false,
      unknown,
      [[[old(3), one, two]]],
    ],
    ['of unknown order, not where it did before it began anew', false, unknown, [[[old(3), one]], [[one]]]],
    ['of unknown order, from a cursor, by one that was seen', true, cursor, [[[two, three]]]],
    ['of unknown order, from a cursor, not without one', false, cursor, [[[three]]]],
    [
      'of unknown order, from a cursor, not where it grew by an old one',
      false,
      cursor,
      [[[one, two, old(3)]]],
    ],
    ['of unknown order, from its beginning, before it was read', true, unknown, []],
    ['of unknown order, from a cursor, not before it was read', false, cursor, []],
    ['newest-first, not before it was read', false, both, []],
  ])('is met where it was left: %s: %s', async (_, isMet, before, walks) => {
    const { found, walk } = finding(before);
    for (const pages of walks) await walk(pages);
    expect(found.isMet).toBe(isMet);
  });
});

describe('what is found', () => {
  it.each<[string, boolean, AuditPosition, readonly JsonObject[], number[]]>([
    ['where a newest-first log grows', false, left('newest-first', [two, one]), [three, two, one], [3]],
    ['not on its other side', false, left('newest-first', [two, one]), [one, two, three], []],
    [
      'on its other side where it was turned around',
      true,
      left('newest-first', [two, one]),
      [one, two, three],
      [3],
    ],
    [
      'not on that side what says that it is old',
      false,
      left('newest-first', [two, one]),
      [two, one, old(3)],
      [],
    ],
    [
      'on any side what may only have come late',
      false,
      left('newest-first', [two, one]),
      [two, one, at(3, LATE)],
      [3],
    ],
    [
      'not what is a little older than that',
      false,
      left('newest-first', [two, one]),
      [two, one, at(3, LATE - 1)],
      [],
    ],
    [
      'though old, where a log grows that was not turned',
      true,
      left('newest-first', [two, one]),
      [old(3), two, one],
      [3],
    ],
    ['not an old one where it was turned', true, left('newest-first', [two, one]), [one, two, old(3)], []],
    ['not an old one where it may have been turned', true, left('newest-first', [two]), [old(3), two], []],
    [
      'though old, where the order is unknown and those that were seen stand as they did',
      true,
      left('unknown', [one, two]),
      [one, two, old(3)],
      [3],
    ],
  ])('is %s (the whole log: %s)', async (_, isWhole, before, log, numbers) => {
    const finder = finding(before);
    await finder.walk([log]);
    finder.found.take(isWhole);
    expect(finder.numbers()).toEqual(numbers);
  });

  it.each<[string, Order, number[], number[]]>([
    ['is what stands where the log grows, by the times in it', 'newest-first', [6, 5, 4, 3, 2], [6, 5, 4]],
    ['is nothing old, where the times show that it was turned around', 'newest-first', [2, 3, 4, 5, 6], []],
    ['is what stands at its end', 'oldest-first', [2, 3, 4, 5, 6], [4, 5, 6]],
    ['is nothing old of one that was turned to newest-first', 'oldest-first', [6, 5, 4, 3, 2], []],
  ])('in a whole log of old entries %s: %s, %j', async (_, order, log, numbers) => {
    const finder = finding(left(order, [dated(3)]));
    await finder.walk([log.map(dated)]);
    finder.found.take(true);
    expect(finder.numbers()).toEqual(numbers);
  });

  it('is taken by what a later reading shows of the order, where the first one met nothing that was seen', async () => {
    const finder = finding(left('unknown', [one, two]));
    await finder.walk([[2, 3, 4, 5, 6].map(dated)]);
    finder.found.take(true);
    expect(finder.numbers()).toEqual([]);
    await finder.walk([[one, two, old(3)]]);
    finder.found.take(true);
    expect(finder.numbers()).toEqual([3]);
  });

  it('tells whether it is more than before, and whether it took several pages at once', async () => {
    const { found, walk } = finding(left('newest-first', [two, one]));
    await walk([[three], [two, one]]);
    expect(found.take(false)).toEqual({ isMore: true, isLong: true });
    await walk([[three, two, one]]);
    expect(found.take(false)).toEqual({ isMore: false, isLong: false });
    // A walk that begins anew is another one: neither took several pages.
    await walk([[three, two, one]]);
    await walk([[three, two, one]]);
    expect(found.take(false)).toEqual({ isMore: false, isLong: false });
  });

  it('is only what says that it is new, where a reading says little of where its entries belong', async () => {
    const finder = finding(left('newest-first', [two]));
    await finder.walk([[three, fresh(4), two, fresh(5), old(6)]]);
    finder.found.takeTimed();
    expect(finder.numbers()).toEqual([4, 5]);
    finder.found.take(false);
    expect(finder.numbers()).toEqual([4, 5]);
  });

  it('has an id of 32 hexadecimal digits, whatever the order of its keys; what was seen is not looked up', async () => {
    const { found, walk, asked } = finding(left('newest-first', [two]));
    await walk([[two]]);
    expect(asked).toEqual([]);
    await walk([[{ a: 1, b: 2 }, two]]);
    await walk([[{ b: 2, a: 1 }, two]]);
    found.take(false);
    expect(found.entries.map(({ id }) => id)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(asked).toEqual([[found.entries[0]?.id], [found.entries[0]?.id]]);
  });

  it('is nothing that was told', async () => {
    const first = finding(left('newest-first', [two]));
    await first.walk([[three, two]]);
    first.found.take(false);
    const again = finding(
      left('newest-first', [two]),
      first.found.entries.map(({ id }) => id),
    );
    await again.walk([[three, two]]);
    expect(again.found.take(false).isMore).toBe(false);
  });
});

describe('what an entry says of its time', () => {
  it('is nothing where the service did not tell its own, now or at the last reading', async () => {
    const before = left('oldest-first', [one, two], { readAt: 0 });
    const then = finding(before);
    await then.walk([[fresh(9), one, two]]);
    then.found.take(false);
    expect(then.numbers()).toEqual([]);
    const now = finding(left('oldest-first', [one, two]));
    await now.walk([[at(9, MINUTE)]], { clock: 'poller' });
    now.found.take(false);
    // No time at all, and none of the seen ones is there: it is taken.
    expect(now.numbers()).toEqual([9]);
  });
});

describe('where the log is left', () => {
  it('is the same position, with its time, where nothing has changed', async () => {
    const before = left('newest-first', [two, one]);
    const { found, walk, walked } = finding(before);
    await walk([[two, one]]);
    expect(found.leftAt(walked, false)).toBe(before);
    const moved = finding(before);
    await moved.walk([[three, two, one]], { readAt: AT + 1 });
    await moved.walk([[three, two, one]], { readAt: AT + 9 });
    expect(moved.found.leftAt(moved.walked, false)).toMatchObject({ readAt: AT + 1 });
  });

  it('rests, behind the whole log, on that reading alone, and on all its walks', async () => {
    const { found, walk, walked } = finding(left('newest-first', [two, one]));
    await walk([[plain(8), plain(9)]]);
    found.take(true);
    await walk([[plain(3), plain(4)]]);
    await walk([[plain(5), plain(6)]]);
    const { order, seen } = found.leftAt(walked, true);
    expect([order, seen]).toEqual(['unknown', [3, 4, 5, 6].map(n => digest(plain(n)))]);
  });

  it('has the order in which the whole log was met, and no cursor where that is newest-first', async () => {
    for (const [log, order, tail] of [
      [[[one], [two]], 'oldest-first', '1'],
      [[[two], [one]], 'newest-first', undefined],
    ] as const) {
      const { found, walk, walked } = finding(left('newest-first', [two, one]));
      await walk(log);
      found.take(true);
      expect(found.leftAt(walked, true)).toMatchObject({ order, tail });
      expect(found.leftAt(walked, false).order).toBe('newest-first');
    }
  });

  it('remembers, behind the whole log, only the end where that log grows', async () => {
    for (const [log, order, seen] of [
      [[[one], [three], [two]], 'oldest-first', [two]],
      [[[two], [three], [one]], 'newest-first', [two]],
    ] as const) {
      const { found, walk, walked } = finding(left('oldest-first', [one, two]));
      await walk(log);
      found.take(true);
      expect(found.leftAt(walked, true)).toMatchObject({ order, seen: seen.map(digest) });
    }
  });

  it('has the order that the times in the log tell, whatever was met', async () => {
    const { found, walk, walked } = finding(left('newest-first', [two, one]));
    await walk([[9, 8, 7, 6, 5].map(dated), [one, two]]);
    found.take(true);
    expect(found.leftAt(walked, true).order).toBe('newest-first');
  });
});
