import { describe, expect, it } from 'vitest';
import { oneThenMany } from '../../functions/delivery/one-then-many.ts';

/** Work that ends when it is told to, and what began. */
function openWork() {
  const begun: number[] = [];
  const gates = new Map<number, PromiseWithResolvers<void>>();
  const work = (item: number) => {
    begun.push(item);
    const gate = Promise.withResolvers<void>();
    gates.set(item, gate);
    return gate.promise;
  };
  const turn = () => new Promise<void>(resolve => void setImmediate(resolve));
  return {
    begun,
    work,
    async end(item: number) {
      gates.get(item)?.resolve();
      await turn();
    },
    async fail(item: number, error: unknown) {
      gates.get(item)?.reject(error);
      await turn();
    },
  };
}

describe('one, then many', () => {
  it('does the first alone, then the others in order, as many at once as may be', async () => {
    const { begun, work, end } = openWork();
    const all = oneThenMany([0, 1, 2, 3, 4, 5], 3, work);
    expect(begun).toEqual([0]);
    await end(0);
    expect(begun).toEqual([0, 1, 2, 3]);
    await end(2);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    for (const item of [1, 3, 4]) await end(item);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
    await end(5);
    await expect(all).resolves.toBeUndefined();
  });

  it('does nothing of nothing, and each of more items than there are lanes', async () => {
    await oneThenMany([], 3, () => Promise.reject('began'));
    const done: number[] = [];
    const items = Array.from({ length: 20 }, (_, index) => index);
    await oneThenMany(items, 2, async item => void done.push(item));
    expect(done).toEqual(items);
  });

  it('rejects with the first failure, once all that had begun is over, and begins no other', async () => {
    const { begun, work, end, fail } = openWork();
    let isOver = false;
    const all = oneThenMany([0, 1, 2, 3, 4, 5], 3, work).finally(() => {
      isOver = true;
    });
    const outcome = expect(all).rejects.toBe('first');
    await end(0);
    await fail(2, 'first');
    await fail(1, 'second');
    expect([begun, isOver]).toEqual([[0, 1, 2, 3], false]);
    await end(3);
    await outcome;
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('begins no other when the first fails', async () => {
    const { begun, work, fail } = openWork();
    const outcome = expect(oneThenMany([0, 1, 2], 3, work)).rejects.toBe('no');
    await fail(0, 'no');
    await outcome;
    expect(begun).toEqual([0]);
  });
});
