import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SnapshotHead } from '../../functions/model/snapshot.ts';
import { Heads, walk } from '../../functions/pass/rounds.ts';
import { DeadlineError } from '../../functions/service/errors.ts';
import { byKey } from '../../functions/store/store.ts';
import { passContext } from '../kit/pass/context.ts';

const HOW = { concurrency: 3, shouldStop: () => false, onReached: async () => undefined };

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
      ...HOW,
      concurrency: 2,
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
    await expect(walk([1, 2, 3], { ...HOW, work })).rejects.toThrow('a defect');
    await expect(walk([1], { ...HOW, work })).rejects.toThrow(DeadlineError);
  });

  it('stops before the item at which it is told to', async () => {
    const done: number[] = [];
    const work = async (item: number) => void done.push(item);
    const how = { ...HOW, concurrency: 1, shouldStop: () => done.length === 2 };
    expect(await walk([1, 2, 3], { ...how, work })).toBe('stopped');
    expect(done).toEqual([1, 2]);
  });
});

const headOf = (projectId: string): SnapshotHead => ({
  projectId,
  version: 1,
  recordReadAt: 0,
  tasksReadAt: 0,
});

/** The heads of these projects, so many on a page. */
function headsOf(known: readonly string[], size: number, listed: readonly string[] = known) {
  const counts = { pages: 0, beats: 0 };
  const sorted = [...known].sort(byKey);
  const context = passContext({
    snapshots: {
      async *heads() {
        for (let at = 0; at < sorted.length; at += size) {
          counts.pages += 1;
          yield sorted.slice(at, at + size).map(headOf);
        }
      },
    },
    heartbeat: { beat: async () => void counts.beats++ },
  });
  return { heads: new Heads(context, id => listed.includes(id)), counts };
}

describe('the snapshots ahead of a walk', () => {
  const anyId = fc.constantFrom(...'abcdefghij'.split(''), 'a/1', 'a 1', 'ä', 'a.b', 'Z', '10', '9');
  const anyIds = fc.uniqueArray(anyId);

  it('are found for whoever asks in order, several at once, and those that no listing shows are counted', async () => {
    await fc.assert(
      fc.asyncProperty(anyIds, anyIds, fc.integer({ min: 1, max: 4 }), async (known, listed, size) => {
        const { heads, counts } = headsOf(known, size, listed);
        const walked = [...listed].sort(byKey);
        const found = await Promise.all(walked.map(id => heads.of(id)));
        expect(found).toEqual(walked.map(id => (known.includes(id) ? headOf(id) : undefined)));
        await heads.toEnd();
        expect(heads.known).toBe(known.length);
        expect(heads.unlisted).toEqual(known.filter(id => !listed.includes(id)).sort(byKey));
        expect(counts.pages).toBe(Math.ceil(known.length / size));
      }),
    );
  });

  it('are found behind a page that has none, too', async () => {
    const pages = [['1'], [], ['2']];
    const snapshots = {
      async *heads() {
        for (const ids of pages) yield ids.map(headOf);
      },
    };
    const heads = new Heads(passContext({ snapshots }), () => true);
    expect(await heads.of('2')).toEqual(headOf('2'));
    expect(heads.known).toBe(2);
  });

  it('invariant 6: are no more requests than pages: the end is found once', async () => {
    const { heads, counts } = headsOf(['1'], 1);
    await heads.toEnd();
    await heads.toEnd();
    expect(await heads.of('2')).toBeUndefined();
    expect(counts.pages).toBe(1);
  });
});
