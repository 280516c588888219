import { describe, expect, it } from 'vitest';
import { restlessTasks } from '../kit/restless-tasks.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const MINUTE = 60_000;
const stage = openStage();
let world: World;

/** A world well behind its baseline. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create(options);
  await world.run();
  await world.later('changes', 10 * MINUTE);
  return world;
}
const { told } = stage;
const tasksAsked = () => world.service.requests.filter(({ path }) => path.includes('/tasks')).length;

describe('a project that the overlap lists again, as it was', () => {
  it('invariant 5: is not read again, though it had nothing to tell', async () => {
    await baselined();
    world.edit.touchProject(PROCESS, '1002', { audit: false });
    expect(await world.later('changes', 30_000)).toMatchObject({ projects: 1, events: 0 });
    world.service.clearRequests();
    expect(await world.later('changes', 30_000)).toMatchObject({ projects: 0 });
    expect(tasksAsked()).toBe(0);
  });

  it('invariant 1: is read again when its tasks changed all the time while they were read', async () => {
    await baselined({ tasksPerProject: 4, pageSize: { tasks: 2 }, freedoms: { auditDenied: 403 } });
    const restless = restlessTasks(world, '1002');
    world.edit.deleteTask(PROCESS, '1002', '500008');
    expect(await world.later('changes', 30_000)).toMatchObject({ outcome: 'completed', events: 0 });
    restless.cancel();
    await world.later('changes', 30_000);
    expect(await told()).toEqual(['task.deleted 1002/500008']);
  });

  it('is told as created at once when it was taken for deleted, and the audit log names it', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1002', { budget: '1' });
    await world.later('changes', 10_000);
    const hidden = [
      world.service.fail({
        when: ({ path }) => path.includes('/projects?'),
        times: 10,
        fault: {
          change: body => ({
            ...body,
            projects: (body.projects as { id: string }[]).filter(({ id }) => id !== '1002') as never,
          }),
        },
      }),
      world.service.fail({ when: isTasksOf('1002'), times: 10, fault: { status: 404 } }),
    ];
    await world.later('sweep', 10_000);
    expect((await told()).at(-1)).toBe('project.deleted 1002');
    for (const { cancel } of hidden) cancel();
    world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Done' }, { touch: false });
    await world.later('changes', 10_000);
    expect(await told()).toContain('project.created 1002');
  });
});
