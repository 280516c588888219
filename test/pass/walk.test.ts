import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { walk } from '../../functions/pass/rounds.ts';
import { DeadlineError } from '../../functions/service/errors.ts';

describe('a walk', () => {
  it('works on each item once, in order of beginning, and reaches only what is wholly done', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.nat(12),
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.nat(12)),
        async (s, count, concurrency, failing) => {
          const items = Array.from({ length: count }, (_, index) => index);
          const done = new Set<number>();
          const begun: number[] = [];
          let reached = -1;
          const walking = walk(items, {
            concurrency,
            shouldStop: () => false,
            work: async item => {
              begun.push(item);
              await s.schedule(Promise.resolve());
              if (item === failing) throw new Error(`item ${item}`);
              done.add(item);
            },
            onReached: async (item, number) => {
              expect(item).toBe(number - 1);
              expect(item).toBeGreaterThan(reached);
              for (let before = 0; before <= item; before++) expect(done).toContain(before);
              reached = item;
            },
          }).catch((error: Error) => error.message);
          await s.waitFor(walking);
          expect(begun).toEqual(items.slice(0, begun.length));
          const fails = failing !== null && failing < count;
          expect(await walking).toBe(fails ? `item ${failing}` : 'done');
          if (!fails) expect([done.size, reached]).toEqual([count, count - 1]);
        },
      ),
    );
  });

  it('begins no other item once one has failed', async () => {
    const begun: number[] = [];
    const walking = walk([1, 2, 3, 4, 5, 6], {
      concurrency: 2,
      shouldStop: () => false,
      onReached: async () => undefined,
      work: async item => {
        begun.push(item);
        await new Promise(resolve => setImmediate(resolve));
        if (item === 1) throw new Error('first');
        await new Promise(resolve => setImmediate(resolve));
      },
    });
    await expect(walking).rejects.toThrow('first');
    expect(begun).toEqual([1, 2]);
  });

  it('tells what one met, not that another ran out of time', async () => {
    const work = async (item: number) => {
      if (item === 1) throw new DeadlineError('GET tasks');
      await new Promise(resolve => setImmediate(resolve));
      if (item === 2) throw new TypeError('a defect');
      throw new Error('an outage');
    };
    const how = {
      concurrency: 3,
      shouldStop: () => false,
      onReached: async () => undefined,
    };
    await expect(walk([1, 2, 3], { ...how, work })).rejects.toThrow('a defect');
    await expect(walk([1], { ...how, work })).rejects.toThrow(DeadlineError);
  });

  it('stops before the item at which it is told to', async () => {
    const done: number[] = [];
    const how = {
      concurrency: 1,
      onReached: async () => undefined,
      shouldStop: () => done.length === 2,
    };
    const work = async (item: number) => void done.push(item);
    expect(await walk([1, 2, 3], { ...how, work })).toBe('stopped');
    expect(done).toEqual([1, 2]);
  });
});
