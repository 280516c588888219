import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf } from '../../functions/topic/entry.ts';
import { batchesOf } from '../../functions/topic/send-batch.ts';

const KB = 1024;
const items = (...sizes: number[]) =>
  sizes.map((size, index) => ({ index, message: { Message: 'x'.repeat(size), MessageAttributes: {} } }));
const sizesOf = (...sizes: number[]) => batchesOf(items(...sizes)).map(batch => batch.length);

describe('batches', () => {
  it('hold 10 messages and 256 KB, and not one message or byte more', () => {
    expect(sizesOf(...Array<number>(10).fill(1))).toEqual([10]);
    expect(sizesOf(...Array<number>(11).fill(1))).toEqual([10, 1]);
    expect(sizesOf(200 * KB, 56 * KB)).toEqual([2]);
    expect(sizesOf(200 * KB, 56 * KB + 1)).toEqual([1, 1]);
    expect(sizesOf(1, 200 * KB, 100 * KB, 156 * KB, 1)).toEqual([2, 2, 1]);
  });

  it('hold everything once and in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 230_000 }), { maxLength: 40 }), sizes => {
        const given = items(...sizes);
        const batches = batchesOf(given);
        expect(batches.flat()).toEqual(given);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(10);
          expect(batch.reduce((sum, { message }) => sum + bytesOf(message), 0)).toBeLessThanOrEqual(256 * KB);
        }
      }),
      { numRuns: 50 },
    );
  });
});
