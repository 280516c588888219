import { beforeEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import type { Snapshot } from '../../../functions/model/snapshot.ts';
import { byKey, type Snapshots } from '../../../functions/store/store.ts';
import { AT, commitOf, content, noise, type Subject, snapshot } from '../../kit/store/subject.ts';

const IDS = 'abc abc! abc% abc# abc- abcd ABC ab 10 9 _ ~ ü é 😀 ﬁ'.split(' ');
const ODD = ['', 'a#PART#0001', 'abc#PART#0001', '__proto__', '\ud800', '%23', ' '];

let processes = 0;

/** What every implementation of the snapshots port must do when it lists them. */
export function headsContract(subject: () => Subject): void {
  describe('the heads of a process’s snapshots', () => {
    let process: ProcessKey;
    let snapshots: Snapshots;
    beforeEach(() => {
      process = { workspace: 'eu', processId: `heads ${++processes}` };
      snapshots = subject().snapshots;
    });

    const keep = (projectId: string, more: Partial<Snapshot> = {}) =>
      snapshots.commit(
        process,
        commitOf(projectId, { ...snapshot(AT, content({ name: projectId })), ...more }),
      );
    const pages = (after?: string) => Array.fromAsync(snapshots.heads(process, after));
    const idsBehind = async (after?: string) => (await pages(after)).flat().map(({ projectId }) => projectId);
    const inOrder = [...IDS, ...ODD].toSorted(byKey);

    it('come in the order of their keys, whatever the identifiers, and whichever they begin behind', async () => {
      expect(await pages()).toEqual([]);
      for (const id of [...IDS, ...ODD]) await keep(id);
      // Its parts stand between it and the next.
      const big = snapshot(AT + 1, content({ text: noise(900_000) }));
      const expected = await snapshots.load(process, 'abc');
      expect(await snapshots.commit(process, commitOf('abc', big, { expected }))).toBe('committed');
      expect(await idsBehind()).toEqual(inOrder);
      for (const [index, id] of inOrder.entries())
        expect(await idsBehind(id)).toEqual(inOrder.slice(index + 1));
    });

    it('begin behind what is no project any more, or never was one', async () => {
      for (const id of IDS) await keep(id);
      for (const id of [...ODD, 'abc%%', '~~', '!', 'x'.repeat(2_000)])
        expect(await idsBehind(id)).toEqual(IDS.filter(each => byKey(each, id) > 0).toSorted(byKey));
    });

    it('tell all of a snapshot but its content', async () => {
      const first = snapshot(AT, content({ name: 'Acme' }));
      const { content: _, ...head } = first;
      await keep('p1');
      await keep('p2', { untimed: true, digests: { record: 'r', tasks: 't', meaning: 'm' } });
      await keep('p3', { digests: { tasks: 't' } });
      await keep('p4', { digests: { record: 'r', tasks: undefined } });
      expect((await pages()).flat()).toEqual([
        { ...head, projectId: 'p1' },
        { ...head, projectId: 'p2', untimed: true, digests: { record: 'r', tasks: 't', meaning: 'm' } },
        { ...head, projectId: 'p3', digests: { tasks: 't' } },
        { ...head, projectId: 'p4', digests: { record: 'r' } },
      ]);
    });

    it('have the digests that a snapshot is loaded with, until it is written without them', async () => {
      const digests = { record: 'r', tasks: 't' };
      await keep('p1', { digests });
      const loaded = await snapshots.load(process, 'p1');
      expect(loaded?.digests).toEqual(digests);
      const next = snapshot(AT + 1, content({ name: 'Next' }));
      const { content: _, ...head } = next;
      expect(await snapshots.commit(process, commitOf('p1', next, { expected: loaded }))).toBe('committed');
      expect((await snapshots.load(process, 'p1'))?.digests).toBeUndefined();
      expect((await pages()).flat()).toEqual([{ ...head, projectId: 'p1', version: AT + 1 }]);
    });

    it('come page after page, however large the snapshots are, while others are committed', async () => {
      const ids = Array.from({ length: 12 }, (_, index) => `p${10 + index}`);
      for (const [index, id] of ids.entries())
        await keep(id, { content: content({ text: noise(index % 4 === 0 ? 900_000 : 300_000) }) });
      const found: string[] = [];
      for await (const page of snapshots.heads(process)) {
        expect(page.length).toBeGreaterThan(0);
        found.push(...page.map(({ projectId }) => projectId));
        const id = found.at(-1) as string;
        const expected = await snapshots.load(process, id);
        await snapshots.commit(process, commitOf(id, snapshot(AT + 1, content({})), { expected }));
      }
      expect(found).toEqual(ids);
    });

    it('bring a content along that is the one a snapshot is loaded with, if they bring it', async () => {
      await keep('p1', { untimed: true, digests: { record: 'r' } });
      await keep('p2', { content: content({ text: noise(900_000) }) });
      for (const head of (await pages()).flat()) {
        const whole = head.whole?.() ?? (await snapshots.load(process, head.projectId));
        expect(whole).toEqual(await snapshots.load(process, head.projectId));
      }
    });

    it('are those of one process', async () => {
      await keep('p1');
      const other = { ...process, processId: `${process.processId}#` };
      expect(await Array.fromAsync(snapshots.heads(other))).toEqual([]);
    });
  });
}
