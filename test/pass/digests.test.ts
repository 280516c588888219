import { describe, expect, it } from 'vitest';
import type { Snapshot, SnapshotHead } from '../../functions/model/snapshot.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { owedInShort } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { snapshotState } from '../kit/told.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { told } = stage;
let world: World;

/** A world behind its baseline, of which only sweeps see what changes. */
async function baselined(options: WorldOptions = {}): Promise<unknown> {
  world = await stage.create({
    ...options,
    freedoms: { auditDenied: 403, taskEditsTouchProject: false, ...options.freedoms },
  });
  await world.run();
  await world.later('changes', 600_000);
  return snapshotState(world.snapshots, world.process);
}

/** A sweep, a minute later, and the snapshots whose contents it looked into. */
async function sweepLoading(): Promise<string[]> {
  const loaded: string[] = [];
  const load: Snapshots['load'] = (process, id) => {
    loaded.push(id);
    return world.snapshots.load(process, id);
  };
  const heads = headsWith(head => () => {
    loaded.push(head.projectId);
    return head.whole?.();
  });
  world.pass(60_000);
  const poll = world.poller({ snapshots: { ...world.snapshots, load, heads } });
  expect(await world.run('sweep', { poll })).toMatchObject({ mode: 'sweep', outcome: 'completed' });
  return [...new Set(loaded)].sort();
}

/** The heads, with another way to the whole snapshot. */
function headsWith(whole: (head: SnapshotHead) => () => Snapshot | undefined): Snapshots['heads'] {
  return async function* (...given) {
    for await (const page of world.snapshots.heads(...given))
      yield page.map(head => ({ ...head, whole: whole(head) }));
  };
}

const digestsOf = async (id: string) => (await world.snapshots.load(world.process, id))?.digests;
const done = (id: string, task: string) => world.edit.updateTask(PROCESS, id, task, { status: 'Done' });

describe('a sweep', () => {
  it('invariant 6: loads no snapshot of what answers the same bytes', async () => {
    await baselined();
    expect(await sweepLoading()).toEqual([]);
    expect(await sweepLoading()).toEqual([]);
    expect(await told()).toEqual([]);
  });

  it('invariant 6: nor where the tasks take several pages, and asks for each page once', async () => {
    await baselined({ projects: 2, tasksPerProject: 5, pageSize: { tasks: 2 } });
    world.service.clearRequests();
    expect(await sweepLoading()).toEqual([]);
    expect(world.service.requests.filter(isTasksOf('1001'))).toHaveLength(3);
  });

  it('invariant 6: settles what was owed a look by the same bytes', async () => {
    await baselined();
    const refused = world.service.fail({ when: isTasksOf('1002'), times: 99, fault: { status: 403 } });
    await world.later('sweep');
    expect(await owedInShort(world)).toEqual(['1002 unreadable']);
    refused.cancel();
    expect(await sweepLoading()).toEqual([]);
    expect([await owedInShort(world), await told()]).toEqual([[], []]);
  });
});

describe('bytes that do not stand for what is kept', () => {
  it('invariant 2: are those without the values that an archived field had: they are compared each time', async () => {
    await baselined();
    world.edit.updateTask(PROCESS, '1001', '500001', { note: 'words' });
    await world.later('sweep');
    world.edit.archiveField(PROCESS, 'task', 'Note');
    done('1001', '500002');
    await world.later('sweep');
    const before = await told();
    const { content } = (await world.snapshots.load(world.process, '1001')) ?? {};
    expect(content?.tasks.get('500001')).toMatchObject({ note: 'words' });
    expect((await digestsOf('1001'))?.tasks).toBeUndefined();
    expect(await sweepLoading()).toContain('1001');
    world.edit.unarchiveField(PROCESS, 'task', 'Note');
    world.edit.updateTask(PROCESS, '1001', '500001', { note: 'more' });
    await world.later('sweep');
    const changes = (await told()).slice(before.length).filter(line => line.startsWith('task.'));
    expect(changes).toEqual(['task.updated 1001/500001 note: "words" → "more"']);
  });
});

describe('a snapshot that another pass wrote since it was read ahead', () => {
  it('invariant 2: is not compared with tasks that were read before it: that would tell them back', async () => {
    await baselined();
    done('1002', '500003');
    let isFirst = true;
    const load: Snapshots['load'] = async (process, id) => {
      if (isFirst && id === '1002') {
        isFirst = false;
        world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Late' });
        world.edit.touchProject(PROCESS, '1002');
        await world.later('changes', 10_000);
      }
      return world.snapshots.load(process, id);
    };
    world.pass(60_000);
    // As with a large one, whose content does not come along.
    const heads = headsWith(() => () => undefined);
    await world.run('sweep', { poll: world.poller({ snapshots: { ...world.snapshots, load, heads } }) });
    await world.later('sweep');
    expect(await told()).toEqual(['task.updated 1002/500003 status: "To do" → "Late"']);
  });
});
