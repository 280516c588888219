import { describe, expect, it } from 'vitest';
import type { AuditPosition } from '../../../functions/model/process-state.ts';
import { type WalkOptions, walkLog } from '../../../functions/pass/audit-log/walk-log.ts';
import type { PassContext } from '../../../functions/pass/context/context.ts';
import { digest } from '../../../functions/pass/reading/digest.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const entry = (n: number) => ({ n });
const left = (order: AuditPosition['order'], tail: string | undefined, ...seen: number[]): AuditPosition => ({
  ...{ order, tail, seen: seen.map(n => digest(entry(n))) },
});

/** Walks over a log of these entries, two on a page, by cursors that count entries; each page takes a second.
 *  `pages`: where each page began. */
async function walking(
  log: readonly number[],
  position: AuditPosition | undefined,
  options?: WalkOptions,
  { entryOf = entry as (n: number) => object, size = 2 } = {},
) {
  let now = AT;
  const pages: number[] = [];
  const context = {
    process: { workspace: 'w', processId: 'p' },
    clock: () => now,
    service: {
      async *auditLog(_process: string, after = '0') {
        for (let from = Number(after); from < log.length; from += size) {
          now += 1_000;
          pages.push(from);
          yield {
            items: log.slice(from, from + size).map(entryOf),
            ...{ readAt: now, clock: 'service', digest: '' },
            ...{ after: from === 0 ? undefined : String(from), hasNextPage: from + size < log.length },
          };
        }
      },
    },
    heartbeat: { beat: async () => {} },
  } as unknown as PassContext;
  const walked = await walkLog(context, position, options);
  return { pages, fresh: walked.fresh.map(({ n }) => n), isCutShort: walked.isCutShort };
}

describe('a log is read', () => {
  it('for the first time to its end, or, where its times show that it is newest-first, for one page', async () => {
    expect((await walking([1, 2, 3, 4], undefined)).pages).toEqual([0, 2]);
    const log = [9, 8, 7, 6, 5, 4];
    const entryOf = (n: number) => ({ n, at: new Date(AT + n).toISOString() });
    expect((await walking(log, undefined, {}, { entryOf, size: 5 })).pages).toEqual([0]);
    expect((await walking(log.toReversed(), undefined, {}, { entryOf, size: 5 })).pages).toEqual([0, 5]);
  });

  it('newest-first to the first known entry', async () => {
    const { pages, fresh } = await walking([6, 5, 4, 3, 2, 1], left('newest-first', undefined, 4, 3));
    expect([pages, fresh]).toEqual([
      [0, 2],
      [6, 5],
    ]);
  });

  it('newest-first without what a reading that was cut short has told', async () => {
    const cut = { ...left('newest-first', '4', 2, 1), head: digest(entry(7)) };
    const grown = await walking([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1], cut);
    expect([grown.pages, grown.fresh]).toEqual([
      [0, 2, 4, 6],
      [9, 8, 7, 6, 5, 4, 3],
    ]);
    // It was purged: what was known stands on the page of that reading's first entry, or that entry is gone, too.
    expect((await walking([8, 7, 6, 2, 1, 0], cut, {}, { size: 5 })).pages).toEqual([0]);
    expect((await walking([14, 13, 12, 11, 10, 9, 8], cut)).pages).toEqual([0, 2, 4, 6]);
    expect((await walking([9, 8, 7, 6, 5, 4], cut, { until: AT + 1_000 })).pages).toEqual([0]);
  });

  it('oldest-first from its last page on', async () => {
    const { pages, fresh } = await walking([1, 2, 3, 4, 5, 6], left('oldest-first', '2', 3, 4));
    expect([pages, fresh]).toEqual([
      [2, 4],
      [5, 6],
    ]);
  });

  it('of unknown order from both ends', async () => {
    const { pages, fresh } = await walking([1, 2, 3, 4, 5, 6, 7], left('unknown', '4', 1, 2, 5, 6));
    expect([pages, fresh]).toEqual([[0, 4, 6], [7]]);
  });

  it('of unknown order from its head alone where that grew', async () => {
    const { pages, fresh } = await walking([9, 8, 7, 6, 5, 4, 3, 2, 1], left('unknown', '2', 5, 4, 1));
    expect([pages, fresh]).toEqual([
      [0, 2, 4],
      [9, 8, 7, 6],
    ]);
  });

  it('of unknown order beyond the only page that it had', async () => {
    const { pages, fresh } = await walking([1, 2, 3, 4], left('unknown', undefined, 1, 2));
    expect([pages, fresh]).toEqual([
      [0, 2],
      [3, 4],
    ]);
  });

  it('until time is up, from neither end any further', async () => {
    const log = [1, 2, 3, 4, 5, 6, 7];
    const oldest = left('oldest-first', '2', 3, 4);
    expect(await walking(log, oldest, { until: AT + 2_000 })).toMatchObject({
      pages: [2, 4],
      isCutShort: true,
    });
    expect(await walking(log, oldest, { until: AT + 2_001 })).toMatchObject({
      pages: [2, 4, 6],
      isCutShort: false,
    });
    const unknown = left('unknown', '4', 8, 9, 5, 6);
    expect(await walking(log, unknown, { until: AT + 1_000 })).toMatchObject({
      pages: [0],
      isCutShort: true,
    });
  });

  it('and seen by an onlooker, who is told where each walk begins', async () => {
    const seen: (string | number)[] = [];
    const onlooker = {
      begin: () => seen.push('begin'),
      see: async ({ items }: { items: readonly object[] }) => seen.push(items.length),
    };
    await walking([1, 2, 3, 4, 5], left('unknown', '2', 1, 2, 3, 4), { onlooker } as object);
    expect(seen).toEqual(['begin', 2, 'begin', 2, 1]);
  });
});
