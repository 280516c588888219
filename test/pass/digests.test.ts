import { describe, expect, it } from 'vitest';
import type { Snapshot, SnapshotHead } from '../../functions/model/snapshot.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { owedInShort } from '../kit/owed.ts';
import { restlessTasks } from '../kit/restless-tasks.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { applyEvents, servedState, snapshotState } from '../kit/told.ts';
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

  it('invariant 1: tells a changed task, and then knows the new bytes', async () => {
    await baselined();
    done('1002', '500003');
    expect(await sweepLoading()).toEqual(['1002']);
    expect(await told()).toEqual(['task.updated 1002/500003 status: "To do" → "Done"']);
    expect(await sweepLoading()).toEqual([]);
  });

  it('invariant 1: tells a changed task on the last of several pages', async () => {
    await baselined({ projects: 2, tasksPerProject: 5, pageSize: { tasks: 2 } });
    done('1001', '500005');
    expect(await sweepLoading()).toEqual(['1001']);
    expect(await told()).toEqual(['task.updated 1001/500005 status: "To do" → "Done"']);
    expect(await sweepLoading()).toEqual([]);
  });

  it('invariant 1: tells a changed record whose tasks are the same', async () => {
    await baselined({ freedoms: { updatesVisibleAfter: 1e12 } });
    world.edit.updateProject(PROCESS, '1002', { budget: '1' });
    expect(await sweepLoading()).toEqual(['1002']);
    expect(await told()).toEqual(['project.updated 1002 budget: "" → "1"']);
    expect(await sweepLoading()).toEqual([]);
  });

  it('invariant 1: tells what came and went back between two readings of it', async () => {
    const baseline = await baselined();
    done('1002', '500003');
    await sweepLoading();
    world.edit.updateTask(PROCESS, '1002', '500003', { status: 'To do' });
    await sweepLoading();
    expect(await told()).toHaveLength(2);
    expect(applyEvents(baseline, await world.events())).toEqual(servedState(world.edit, PROCESS));
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

  it('invariant 2: are those of tasks that never came to rest', async () => {
    await baselined({ projects: 2, tasksPerProject: 6, pageSize: { tasks: 2 } });
    world.edit.deleteTask(PROCESS, '1001', '500002');
    const restless = restlessTasks(world, '1001');
    done('1001', '500003');
    await world.later('sweep');
    restless.cancel();
    expect(await owedInShort(world)).toEqual(['1001 uncertain']);
    expect((await digestsOf('1001'))?.tasks).toBeUndefined();
    expect(await sweepLoading()).toEqual(['1001']);
    expect(await told()).toContain('task.deleted 1001/500002');
    expect(await owedInShort(world)).toEqual([]);
    expect(await sweepLoading()).toEqual([]);
  });

  it('invariant 1: are those of which only a part was committed', async () => {
    const baseline = await baselined();
    for (const task of ['500001', '500002']) done('1001', task);
    let commits = 0;
    const commit: Snapshots['commit'] = async (process, request) => {
      if (request.events.length > 1) return 'too-large';
      commits += 1;
      if (commits > 1) throw new Error('died');
      return world.snapshots.commit(process, request);
    };
    world.pass(60_000);
    const poll = world.poller({ snapshots: { ...world.snapshots, commit } });
    await expect(world.run('sweep', { poll })).rejects.toThrow('died');
    expect(await digestsOf('1001')).toBeUndefined();
    await world.later('sweep');
    expect(await told()).toHaveLength(2);
    expect(applyEvents(baseline, await world.events())).toEqual(servedState(world.edit, PROCESS));
  });
});

describe('a snapshot that another pass wrote since it was read ahead', () => {
  /** A sweep; when it asks for the tasks of 1002, this happens, and a `changes` pass. */
  async function sweepMeeting(edit: () => void): Promise<void> {
    await baselined({ freedoms: { taskEditsTouchProject: true, auditDenied: false } });
    let isFirst = true;
    const before = async () => {
      if (!isFirst) return;
      isFirst = false;
      edit();
      await world.later('changes', 10_000);
    };
    world.service.fail({ when: isTasksOf('1002'), fault: { before } });
    world.pass(60_000);
    await world.run('sweep');
  }

  it('invariant 2: is loaded: what that one told is not told again, nor back', async () => {
    await sweepMeeting(() => done('1002', '500003'));
    for (const mode of ['changes', 'sweep'] as const) await world.later(mode);
    expect(await told()).toEqual(['task.updated 1002/500003 status: "To do" → "Done"']);
  });

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

  it('invariant 1: hides no change back to the bytes from before: a later pass tells it', async () => {
    await sweepMeeting(() => done('1002', '500003'));
    world.service.fail({
      when: isTasksOf('1002'),
      fault: { before: () => void world.edit.updateTask(PROCESS, '1002', '500003', { status: 'To do' }) },
    });
    for (const mode of ['changes', 'sweep'] as const) await world.later(mode);
    expect((await told()).at(-1)).toBe('task.updated 1002/500003 status: "Done" → "To do"');
    expect(await snapshotState(world.snapshots, world.process)).toEqual(servedState(world.edit, PROCESS));
  });
});
