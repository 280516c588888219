import { afterEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import type { Snapshot } from '../../../functions/model/snapshot.ts';
import { verifyProcess } from '../../../functions/operations/verify/walk.ts';
import { RESTORE, verifySlice } from '../../../functions/operations/verify.ts';
import { TornSnapshotError } from '../../../functions/store/store.ts';
import {
  AT,
  commit,
  type OpenContext,
  openContext,
  PROCESSES,
  STORES,
} from '../../kit/operations/context.ts';
import { eventsOf } from '../../kit/operations/events.ts';

const PROCESS = PROCESSES[0] as ProcessKey;
const IDS = ['p1', 'p2', 'p3'];

describe.each(STORES)('over %s, snapshots that are verified', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());

  /** Projects that each have an event of a task, and a snapshot without it: `seen` is what is read of one. */
  async function opened(seen: (id: string, snapshot: Snapshot) => Snapshot): Promise<void> {
    context = openContext(open);
    const { announced } = await context.snapshots.readState(PROCESS);
    const request = { events: [], version: announced + 1, at: AT - 9_000 };
    await context.snapshots.announce(PROCESS, { announced, state: { baselined: true }, request });
    for (const projectId of IDS)
      await commit(context, eventsOf(AT - 5_000, 1, { projectId }), { projectId, at: AT - 5_000 });
    const { load } = context.snapshots;
    context.snapshots.load = async (process, id) => {
      const snapshot = await load(process, id);
      return snapshot && seen(id, snapshot);
    };
  }
  const ask = (asked: object = {}) =>
    verifySlice(context, { operation: 'verify', process: PROCESS.processId, part: 'snapshots', ...asked });
  const verified = () => verifyProcess(asked => verifySlice(context, asked), { process: PROCESS.processId });

  it('come in a further slice once two seconds are over, each once', async () => {
    await opened((_, snapshot) => {
      context.state.now += 1_500;
      return snapshot;
    });
    const first = await ask({ projects: IDS });
    expect(first.snapshots.map(({ project }) => project)).toEqual(['p1', 'p2']);
    const { cursor, snapshots } = await ask({ projects: IDS, cursor: first.cursor });
    expect([cursor, snapshots.map(({ project }) => project)]).toEqual([undefined, ['p3']]);
    await expect(ask()).rejects.toThrow('projects: required for the part snapshots.');
  });

  it('differ where a task of an event is not there; one that cannot be read says why', async () => {
    await opened((id, snapshot) => {
      if (id === 'p2') throw new TornSnapshotError('part 2 of 3 is missing');
      return snapshot;
    });
    const { mismatches, unsettled } = await verified();
    expect(mismatches.map(({ record, expected, found }) => [record, expected, found])).toEqual([
      ['projects/p1/tasks/t0', 'present', 'absent'],
      ['projects/p2/tasks/t0', 'present', 'part 2 of 3 is missing'],
      ['projects/p3/tasks/t0', 'present', 'absent'],
    ]);
    expect(unsettled).toBe(0);
  });

  it('prove nothing about what is withheld, or was while the journal was written', async () => {
    const shown: [string, number][] = [
      ['old', 0],
      ['lately', AT - 1_000],
    ];
    await opened((id, snapshot) =>
      id === 'p1' ? { ...snapshot, withheld: { names: ['now'], shown } } : snapshot,
    );
    const { snapshots } = await ask({ projects: ['p1', 'p2'] });
    const [one, other] = snapshots.map(({ withheld }) => withheld);
    expect(one).toEqual(expect.arrayContaining(['now', 'lately']));
    expect(one).not.toContain('old');
    expect(other).toBeUndefined();
  });

  it('that were restored lead on from that moment, however much was done since', async () => {
    await opened((_, snapshot) => snapshot);
    const restored = async (at: number, operation = RESTORE) => {
      const subject = { process: PROCESS };
      await context.actions.note({ at, who: 'ann', isProven: true, operation, subject });
      return (await verified()).events;
    };
    expect(await restored(AT - 6_000)).toBe(3);
    expect(await restored(AT - 4_000)).toBe(0);
    for (let index = 0; index < 150; index += 1) await restored(AT - 3_000 + index, 'poll');
    expect((await verified()).events).toBe(0);
  });
});
