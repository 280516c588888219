import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SnapshotHead } from '../../functions/model/snapshot.ts';
import type { PassContext } from '../../functions/pass/context/context.ts';
import { Heads } from '../../functions/pass/rounds.ts';
import { byKey } from '../../functions/store/store.ts';

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
  const context = {
    process: { workspace: 'eu', processId: 'p' },
    snapshots: {
      async *heads() {
        for (let at = 0; at < sorted.length; at += size) {
          counts.pages += 1;
          yield sorted.slice(at, at + size).map(headOf);
        }
      },
    },
    heartbeat: {
      beat: async () => {
        counts.beats += 1;
      },
    },
  } as unknown as PassContext;
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
    const context = {
      process: { workspace: 'eu', processId: 'p' },
      snapshots,
      heartbeat: { beat: async () => {} },
    };
    const heads = new Heads(context as unknown as PassContext, () => true);
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
