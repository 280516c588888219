import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inParallel } from '../../functions/basics/in-parallel.ts';

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await undefined;
};

describe('in parallel', () => {
  const items = fc.array(fc.nat({ max: 5 }), { maxLength: 30 });
  const width = fc.integer({ min: 1, max: 8 });

  it('begins all in order, and never more at once than may be', async () => {
    await fc.assert(
      fc.asyncProperty(items, width, fc.boolean(), async (waits, width, isAsync) => {
        const begun: number[] = [];
        let [now, most] = [0, 0];
        const given = [...waits.entries()];
        const source = async function* () {
          yield* given;
        };
        await inParallel(isAsync ? source() : given, width, async ([index, wait]) => {
          begun.push(index);
          most = Math.max(most, ++now);
          await turns(wait);
          now -= 1;
        });
        expect(begun).toEqual(given.map(([index]) => index));
        expect(now).toBe(0);
        expect(most).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('rejects with the first failure, once all that had begun is over, and begins no other', async () => {
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const begun: number[] = [];
    const ended: number[] = [];
    const all = inParallel([0, 1, 2, 3], 2, async item => {
      begun.push(item);
      await gates[item]?.promise;
      ended.push(item);
    });
    const outcome = expect(all).rejects.toThrow('no');
    gates[0]?.reject(new Error('no'));
    await turns(20);
    gates[1]?.resolve();
    await outcome;
    expect([begun, ended]).toEqual([[0, 1], [1]]);
  });

  it('asks for no item behind a failure', async () => {
    let asked = 0;
    const source = async function* () {
      for (;;) yield ++asked;
    };
    const work = async () => {
      throw new Error('no');
    };
    await expect(inParallel(source(), 1, work)).rejects.toThrow('no');
    expect(asked).toBe(1);
  });

  it('rejects when there is no next item to be had, once all that had begun is over', async () => {
    let over = 0;
    const source = async function* () {
      yield 1;
      throw new Error('throttled');
    };
    const work = async () => {
      await turns(20);
      over += 1;
    };
    await expect(inParallel(source(), 3, work)).rejects.toThrow('throttled');
    expect(over).toBe(1);
  });
});
