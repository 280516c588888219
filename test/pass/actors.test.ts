import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { Actor } from '../../functions/model/event.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

async function baselined(options: WorldOptions = {}): Promise<void> {
  world = await stage.create({ projects: 3, tasksPerProject: 2, ...options });
  await world.run();
  await world.later('changes', 600_000);
  world.service.clearRequests();
}

/** The ids and names of the workspace's users. */
const users = (): Actor[] =>
  world.edit.users().map(({ id, name }: JsonObject) => ({ id: String(id), name: String(name) }));
const user = (index: number): Actor => users()[index] as Actor;
const by = (...indexes: number[]) => indexes.map(user);
const tasks = (projectId: string) => world.edit.tasks(PROCESS, projectId).map(({ id }) => String(id));
const rename = (projectId: string, name: string, index: number) =>
  world.edit.updateProject(PROCESS, projectId, { name }, { user: user(index).id });
const renameTask = (taskId: string, name: string, index: number) =>
  world.edit.updateTask(PROCESS, '1001', taskId, { name }, { user: user(index).id });

/** Who did what, of all that was told since the baseline. */
async function told(): Promise<[what: string, actors: Actor[] | undefined][]> {
  return (await world.events()).map(({ type, data }) => {
    const id = 'task' in data ? data.task.id : 'project' in data ? data.project.id : '';
    return [`${type} ${id}`, 'actors' in data ? data.actors : undefined];
  });
}
const userRequests = () => world.service.requests.filter(({ path }) => path.startsWith('/user'));

describe('the actors of a change', () => {
  it('are those whom the audit log names, with their names, for project and task alike', async () => {
    await baselined();
    const [first = '', second = ''] = tasks('1001');
    rename('1001', 'Renamed', 1);
    renameTask(first, 'Done by another', 0);
    world.edit.deleteTask(PROCESS, '1001', second, { user: user(1).id });
    const made = world.edit.createProject(PROCESS, { name: 'New' }, { user: user(0).id });
    world.edit.deleteProject(PROCESS, '1002', { user: user(1).id });
    await world.later();
    const found = await told();
    for (const expected of [
      ['project.updated 1001', by(1)],
      [`task.updated ${first}`, by(0)],
      [`task.deleted ${second}`, by(1)],
      [`project.created ${made}`, by(0)],
      ['project.deleted 1002', by(1)],
    ])
      expect(found).toContainEqual(expected);
  });

  it('are not those of an entry that comes late, about what a sweep has seen already', async () => {
    await baselined({ freedoms: { auditVisibleAfter: 90_000 } });
    const [task = ''] = tasks('1001');
    // Moves no field of the project: the sweep sees it, and writes nothing.
    world.edit.updateProject(PROCESS, '1001', {}, { user: user(1).id });
    await world.later('sweep');
    renameTask(task, 'Another', 0);
    rename('1001', 'By nobody whom the log shows yet', 0);
    await world.later();
    expect((await told()).map(([, actors]) => actors)).toEqual([undefined, undefined]);
  });

  it('are none of a new project where the service began to tell the time only after its baseline, and those of an edit afterwards', async () => {
    await baselined({ freedoms: { dateHeader: false } });
    world.service.freedoms.dateHeader = true;
    await world.later();
    await world.later('sweep');
    world.pass(10_000);
    const made = world.edit.createProject(PROCESS, { name: 'New' }, { user: user(0).id });
    await world.later();
    world.pass(60_000);
    rename(made, 'Renamed', 1);
    await world.later();
    expect(await told()).toEqual([
      [`project.created ${made}`, undefined],
      [`project.updated ${made}`, by(1)],
    ]);
  });

  it('are none of a project that an earlier pass could not read', async () => {
    await baselined();
    const refused = world.service.fail({ when: isTasksOf('1001'), times: 100, fault: { status: 403 } });
    const [task = ''] = tasks('1001');
    renameTask(task, 'By the one', 1);
    await world.later();
    refused.cancel();
    world.edit.updateProject(PROCESS, '1001', { budget: '7' }, { user: user(0).id });
    await world.later();
    expect((await told()).filter(([, actors]) => actors)).toEqual([]);
  });

  it('are asked for by one request, and not before something changed that the log tells of', async () => {
    await baselined();
    await world.later();
    expect(world.service.requests).toHaveLength(2);
    for (const [index, name] of ['One', 'Two', 'Three'].entries()) {
      world.pass(2_000);
      for (const id of ['1001', '1002', '1003']) rename(id, name, index % 2);
      await world.later();
    }
    expect(userRequests().map(({ path }) => path)).toEqual([expect.stringMatching(/^\/users\?/)]);
    expect((await told()).every(([, actors]) => actors?.length === 1)).toBe(true);
  });
});
