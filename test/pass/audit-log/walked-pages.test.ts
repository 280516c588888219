import { describe, expect, it } from 'vitest';
import type { AuditPosition } from '../../../functions/model/process-state.ts';
import { forgotten, WalkedPages } from '../../../functions/pass/audit-log/walked-pages.ts';
import { digest } from '../../../functions/pass/reading/digest.ts';
import type { Page } from '../../../functions/service/service.ts';

type Order = AuditPosition['order'];
const entry = (n: number) => ({ n });
const page = (after: string | undefined, ...entries: number[]): Page<{ n: number }> => ({
  items: entries.map(entry),
  readAt: 0,
  clock: 'service',
  after,
  hasNextPage: false,
  digest: '',
});
const known = (order: Order, ...entries: number[]): AuditPosition => ({
  order,
  tail: 'c1',
  seen: entries.map(n => digest(entry(n))),
});

/** What a reading of these pages makes of what was known. */
function walked(before: AuditPosition | undefined, ...pages: Page<{ n: number }>[]): WalkedPages {
  const all = new WalkedPages(before);
  for (const one of pages) all.add(one);
  return all;
}
const orderOf = (...given: Parameters<typeof walked>) => walked(...given).position.order;

describe('a reading of the audit log', () => {
  it('that saw no page knows nothing', () => {
    const nothing = walked(undefined);
    expect(nothing.position).toEqual({ order: 'unknown', tail: undefined, seen: [] });
    expect([nothing.isNewestFirst, nothing.isOverfull, nothing.beganAt]).toEqual([false, false, undefined]);
  });

  it("began when its first page was read, by the service's clock", () => {
    const at = (readAt: number, clock: 'service' | 'local') => ({ ...page(undefined, 1), readAt, clock });
    expect(walked(undefined, at(7, 'service'), at(9, 'service')).beganAt).toBe(7);
    expect(walked(undefined, at(7, 'local'), at(9, 'service')).beganAt).toBe(0);
  });

  it('for the first time calls no entry new', () => {
    expect(walked(undefined, page(undefined, 1, 2)).fresh).toEqual([]);
    expect(walked(known('unknown', 1), page(undefined, 1, 2)).fresh).toEqual([entry(2)]);
  });

  it.each([
    ['newest-first', undefined, [1, 2]],
    ['oldest-first', 'c2', [3, 4]],
    ['unknown', 'c2', [1, 2, 3, 4]],
  ] as const)('keeps, %s, the ends where new entries may come', (order, tail, seen) => {
    const { position } = walked(known(order), page(undefined, 1, 2), page('c1', 9), page('c2', 3, 4));
    expect(position).toEqual({ order, tail, seen: known(order, ...seen).seen });
  });

  it('is at its end with a known entry or none', () => {
    const ends = (...entries: number[]) =>
      walked(known('newest-first', 1), page(undefined, ...entries)).reachesKnown;
    expect([ends(2, 1), ends(), ends(1, 2), ends(2), ends(2, 3, 1)]).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
  });
});

describe('the times of the first walk', () => {
  const dated = (after: string | undefined, ...entries: number[]) => ({
    ...page(after),
    items: entries.map(n => ({ n, at: new Date(1.8e12 + n).toISOString() })),
  });

  it('tell the order over several pages', () => {
    const newest = walked(undefined, dated(undefined, 3, 3), dated('c1', 3, 3), dated('c2', 2, 1));
    expect([newest.isNewestFirst, newest.position.order]).toEqual([true, 'newest-first']);
    expect(orderOf(undefined, dated(undefined, 1, 2), dated('c1', 3, 4), dated('c2', 5))).toBe(
      'oldest-first',
    );
    expect(orderOf(undefined, dated(undefined, 1, 2), dated('c1', 3, 4))).toBe('unknown');
  });

  it('keep the order that they once told', () => {
    expect(orderOf(undefined, dated(undefined, 6, 5, 4, 3, 2), dated('c1', 9))).toBe('newest-first');
  });

  it('are not compared with those of a second walk', () => {
    const all = new WalkedPages(known('unknown', 1, 2));
    for (const one of [dated(undefined, 4, 3), dated('c1', 2, 1)]) {
      all.begin();
      all.add(one);
    }
    all.add(dated('c2', 0));
    expect(all.position.order).toBe('unknown');
  });
});

describe('where new entries come', () => {
  const before = known('unknown', 1, 2, 3);

  it('tells the order', () => {
    expect(orderOf(before, page(undefined, 7, 1, 2))).toBe('newest-first');
    expect(walked(before, page(undefined, 7, 1)).isNewestFirst).toBe(true);
    expect(orderOf(before, page('c1', 2, 3, 7))).toBe('oldest-first');
    expect(orderOf(before, page('c1', 3, 7))).toBe('oldest-first');
    expect(walked(before, page('c1', 3, 7)).isNewestFirst).toBe(false);
  });

  it('tells the order, however many pages they fill', () => {
    expect(orderOf(before, page(undefined, 9, 8), page('c1', 7, 1))).toBe('newest-first');
    expect(orderOf(before, page(undefined, 9, 8), page('c1', 1, 2))).toBe('newest-first');
    expect(orderOf(before, page('c1', 2, 3), page('c2', 7, 8), page('c3', 9))).toBe('oldest-first');
    expect(orderOf(before, page(undefined, 9, 8), page('c1', 2, 1))).toBe('unknown');
    expect(orderOf(before, page('c1', 3, 7), page('c2', 2))).toBe('unknown');
  });

  it.each([
    ['at both ends', [page(undefined, 7, 1), page('c1', 3, 8)]],
    ['before another entry than the first', [page(undefined, 7, 2)]],
    ['behind another entry than the last', [page('c1', 2, 7)]],
    ['before the first, on a page that is not the head', [page('c1', 7, 1)]],
    ['nowhere', [page(undefined, 1, 2, 3)]],
    ['before and behind, with nothing known between', [page(undefined, 7, 8)]],
  ])('tells none %s', (_where, pages) => {
    expect(orderOf(before, ...pages)).toBe('unknown');
  });

  it('tells it of each walk by itself', () => {
    const all = new WalkedPages(before);
    all.begin();
    all.add(page(undefined, 7, 8));
    all.begin();
    all.add(page('c1', 1, 2, 3));
    expect(all.position.order).toBe('unknown');
  });

  it('does not change an order that is known', () => {
    expect(orderOf(known('oldest-first', 1, 2, 3), page(undefined, 7, 1))).toBe('oldest-first');
  });
});

describe('a log of many entries in one page', () => {
  const MOST = 5_000;
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  /** The position behind a log of these entries, in order; and how a second reading goes that shows `later`. */
  const reading = (order: Order, entries: number[], later: number[]) => {
    const before = walked({ ...known(order), tail: undefined }, page(undefined, ...entries)).position;
    return { before, again: walked(before, page(undefined, ...later)) };
  };
  const fresh = ({ again }: ReturnType<typeof reading>) => again.fresh.map(({ n }) => n);
  const log = numbers(0, 12_000);

  it('is remembered whole while it fits an item of the table', () => {
    const { before, again } = reading('oldest-first', numbers(0, MOST), numbers(0, MOST));
    expect([before.seen.length, before.isCut, again.fresh]).toEqual([MOST, undefined, []]);
  });

  it.each([
    ['newest-first', numbers(0, MOST)],
    ['oldest-first', numbers(7_000, 12_000)],
    ['unknown', [...numbers(0, MOST / 2), ...numbers(9_500, 12_000)]],
  ] as const)('is remembered, %s, where new entries come', (order, seen) => {
    const { before } = reading(order, log, []);
    expect(before).toEqual({ ...known(order, ...seen), tail: undefined, isCut: true });
  });

  it.each(['newest-first', 'oldest-first', 'unknown'] as const)(
    'is known, %s, though it is not remembered',
    order => {
      const same = reading(order, log, log);
      expect(fresh(same)).toEqual([]);
      expect(same.again.reachesKnown).toBe(true);
      expect(same.again.position).toEqual(same.before);
    },
  );

  it.each([
    ['newest-first', 'at its head', [-2, -1, ...log], [-2, -1]],
    ['newest-first', 'late, between others', [0, -1, ...log.slice(1)], [-1]],
    ['newest-first', 'though its oldest entries are purged', [-1, ...log.slice(0, 3_000)], [-1]],
    ['oldest-first', 'at its end', [...log, 12_001, 12_002], [12_001, 12_002]],
    ['oldest-first', 'late, between others', [...log.slice(0, -1), -1, 11_999], [-1]],
    ['oldest-first', 'though its oldest entries are purged', [...log.slice(9_000), -1], [-1]],
    ['unknown', 'at its head', [-1, ...log], [-1]],
    ['unknown', 'at its end', [...log, -1], [-1]],
    ['unknown', 'at its end, with all before the middle purged', [...log.slice(5_000), -1], [-1]],
    ['unknown', 'at its head, with all behind the middle purged', [-1, ...log.slice(0, 5_000)], [-1]],
  ] as const)('tells what is new, %s, %s', (order, _where, later, expected) => {
    expect(fresh(reading(order, log, [...later]))).toEqual(expected);
  });

  it.each(['newest-first', 'oldest-first', 'unknown'] as const)(
    'of which nothing is known is new: %s',
    order => {
      const { again } = reading(order, log, [-1, -2]);
      expect([again.fresh.length, again.reachesKnown]).toEqual([2, false]);
    },
  );

  it('is forgotten between what is known of its ends', () => {
    const digests = log.map(n => digest({ n }));
    const { before } = reading('unknown', log, []);
    expect(forgotten(before, digests)).toEqual([2_500, 9_500]);
    expect(forgotten(before, digests.slice(3_000))).toEqual([0, 6_500]);
    expect(forgotten(before, digests.slice(0, 3_000))).toEqual([2_500, 3_000]);
    expect(forgotten(before, ['other'])).toEqual([0, 0]);
    expect(forgotten(known('unknown', 1), digests)).toEqual([0, 0]);
  });

  it('tells its order when it grows', () => {
    expect(reading('unknown', log, [-1, ...log]).again.position.order).toBe('newest-first');
    expect(reading('unknown', log, [...log, -1]).again.position.order).toBe('oldest-first');
  });

  it.each(['newest-first', 'oldest-first', 'unknown'] as const)(
    'is known, %s, though equal entries stand at both ends',
    order => {
      const equal = [...log.slice(0, -1), 0];
      expect(fresh(reading(order, equal, equal))).toEqual([]);
      const other = [11_999, ...log.slice(1)];
      expect(fresh(reading(order, other, other))).toEqual([]);
    },
  );

  it('is remembered whole while so many of its entries are equal', () => {
    const equal = log.map(n => n % 100);
    expect(reading('unknown', equal, []).before).toEqual({
      ...known('unknown', ...numbers(0, 100)),
      tail: undefined,
    });
  });
});
