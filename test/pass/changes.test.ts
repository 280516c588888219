import { describe, expect, it } from 'vitest';
import type { PassRequest } from '../../functions/handlers/create-poll.ts';
import { knownIn } from '../kit/owed.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

/** A world behind its baseline, with nothing left to tell. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create(options);
  expect(await world.run()).toMatchObject({ mode: 'baseline', outcome: 'completed', events: 0 });
  return world;
}
const { told } = stage;
const isOfRecord = (line: string) => !line.startsWith('field.');

describe('a baseline', () => {
  it('commits a snapshot of every project and tells nothing', async () => {
    await baselined({ projects: 5, tasksPerProject: 3 });
    expect(await told()).toEqual([]);
    expect(await knownIn(world)).toHaveLength(5);
    const one = await world.snapshots.load(world.process, '1001');
    expect(one?.content.tasks.size).toBe(3);
    expect(one?.version).toBe(world.clock.now);
  });

  it('may have begun in any mode; the other mode’s run then waits for it', async () => {
    world = await stage.create();
    expect(await world.run('sweep')).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    expect(await world.later('changes')).toMatchObject({ mode: 'changes', outcome: 'completed', events: 0 });
  });

  it('that runs out of time goes on in the next run, and says how far it is', async () => {
    const progress: string[] = [];
    world = await stage.create({ projects: 12, settings: { concurrency: 4 } });
    const slow = world.poller({
      onProgress: ({ mode, done, total }) => {
        progress.push(`${mode} ${done}/${total}`);
        world.clock.now += 200;
      },
    });
    expect(await world.run('changes', { poll: slow, remaining: 1_500 })).toMatchObject({
      outcome: 'unfinished',
    });
    expect(await world.run('changes', { poll: slow })).toMatchObject({
      mode: 'baseline',
      outcome: 'completed',
    });
    expect(progress.at(-1)).toBe('baseline 12/12');
    expect(await knownIn(world)).toHaveLength(12);
  });

  it('invariant 1: a change between an interrupted baseline and its end is told by the next pass', async () => {
    world = await stage.create({ projects: 12, settings: { concurrency: 4 } });
    const slow = world.poller({ onProgress: () => world.pass(200) });
    await world.run('changes', { poll: slow, remaining: 1_500 });
    const ids = await knownIn(world);
    world.edit.updateProject(PROCESS, ids[0] ?? '', { budget: '7' });
    world.clock.now += 600_000;
    await world.run();
    await world.later();
    expect(await told()).toEqual([`project.updated ${ids[0]} budget: "" → "7"`]);
  });
});

describe('a changes pass', () => {
  it('tells each changed project and task, and nothing else', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { phase: 'Build' });
    world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Done', 'risk-level': 'High' });
    const project = world.edit.createProject(PROCESS, { name: 'New' });
    const task = world.edit.createTask(PROCESS, project, { name: 'First' });
    world.edit.deleteTask(PROCESS, '1003', '500006');
    expect(await world.later()).toMatchObject({ projects: 4, commits: 4, events: 5 });
    expect((await told()).sort()).toEqual([
      `project.created ${project}`,
      'project.updated 1001 phase: "" → "Build"',
      `task.created ${project}/${task}`,
      'task.deleted 1003/500006',
      'task.updated 1002/500003 risk-level: "" → "High", status: "To do" → "Done"',
    ]);
  });

  it('tells a deleted project at once, tasks first, when the audit log names it', async () => {
    await baselined();
    world.edit.deleteProject(PROCESS, '1002');
    await world.later();
    expect(await told()).toEqual([
      'task.deleted 1002/500003',
      'task.deleted 1002/500004',
      'project.deleted 1002',
    ]);
    await world.later();
    expect(await told()).toHaveLength(3);
  });

  it('invariant 1: tells a deletion that it found before its time ran out', async () => {
    await baselined({ projects: 12, settings: { concurrency: 1 } });
    for (let id = 1001; id <= 1012; id++) world.edit.updateProject(PROCESS, String(id), { budget: '1' });
    world.edit.deleteProject(PROCESS, '1002');
    world.clock.now += 60_000;
    const slow = world.poller({ onProgress: () => world.pass(11_000) });
    expect(await world.run('changes', { poll: slow, remaining: 60_000 })).toMatchObject({
      outcome: 'unfinished',
    });
    await world.later();
    expect((await told()).filter(change => change.includes('deleted'))).toEqual([
      'task.deleted 1002/500003',
      'task.deleted 1002/500004',
      'project.deleted 1002',
    ]);
  });

  it('finds a task edit that leaves its project’s update time alone, by the audit log', async () => {
    await baselined({ freedoms: { taskEditsTouchProject: false } });
    world.clock.now += 600_000;
    world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Done' });
    await world.later();
    expect(await told()).toEqual(['task.updated 1002/500003 status: "To do" → "Done"']);
  });

  it('tells a task that moved as gone there and come here', async () => {
    await baselined();
    world.edit.moveTask(PROCESS, '1001', '500001', '1002');
    await world.later();
    expect((await told()).sort()).toEqual(['task.created 1002/500001', 'task.deleted 1001/500001']);
  });

  it('invariant 3 and 4: has the time of its commit as its sequence, in ms', async () => {
    await baselined();
    const times: number[] = [];
    for (const budget of ['1', '2', '3']) {
      world.edit.updateProject(PROCESS, '1001', { budget });
      await world.later();
      times.push(world.clock.now);
    }
    const sequences = (await world.events()).map(event => Number(event.sequence));
    expect(sequences).toEqual(times);
  });

  it('says honestly when the change was seen: between the last reading of the old and the first of the new', async () => {
    await baselined();
    const baseline = world.clock.now;
    world.clock.now += 90_500;
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await world.later('changes', 30_000);
    const [event] = await world.events();
    const observed = event && 'observed' in event.data ? event.data.observed : undefined;
    expect(observed).toEqual({
      after: new Date(baseline).toISOString(),
      before: new Date(Math.floor(world.clock.now / 1000) * 1000 + 1000).toISOString(),
    });
  });

  it('invariant 5 and 6: over unchanged data makes two requests, and writes no snapshot and no event', async () => {
    await baselined({ projects: 10 });
    await world.later();
    await world.later();
    const versions = () =>
      Promise.all(['1001', '1010'].map(async id => (await world.snapshots.load(world.process, id))?.version));
    const before = await versions();
    world.service.clearRequests();
    expect(await world.later()).toEqual({
      mode: 'changes',
      outcome: 'completed',
      projects: 0,
      commits: 0,
      events: 0,
      idle: expect.objectContaining({ completedAt: world.clock.now }),
    });
    expect(world.service.requests.map(({ path }) => path.replace(/\?.*/, ''))).toEqual([
      `/processes/${PROCESS}/projects`,
      `/processes/${PROCESS}/auditlog`,
    ]);
    expect(await versions()).toEqual(before);
  });

  it('invariant 5: lists a changed project for the whole overlap, but asks for its tasks no more than needed', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await world.later();
    world.service.clearRequests();
    await world.later('changes', 30_000);
    await world.later('changes', 29_000);
    expect(world.service.requests).toHaveLength(4);
    expect(world.service.requests.every(({ path }) => !path.includes('/tasks'))).toBe(true);
  });

  it('reads a project again that was edited within the tick in which it was read', async () => {
    await baselined({ freedoms: { timestampResolution: 5_000, auditDenied: 403 } });
    world.clock.now += 60_000;
    world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Doing' });
    await world.run();
    world.clock.now += 1_000;
    world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Done' });
    await world.later();
    expect(await told()).toEqual([
      'task.updated 1001/500001 status: "To do" → "Doing"',
      'task.updated 1001/500001 status: "Doing" → "Done"',
    ]);
  });

  it('tells no change for a re-ordered choice, a touched timestamp, an empty field that comes or goes', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { regions: ['North', 'South'] });
    await world.later();
    const before = await told();
    world.edit.updateProject(PROCESS, '1001', { regions: ['South', 'North'] });
    world.edit.touchProject(PROCESS, '1002');
    world.edit.addField(PROCESS, 'project', { externalId: 'extra', name: 'Extra', type: 'text' });
    world.edit.addField(PROCESS, 'task', {
      externalId: 'Extra too',
      name: 'Extra too',
      type: 'multiple-choice',
      options: ['a'],
    });
    await world.later('sweep');
    world.edit.archiveField(PROCESS, 'project', 'extra');
    world.edit.archiveField(PROCESS, 'task', 'Extra too');
    await world.later('sweep');
    await world.later();
    expect((await told()).filter(isOfRecord)).toEqual(before);
  });

  it('tells no change when a field that held values is archived, nor when it comes back', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { summary: 'words' });
    world.edit.updateTask(PROCESS, '1001', '500001', { note: 'more words' });
    await world.later();
    const before = await told();
    expect(before).toHaveLength(2);
    world.edit.archiveField(PROCESS, 'project', 'summary');
    world.edit.archiveField(PROCESS, 'task', 'Note');
    world.edit.touchProject(PROCESS, '1001');
    await world.later();
    await world.later('sweep');
    world.edit.unarchiveField(PROCESS, 'project', 'summary');
    world.edit.unarchiveField(PROCESS, 'task', 'Note');
    await world.later('sweep');
    expect((await told()).filter(isOfRecord)).toEqual(before);
  });

  it('tells custom fields by the names and types of today', async () => {
    await baselined();
    world.edit.addField(PROCESS, 'project', {
      externalId: 'late',
      name: 'Added late',
      type: 'multiple-choice',
      options: ['a', 'b'],
    });
    world.edit.updateProject(PROCESS, '1001', { late: ['b'] });
    await world.later();
    const [, event] = await world.events();
    expect(event?.data).toMatchObject({
      changes: [
        {
          field: 'late',
          name: 'Added late',
          kind: 'custom',
          type: 'multiple-choice',
          added: ['b'],
          removed: [],
        },
      ],
    });
  });

  it('waits quietly while another poller has the lease', async () => {
    await baselined();
    const now = world.clock.now;
    await world.snapshots.takeLease(world.process, {
      mode: 'changes',
      owner: 'other',
      now,
      until: now + 120_000,
    });
    expect(await world.later()).toMatchObject({ outcome: 'busy', events: 0 });
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
  });

  it('invariant 6: begins no sweep when another poller ended the unfinished one first', async () => {
    await baselined();
    const readState: typeof world.snapshots.readState = async process => ({
      ...(await world.snapshots.readState(process)),
      isSweepUnfinished: true,
    });
    const late = world.poller({ snapshots: { ...world.snapshots, readState } });
    world.service.clearRequests();
    expect(await world.run('changes', { poll: late })).toMatchObject({ outcome: 'completed' });
    const listings = world.service.requests.filter(({ path }) => /\/projects\?(?!.*updatedAfter)/.test(path));
    expect(listings).toEqual([]);
    expect(await world.later('sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed' });
  });

  it('invariant 6: reads the tasks of the changed projects only', async () => {
    await baselined({ projects: 40 });
    await world.later('changes', 600_000);
    world.edit.updateTask(PROCESS, '1007', '500013', { status: 'Done' });
    world.service.clearRequests();
    await world.later();
    const tasks = world.service.requests.filter(({ path }) => path.includes('/tasks'));
    expect(tasks.map(({ path }) => path.replace(/\?.*/, ''))).toEqual([
      `/processes/${PROCESS}/projects/1007/tasks`,
    ]);
  });

  it('names process and workspace when a message asks for one that is not configured', async () => {
    await baselined();
    const asked: PassRequest = { workspace: 'moon', processes: ['p'], mode: 'changes' };
    const run = world.poller()(asked, { awsRequestId: 'x', getRemainingTimeInMillis: () => 1 });
    await expect(run).rejects.toThrow(/Process p of workspace moon is not configured.*Redeploy/s);
  });
});
