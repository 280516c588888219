import { describe, expect, it } from 'vitest';
import { owedIn } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

/** A world well behind its baseline. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create(options);
  await world.run();
  await world.later('changes', 600_000);
  return world;
}
const { told } = stage;
const owed = async () => (await owedIn(world)).map(({ id }) => id);
const answer = (id: string, status: number, times: number) =>
  world.service.fail({ when: isTasksOf(id), times, fault: { status } });

describe('a project whose task list answers 404', () => {
  it('invariant 9: is none of many that are gone while it is listed: only a sweep holds the process for others', async () => {
    await baselined({ projects: 14, tasksPerProject: 1 });
    world.service.fail({
      when: ({ path }) => path.includes('/projects?') && !path.includes('updatedAfter'),
      fault: {
        change: body => ({
          ...body,
          projects: (body.projects as { id: string }[]).filter(({ id }) => id > '1012') as never,
        }),
      },
    });
    answer('1013', 404, 1);
    world.edit.updateTask(PROCESS, '1013', '500013', { status: 'Done' });
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(await told()).toEqual(['task.updated 1013/500013 status: "To do" → "Done"']);
  });

  it('stays to be told while it is listed, though others beside it are gone', async () => {
    await baselined();
    world.edit.deleteProject(PROCESS, '1001');
    const missing = answer('1002', 404, 100);
    world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Done' });
    await world.later();
    expect((await told()).at(-1)).toBe('project.deleted 1001');
    expect(await owed()).toEqual(['1002']);
    missing.cancel();
    await world.later();
    expect((await told()).at(-1)).toBe('task.updated 1002/500003 status: "To do" → "Done"');
  });

  it('fails the pass when it is read again, and the service then refuses everybody', async () => {
    await baselined();
    answer('1002', 404, 1);
    answer('1002', 429, 100);
    world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Done' });
    await expect(world.later()).rejects.toThrow(/1002\/tasks.*status 429/);
    expect(await owed()).toEqual([]);
  });

  it('is told as deleted in id order, whatever the table’s order', async () => {
    await baselined({ tasksPerProject: 0 });
    for (const id of ['1001', '1002']) world.edit.deleteProject(PROCESS, id);
    const deleted: string[] = [];
    const poll = world.poller({
      snapshots: {
        ...world.snapshots,
        withSnapshot: async (...given) =>
          new Set([...(await world.snapshots.withSnapshot(...given))].sort().reverse()),
        commit: async (process, request) => {
          deleted.push(request.projectId);
          return world.snapshots.commit(process, request);
        },
      },
    });
    world.pass(60_000);
    await world.run('changes', { poll });
    expect(deleted).toEqual(['1001', '1002']);
  });
});

describe('a new project whose task list answers 404', () => {
  const HOUR = 3_600_000;
  const make = () => world.edit.createProject(PROCESS, { name: 'New' });

  it('invariant 1: once, is told by that very pass: it looks again', async () => {
    await baselined();
    const id = make();
    world.edit.createTask(PROCESS, id, { name: 'Task' });
    answer(id, 404, 1);
    await world.later();
    expect((await told()).map(line => line.split(' ')[0])).toEqual(['project.created', 'task.created']);
    expect(await owed()).toEqual([]);
  });

  it('invariant 1: twice, is told by the next pass, however late that is', async () => {
    await baselined();
    const id = make();
    world.edit.createTask(PROCESS, id, { name: 'Task' });
    answer(id, 404, 2);
    await world.later();
    expect([await told(), await owed()]).toEqual([[], [id]]);
    await world.later('changes', HOUR);
    expect((await told()).map(line => line.split(' ')[0])).toEqual(['project.created', 'task.created']);
    expect(await owed()).toEqual([]);
  });

  it('invariant 1: for good, is told by the next pass, without tasks: a service may answer so', async () => {
    await baselined();
    const id = make();
    answer(id, 404, 1_000);
    for (let pass = 0; pass < 3; pass++) await world.later('changes', HOUR);
    await world.later('sweep', HOUR);
    expect([await told(), await owed()]).toEqual([[`project.created ${id}`], []]);
  });

  it('invariant 1: and that only a sweep finds, is told by the next pass', async () => {
    await baselined({ freedoms: { auditDenied: 403, updatesVisibleAfter: 1_000 * HOUR } });
    const id = make();
    answer(id, 404, 1_000);
    await world.later('sweep', HOUR);
    expect(await owed()).toEqual([id]);
    await world.later('changes', HOUR);
    expect([await told(), await owed()]).toEqual([[`project.created ${id}`], []]);
  });

  it('is forgotten when it was deleted just then', async () => {
    await baselined();
    const id = make();
    world.service.fail({
      when: isTasksOf(id),
      fault: { before: () => world.edit.deleteProject(PROCESS, id) },
    });
    await world.later();
    expect(await owed()).toEqual([]);
    await world.later('changes', HOUR);
    await world.later('sweep', HOUR);
    expect([await told(), await owed()]).toEqual([[], []]);
  });

  it('invariant 1: is no outage when they are many: all are owed a look, and told by the next pass, all others at once', async () => {
    await baselined({ projects: 1, tasksPerProject: 0, freedoms: { auditDenied: 403 } });
    const made = Array.from({ length: 150 }, make);
    world.service.fail({
      when: ({ path }) => made.some(id => path.includes(`/${id}/tasks`)),
      times: 10_000,
      fault: { status: 404 },
    });
    const { watermark } = await world.snapshots.readState(world.process);
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    expect(await world.later()).toMatchObject({ outcome: 'completed', events: 1 });
    expect(await owed()).toEqual(made);
    expect((await world.snapshots.readState(world.process)).watermark).toBeGreaterThan(watermark);
    expect(await world.later('changes', HOUR)).toMatchObject({ outcome: 'completed', events: 150 });
    expect((await told()).sort()).toEqual(
      [...made.map(id => `project.created ${id}`), 'project.updated 1001 budget: "" → "1"'].sort(),
    );
    expect(await owed()).toEqual([]);
  });

  it('invariant 2: right after it was refused otherwise, is not taken to have no tasks', async () => {
    await baselined();
    const id = make();
    world.edit.createTask(PROCESS, id, { name: 'Task' });
    const refused = answer(id, 403, 1_000);
    await world.later();
    await world.later();
    refused.cancel();
    answer(id, 404, 2);
    await world.later('changes', HOUR);
    expect([await told(), await owed()]).toEqual([[`source.skipped ${id}`], [id]]);
    expect(await owedIn(world)).toMatchObject([
      {
        isReported: true,
        cause: 'no-task-list',
        reason: expect.stringMatching(/is listed, but its task list/),
      },
    ]);
    await world.later('changes', HOUR);
    expect((await told()).slice(1).map(line => line.split(' ')[0])).toEqual([
      'project.created',
      'task.created',
    ]);
    expect(await owed()).toEqual([]);
  });

  it('invariant 2: is none when it was deleted, and a list of updates still shows it', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1002', { budget: '1' });
    await world.later();
    const record = world.edit.projects(PROCESS).find(({ id }) => id === '1002');
    world.edit.deleteProject(PROCESS, '1002');
    world.service.fail({
      when: ({ path }) => path.includes('updatedAfter'),
      times: 1_000,
      fault: { change: body => ({ ...body, projects: [...(body.projects as []), record] as never }) },
    });
    for (let pass = 0; pass < 4; pass++) await world.later();
    const types = (await told()).map(line => line.split(' ')[0]);
    expect(types).toEqual(['project.updated', 'task.deleted', 'task.deleted', 'project.deleted']);
  });

  it('invariant 8: is told as skipped by neither of two modes that meet it at the same time', async () => {
    await baselined();
    const id = make();
    answer(id, 404, 1_000);
    let isFirst = true;
    world.service.fail({
      when: isTasksOf('1001'),
      fault: {
        before: async () => {
          if (isFirst) await world.run('changes');
          isFirst = false;
        },
      },
    });
    world.pass(2_000);
    await world.run('sweep');
    expect([await told(), await owed()]).toEqual([[], [id]]);
    await world.later();
    expect([await told(), await owed()]).toEqual([[`project.created ${id}`], []]);
  });
});
