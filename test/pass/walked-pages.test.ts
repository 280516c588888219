import { describe, expect, it } from 'vitest';
import { digest } from '../../functions/pass/digest.ts';
import { WalkedPages } from '../../functions/pass/walked-pages.ts';
import type { Page } from '../../functions/service/service.ts';
import type { AuditPosition } from '../../functions/snapshots/state.ts';

type Order = AuditPosition['order'];
const entry = (n: number) => ({ n });
const page = (after: string | undefined, ...entries: number[]): Page<{ n: number }> => ({
  items: entries.map(entry),
  readAt: 0,
  clock: 'service',
  after,
  hasNextPage: false,
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
    expect([nothing.isNewestFirst, nothing.isOverfull]).toEqual([false, false]);
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
    const some = walked(known('newest-first', 1));
    expect(
      [page(undefined, 2, 1), page(undefined), page(undefined, 1, 2), page(undefined, 2)].map(one =>
        some.reachesKnown(one),
      ),
    ).toEqual([true, true, false, false]);
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

  it('does not change an order that is known', () => {
    expect(orderOf(known('oldest-first', 1, 2, 3), page(undefined, 7, 1))).toBe('oldest-first');
  });
});
