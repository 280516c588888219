import { describe, expect, it } from 'vitest';
import { openStage } from '../support/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../support/world.ts';

/** A service that changes how it identifies its records. */
const stage = openStage();
let world: World;
/** What is told of projects and tasks. */
const told = async () => (await stage.told()).filter(line => /^(project|task)\./.test(line));
const said = () => JSON.stringify(world.said);

async function baselined(options: WorldOptions = {}): Promise<void> {
  world = await stage.create({ projects: 4, tasksPerProject: 2, ...options });
  await world.run();
  await world.later('changes', 600_000);
}
async function passes(): Promise<void> {
  for (const mode of ['changes', 'sweep', 'changes', 'sweep', 'sweep'] as const)
    await world.later(mode).catch(() => undefined);
}

/** Renames the identifiers of what is served: `rename` gives a record's new properties in place of its `id`. */
function renaming(list: 'projects' | 'tasks', rename: (id: string) => object) {
  const change = (body: Record<string, unknown>) => ({
    ...body,
    [list]: (body[list] as { id: string }[]).map(({ id, ...rest }) => ({ ...rename(id), ...rest })),
  });
  return world.service.fail({
    when: ({ path }) => path.includes(`/${list}?`),
    times: 10_000,
    fault: { change: change as never },
  });
}

describe('identifiers that were texts and become numbers, everywhere', () => {
  it('identify the same records: nothing is told but what happened', async () => {
    await baselined();
    world.service.freedoms.numericIds = true;
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await passes();
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
    world.service.freedoms.numericIds = false;
    await passes();
    expect(await told()).toHaveLength(1);
  });
});

describe('an identifier under another name', () => {
  it('identifies the same record, and new ones are created', async () => {
    await baselined();
    renaming('projects', id => ({ projectId: id }));
    renaming('tasks', id => ({ taskId: Number(id) }));
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    world.edit.createProject(PROCESS, { name: 'New' });
    await passes();
    expect((await told()).sort()).toEqual(['project.created 1005', 'project.updated 1001 budget: "" → "1"']);
  });
});

describe('other identifiers under another name', () => {
  it('invariant 9: of projects delete and create nothing, say what changed and what to do, and end by themselves', async () => {
    await baselined();
    const renamed = renaming('projects', id => ({ externalId: `EXT-${id}` }));
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    world.service
      .fail({ when: ({ path }) => path.includes('/tasks?'), times: 10_000, fault: { status: 404 } })
      .cancel();
    await passes();
    expect(await told()).toEqual([]);
    expect(said()).toContain(
      'expected records with id, which identified those known, found EXT-1001 without it',
    );
    expect(said()).toContain('give the workspace a new name');
    renamed.cancel();
    await passes();
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
  });

  it('invariant 9: of projects whose old task lists are gone hold the process, however small it is', async () => {
    await baselined();
    renaming('projects', id => ({ externalId: `EXT-${id}` }));
    world.service.fail({
      when: ({ path }) => /\/100\d\/tasks/.test(path),
      times: 10_000,
      fault: { status: 404 },
    });
    await passes();
    expect(await told()).toEqual([]);
    expect((await world.events()).map(({ type }) => type)).toContain('source.held');
  });

  it('invariant 9: of tasks stop the projects that have them', async () => {
    await baselined();
    const renamed = renaming('tasks', id => ({ externalId: `EXT-${id}` }));
    world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Done' });
    await passes();
    expect(await told()).toEqual([]);
    expect(said()).toContain('/1001/tasks: at $: expected records with id');
    renamed.cancel();
    await passes();
    expect(await told()).toEqual(['task.updated 1001/500001 status: "To do" → "Done"']);
  });
});

describe('a field that has the value of the identifier by chance', () => {
  it('is not taken for the identifier: a project without it is created', async () => {
    world = await stage.create({ projects: 4, tasksPerProject: 2 });
    world.edit.updateProject(PROCESS, '1001', { budget: '1001' });
    renaming('projects', id => ({ budget: id === '1001' ? id : '', id }));
    await world.run();
    await world.later('changes', 600_000);
    world.edit.createProject(PROCESS, { name: 'New' });
    await passes();
    expect(await told()).toEqual(['project.created 1005']);
  });
});

describe('tasks that are all replaced by others', () => {
  it('are deleted and created', async () => {
    await baselined();
    for (const id of ['500001', '500002']) world.edit.deleteTask(PROCESS, '1001', id);
    world.edit.createTask(PROCESS, '1001', { name: 'Other' });
    await passes();
    expect((await told()).map(line => line.split(' ')[0])).toEqual([
      'task.deleted',
      'task.deleted',
      'task.created',
    ]);
  });
});
