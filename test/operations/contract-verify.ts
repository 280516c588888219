import { expect, it } from 'vitest';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { subjectOf } from '../../functions/operations/verify/facts.ts';
import { verifyProcess } from '../../functions/operations/verify/walk.ts';
import { type Content, contentOf, eventsBetween } from '../kit/operations/history.ts';
import type { Bench } from './contract.ts';

/** Of the journal and the snapshots, which `changewire verify` compares. */
export function verifyContract({ setting, ask, name, takesLarge }: Bench): void {
  const process = () => setting().processes[0];
  const baseline = async () => {
    const { snapshots } = setting().stores;
    const { announced } = await snapshots.readState(process());
    const version = Math.max(announced + 1, setting().now());
    const request = { events: [], version, at: version };
    const announcement = { announced, state: { baselined: true }, request };
    expect(await snapshots.announce(process(), announcement)).toBe('committed');
  };
  /** Commits the content of a project, and the events since `before`, by default its snapshot's. */
  const commit = async (projectId: string, after: Content | undefined, before?: Content) => {
    const { snapshots } = setting().stores;
    const expected = await snapshots.load(process(), projectId);
    const at = Math.max((expected?.version ?? 0) + 1, setting().now());
    const content = after && contentOf(after);
    const from = before ? contentOf(before) : expected?.content;
    const request = {
      ...{ projectId, expected, version: at, at },
      snapshot: content && { version: at, content, recordReadAt: at, tasksReadAt: at },
      ...(!content && { tombstone: { version: at, readAt: at } }),
      events: eventsBetween(process(), projectId, [from, content], at),
    };
    expect(await snapshots.commit(process(), request)).toBe('committed');
    return request.events.map(({ id }) => id);
  };
  const verify = (slices?: AnswerOf<'verify'>[]) => {
    const { workspace, processId } = process();
    return verifyProcess(
      async asked => {
        const slice = await ask('verify', asked);
        slices?.push(slice);
        return slice;
      },
      { process: processId, workspace },
    );
  };
  const mismatchesOf = async (projectId: string) => {
    const { mismatches } = await verify();
    return mismatches.filter(({ record }) => record.startsWith(subjectOf(projectId)));
  };

  it('verify that the events of a project lead from one to the next, and to its snapshot', async () => {
    await baseline();
    const project = name('projects/1');
    await commit(project, { record: { id: project, name: 'a' }, tasks: { 1: { status: 'To do' } } });
    await commit(project, { record: { id: project, name: 'b' }, tasks: { 1: { status: 'Done' }, 2: {} } });
    const { workspace, processId } = process();
    expect(await verify()).toMatchObject({ workspace, process: processId, isBaselined: true });
    expect(await mismatchesOf(project)).toEqual([]);
    await commit(project, undefined);
    expect(await mismatchesOf(project)).toEqual([]);
  });

  it('verify and name a value that no event states, and a `from` that no event left', async () => {
    await baseline();
    const project = name('project');
    const of = (name: string): Content => ({ record: { name }, tasks: {} });
    const [created] = await commit(project, of('a'));
    await commit(project, of('b'), of('b'));
    const record = subjectOf(project);
    const mismatch = { record, field: 'name', expected: '"a"', found: '"b"', after: created };
    expect(await mismatchesOf(project)).toEqual([mismatch]);
    const [updated] = await commit(project, of('c'));
    expect(await mismatchesOf(project)).toEqual([{ ...mismatch, event: updated }]);
  });

  if (takesLarge)
    it('verify in slices that fit an answer', async () => {
      await baseline();
      const project = name('project');
      const repeated = <Value>(length: number, key: string, value: Value): Record<string, Value> =>
        Object.fromEntries(Array.from({ length }, (_, index) => [`${key}${index}`, value]));
      const tasks = (mark: string) =>
        repeated(500, '', repeated(60, 'field', `${mark} ${'long '.repeat(14)}`));
      const next = name('project');
      for (const mark of ['a', 'b']) {
        await commit(project, { record: { id: project }, tasks: tasks(mark) });
        await commit(next, { record: { id: next }, tasks: { 1: { field: mark } } });
      }
      const slices: AnswerOf<'verify'>[] = [];
      const { mismatches } = await verify(slices);
      expect(mismatches.filter(({ record }) => record.startsWith(subjectOf(project)))).toEqual([]);
      const behind = slices.flatMap(slice => slice.snapshots).filter(each => each.project === next);
      expect(behind.map(({ records }) => records.length)).toEqual([2]);
      const lengths = slices.map(slice => JSON.stringify(slice).length);
      expect(lengths.length).toBeGreaterThan(4);
      expect(Math.max(...lengths)).toBeLessThan(5_500_000);
    });

  it('verify nothing before the baseline', async () => {
    const { workspace, processId } = setting().processes[1];
    const { baselined } = await setting().stores.snapshots.readState(setting().processes[1]);
    const verified = await verifyProcess(asked => ask('verify', asked), { process: processId, workspace });
    expect(verified.isBaselined).toBe(baselined);
  });
}
