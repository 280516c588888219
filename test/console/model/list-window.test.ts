import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listWindow } from '../../../console/model/list-window.ts';

const size = fc.record({
  scrollTop: fc.integer({ min: -500, max: 400_000 }),
  height: fc.integer({ min: 0, max: 2_000 }),
  rowHeight: fc.integer({ min: 20, max: 80 }),
  count: fc.integer({ min: 0, max: 10_000 }),
});

describe('the rows that are drawn', () => {
  it.each([
    ['those in sight, and some around them', 1_000, 300, 5, [95, 135]],
    ['all that are partly in sight, when none are drawn around them', 95, 50, 0, [9, 15]],
  ] as const)('are %s', (_, scrollTop, height, around, [first, end]) => {
    expect(listWindow({ scrollTop, height, rowHeight: 10, count: 10_000 }, around)).toEqual({ first, end });
  });

  it('are rows that there are, all that can be seen among them, and few more', () => {
    fc.assert(
      fc.property(size, given => {
        const { first, end } = listWindow(given);
        const { scrollTop, height, rowHeight, count } = given;
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(count);
        expect(first).toBeLessThanOrEqual(end);
        expect(end - first).toBeLessThanOrEqual(height / rowHeight + 18);
        for (let row = 0; row < count; row += 1) {
          const isSeen = (row + 1) * rowHeight > scrollTop && row * rowHeight < scrollTop + height;
          if (isSeen && scrollTop >= 0) expect(row >= first && row < end).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });
});
