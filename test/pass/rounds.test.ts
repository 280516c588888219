import { describe, expect, it } from 'vitest';
import type { Snapshots } from '../../functions/store/store.ts';
import { hide, isWholeListing } from '../kit/hide.ts';
import { ids, isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { budget, owed, refuse, runOver, told } = stage;
let world: World;

/** Its passes look at one project at a time. */
const settled = async (options: WorldOptions = {}) => {
  world = await stage.settled({
    ...{ projects: 8, tasksPerProject: 1, settings: { concurrency: 1 } },
    ...options,
  });
};
const wholeListings = () =>
  world.service.requests.filter(request => isWholeListing(request) && !request.path.includes('after='))
    .length;
/** Each project takes 11 s: after each the pass writes how far it came. */
const slow = { onProgress: () => world.pass(11_000) };
/** What a pass writes of rechecks and of its progress, in order. */
const writing = () => {
  const written: string[] = [];
  const calls: Partial<Snapshots> = {
    writeRechecks: (process, changes) => {
      written.push(...changes.map(({ projectId, after }) => `${projectId} ${after?.cause ?? 'settled'}`));
      return world.snapshots.writeRechecks(process, changes);
    },
    saveProgress: (process, lease, until) => {
      if (lease.progress !== undefined) written.push(`reached ${lease.progress}`);
      return world.snapshots.saveProgress(process, lease, until);
    },
  };
  return { written, calls };
};

describe('how far a pass has come', () => {
  it.each(['changes', 'sweep'] as const)('invariant 1: follows its rechecks, each once: %s', async mode => {
    await settled();
    budget(ids(8));
    refuse('1002');
    const { written, calls } = writing();
    await runOver(calls, mode, slow);
    expect(written).toContain('reached 1008');
    const reached = written.findIndex(line => line.startsWith('reached') && line >= 'reached 1002');
    expect(written.slice(0, reached)).toContain('1002 unreadable');
    expect(written.filter(line => line.startsWith('1002'))).toHaveLength(1);
  });

  it('is written after each ten seconds', async () => {
    await settled();
    const { written, calls } = writing();
    await runOver(calls, 'sweep', { onProgress: () => world.pass(10_000) });
    expect([...new Set(written)]).toEqual(ids(8).map(id => `reached ${id}`));
  });

  it('does not depend on projects with a recheck alone: these may get no answer, and are looked at last', async () => {
    await settled();
    refuse('1001');
    budget('1001');
    await world.later();
    await world.later('changes', 600_000);
    budget('1008');
    world.service.clearRequests();
    const { written, calls } = writing();
    await runOver(calls, 'changes', slow);
    const looked = world.service.requests.flatMap(({ path }) => /(\d+)\/tasks/.exec(path)?.[1] ?? []);
    expect([looked, written]).toEqual([['1008', '1001'], Array(2).fill('reached 1008')]);
  });

  it('names, of projects that were skipped, also those whose recheck it cleared on its way', async () => {
    await settled();
    budget(ids(8));
    const refused = refuse('1002');
    await world.later('changes');
    refused.cancel();
    budget(ids(8), '2');
    expect(await runOver({}, 'changes', slow)).toMatchObject({ skippedNoLonger: ['1002'] });
    expect(await owed()).toEqual([]);
  });

  it('invariant 1: is not written in an outage, nor is any recheck', async () => {
    await settled({ projects: 30 });
    budget(ids(30));
    const refusals = ids(30).map(id => refuse(id));
    const { written, calls } = writing();
    // From the twentieth on it would write how far it came after each project.
    const onProgress = ({ done }: { readonly done: number }) => done >= 20 && world.pass(11_000);
    for (const mode of ['changes', 'sweep'] as const)
      await expect(runOver(calls, mode, { onProgress })).rejects.toThrow(/^30 project\(s\) cannot be read/);
    expect([written, await owed(), await told()]).toEqual([[], [], []]);
    for (const { cancel } of refusals) cancel();
    expect(await world.later()).toMatchObject({ events: 30 });
  });

  it('invariant 1: stays where it was when the rechecks up to there cannot be written', async () => {
    await settled();
    refuse('1002');
    const writeRechecks: Snapshots['writeRechecks'] = async (_, { length }) => {
      if (length > 0) throw new Error('throttled');
    };
    await expect(runOver({ writeRechecks }, 'sweep', slow)).rejects.toThrow('throttled');
    await world.later('sweep');
    expect(await owed()).toEqual(['1002 unreadable']);
  });

  it('is where the next run of a `changes` pass begins, which settles what the first one found', async () => {
    await settled();
    const refused = refuse('1001');
    budget('1001');
    await world.later();
    refused.cancel();
    const { watermark } = await stage.state();
    budget(ids(7), '2');
    world.edit.deleteProject(PROCESS, '1008');
    const short = { onProgress: () => world.pass(200), remaining: 1_600 };
    expect((await runOver({}, 'changes', short)).outcome).toBe('unfinished');
    // The entries that the first run read are not lost, though this run cannot read the log.
    world.service.fail({ when: ({ path }) => path.includes('/auditlog'), fault: { status: 403 } });
    expect((await world.run('changes')).outcome).toBe('completed');
    const state = await stage.state();
    expect([...state.rechecks]).toEqual([]);
    expect(state.watermark).toBeGreaterThan(watermark);
    await world.later('changes', 600_000);
    expect((await told()).at(-1)).toBe('project.deleted 1008');
  });

  it('invariant 1: leaves what the log shows later of the projects up to there to the next pass', async () => {
    await settled({ freedoms: { taskEditsTouchProject: false } });
    budget(ids(8));
    // Lists of the next pass no longer have these updates.
    world.pass(600_000);
    const short = { onProgress: () => world.pass(200), remaining: 1_600 };
    expect((await runOver({}, 'changes', short)).outcome).toBe('unfinished');
    world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Later' });
    expect((await world.run('changes')).outcome).toBe('completed');
    await world.later('changes');
    expect((await told()).at(-1)).toMatch(/^task.updated 1001.* → "Later"/);
  });
});

it.each(['changes', 'sweep'] as const)(
  'a recheck that a pass wrote on its way is removed when the second round of a %s pass settles it',
  async mode => {
    await settled();
    budget(ids(8));
    refuse('1002', 404, 1);
    const { written, calls } = writing();
    expect(await runOver(calls, mode, slow)).toMatchObject({ outcome: 'completed' });
    expect(written.filter(line => !line.startsWith('reached'))).toEqual(['1002 uncertain', '1002 settled']);
    expect(await owed()).toEqual([]);
  },
);

it('a recheck that a pass wrote on its way is removed then, though another one is left to the next sweep', async () => {
  await settled();
  hide(world, ['1008']);
  await world.later('sweep');
  budget(ids(7));
  refuse('1002', 404, 1);
  expect(await runOver({}, 'changes', slow)).toMatchObject({ outcome: 'completed' });
  expect(await owed()).toEqual(['1008 not-listed']);
});

it.each([
  ['sweep', 'changes', () => refuse('1002'), '1002 unreadable'],
  ['changes', 'sweep', () => hide(world, ['1002']), '1002 not-listed'],
] as const)(
  'invariant 1: a recheck stays that another pass writes after a %s pass has read the project',
  async (mode, other, hinder, recheck) => {
    await settled();
    hide(world, ['1008']);
    await world.later('sweep');
    budget(['1002', '1007']);
    const before = async () => {
      budget('1002', '2');
      hinder();
      await world.run(other);
    };
    world.service.fail({ when: isTasksOf('1007'), fault: { before } });
    expect(await runOver({}, mode)).toMatchObject({ outcome: 'completed' });
    expect(await owed()).toEqual([recheck]);
  },
);

describe('the second round', () => {
  it('is left out of a baseline that goes on when a project has gone: a sweep emits that later', async () => {
    world = await stage.create({ projects: 8, settings: { concurrency: 1 } });
    const onProgress = ({ done }: { readonly done: number }) => done === 3 && world.pass(150_000);
    const first = await runOver({}, 'changes', { onProgress, remaining: 150_000 });
    expect(first).toMatchObject({ outcome: 'unfinished' });
    world.edit.deleteProject(PROCESS, '1001');
    world.service.clearRequests();
    expect(await world.later()).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    expect([wholeListings(), await told()]).toEqual([1, []]);
    await world.later('sweep');
    expect(await told()).toContain('project.deleted 1001');
  });

  it('reads the whole list once for all that is unclear', async () => {
    await settled();
    const gone = ['1001', '1003', '1005'];
    for (const id of gone) world.edit.deleteProject(PROCESS, id);
    await world.later();
    expect(wholeListings()).toBe(1);
    const ofProjects = (await told()).filter(line => line.startsWith('project.'));
    expect(ofProjects).toEqual(gone.map(id => `project.deleted ${id}`));
  });

  it('looks at the projects in the order of their ids, by the snapshots that the first round has read', async () => {
    await settled();
    for (const id of ['1002', '1005'])
      world.edit.updateTask(PROCESS, id, `500${id.slice(1)}`, { status: 'Done' });
    world.edit.deleteProject(PROCESS, '1003', { audit: false });
    hide(world, ['1002'], 1);
    refuse('1005', 404, 1);
    world.service.clearRequests();
    let readings = 0;
    const heads: Snapshots['heads'] = (...given) => {
      readings += 1;
      return world.snapshots.heads(...given);
    };
    await runOver({ heads }, 'sweep');
    const requests = world.service.requests.slice(world.service.requests.findLastIndex(isWholeListing));
    expect(['1002', '1003', '1005'].map(id => requests.findIndex(isTasksOf(id)))).toEqual([1, 2, 3]);
    expect((await told()).sort()).toEqual([
      'project.deleted 1003',
      'task.deleted 1003/500003',
      ...['1002/500002', '1005/500005'].map(task => `task.updated ${task} status: "To do" → "Done"`),
    ]);
    expect(readings).toBe(1);
  });

  it('invariant 1: goes on in the next run with what was left to it, and with nothing else', async () => {
    await settled();
    for (const id of ['1003', '1006']) world.edit.deleteProject(PROCESS, id, { audit: false });
    world.edit.updateTask(PROCESS, '1005', '500005', { status: 'Done' });
    refuse('1005', 404, 1);
    world.service.fail({ when: isTasksOf('1003'), fault: { before: () => world.pass(16_000) } });
    const looked = () => {
      const found = world.service.requests.flatMap(({ path }) => /(\d+)\/tasks/.exec(path)?.[1] ?? []);
      world.service.clearRequests();
      return [...new Set(found)];
    };
    expect(await runOver({}, 'sweep', { remaining: 30_000 })).toMatchObject({ outcome: 'unfinished' });
    expect(await owed()).toEqual(['1005 uncertain']);
    expect(looked()).toEqual(['1001', '1002', '1004', '1005', '1007', '1008', '1003']);
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    expect(looked()).toEqual(['1005', '1003', '1006']);
    expect(await owed()).toEqual([]);
  });

  it('invariant 1: of a changes pass leaves what it found gone to the next run, too', async () => {
    await settled();
    for (const id of ['1003', '1006']) world.edit.deleteProject(PROCESS, id);
    const isSecondLook = (request: { path: string }) =>
      isTasksOf('1003')(request) && world.service.requests.some(isWholeListing);
    world.service.fail({ when: isSecondLook, fault: { before: () => world.pass(16_000) } });
    expect(await runOver({}, 'changes', { remaining: 30_000 })).toMatchObject({ outcome: 'unfinished' });
    expect(await owed()).toEqual(['1003 uncertain', '1006 uncertain']);
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    const ofProjects = (await told()).filter(line => line.startsWith('project.'));
    expect(ofProjects).toEqual(['project.deleted 1003', 'project.deleted 1006']);
    expect(await owed()).toEqual([]);
  });

  it('is left to the next run where its listing begins so late that it does not end', async () => {
    await settled({ pageSize: { projects: 2 } });
    world.edit.deleteProject(PROCESS, '1003');
    for (const when of [isTasksOf('1003'), isWholeListing])
      world.service.fail({ when, fault: { before: () => world.pass(8_000) } });
    const late = { outcome: 'unfinished', cutOff: expect.stringContaining('began late') };
    expect(await runOver({}, 'changes', { remaining: 30_000 })).toMatchObject(late);
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(await told()).toContain('project.deleted 1003');
  });

  it('invariant 1: of a sweep leaves to the next run what two sweeps missed', async () => {
    await settled();
    hide(world, ['1003', '1006'], 6);
    await world.later('sweep');
    world.service.fail({ when: isTasksOf('1003'), fault: { before: () => world.pass(16_000) } });
    expect(await runOver({}, 'sweep', { remaining: 30_000 })).toMatchObject({ outcome: 'unfinished' });
    expect(await owed()).toEqual(['1003 not-listed', '1006 not-listed']);
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    const ofProjects = (await told()).filter(line => line.startsWith('project.'));
    expect(ofProjects).toEqual(['project.deleted 1003', 'project.deleted 1006']);
    expect(await owed()).toEqual([]);
  });

  it.each([
    ['is new', false],
    ['could not be read before', true],
  ])(
    'invariant 9: two runs of one sweep that miss a project, which %s, count as one',
    async (_, isRefused) => {
      await settled();
      const refused = refuse('1003');
      if (isRefused) await world.later('sweep');
      refused.cancel();
      hide(world, ['1003', '1006'], 4);
      world.service.fail({ when: isTasksOf('1003'), fault: { before: () => world.pass(16_000) } });
      expect(await runOver({}, 'sweep', { remaining: 30_000 })).toMatchObject({ outcome: 'unfinished' });
      expect(await owed()).toEqual(['1003 not-listed']);
      expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
      expect([await told(), await owed()]).toEqual([[], ['1003 not-listed', '1006 not-listed']]);
      hide(world, ['1003', '1006']);
      await world.later('sweep');
      expect((await told()).filter(line => line.startsWith('project.'))).toHaveLength(2);
    },
  );
});
