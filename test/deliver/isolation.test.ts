import { describe, expect, it } from 'vitest';
import { type Manner, waitsOf } from '../kit/delivery/many-endpoints.ts';

const times = (count: number, manner: Manner): Manner[] => Array.from({ length: count }, () => manner);
const STREAM = { seconds: 120, perSecond: 1 };

/** Of the first 25 endpoints, over all their events. */
function p99(waits: readonly (readonly number[])[]): number {
  const all = waits
    .slice(0, 25)
    .flat()
    .toSorted((one, other) => one - other);
  expect(all).toHaveLength(25 * STREAM.seconds * STREAM.perSecond);
  return all[Math.ceil(all.length * 0.99) - 1] as number;
}

describe('50 endpoints of one queue, 10 of which hang, 10 answer 500 and 5 answer 429', () => {
  it('try each event at the 25 others as soon as if these were well: the p99 is at most twice as long', async () => {
    const well = p99(await waitsOf(times(50, 200), STREAM));
    const ill = [...times(25, 200), ...times(10, 'hangs'), ...times(10, 500), ...times(5, 429)];
    const beside = p99(await waitsOf(ill, STREAM));
    expect(well).toBeGreaterThan(0);
    expect(beside / well).toBeLessThanOrEqual(2);
  }, 60_000);
});
