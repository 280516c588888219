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

  it('are several where several changed it, in the order of their edits, each once', async () => {
    await baselined();
    const [task = ''] = tasks('1001');
    for (const [index, name] of [
      [1, 'One'],
      [0, 'Two'],
      [1, 'Three'],
    ] as const) {
      renameTask(task, name, index);
      world.pass(1_000);
    }
    await world.later();
    expect(await told()).toEqual([[`task.updated ${task}`, by(1, 0)]]);
  });

  it('are none where the log names nobody, or somebody who is no user', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { name: 'By the system' }, { user: 'system' });
    world.edit.updateProject(PROCESS, '1002', { name: 'Not logged' }, { audit: false });
    await world.later();
    expect(await told()).toEqual([
      ['project.updated 1001', undefined],
      ['project.updated 1002', undefined],
    ]);
  });

  it('are none for changes that a sweep finds, nor where the log is denied', async () => {
    await baselined();
    rename('1001', 'Before the sweep', 1);
    await world.later('sweep');
    world.service.freedoms.auditDenied = 403;
    rename('1001', 'Unlogged', 1);
    await world.later();
    expect(await told()).toEqual([
      ['project.updated 1001', undefined],
      ['project.updated 1001', undefined],
    ]);
    expect(userRequests()).toEqual([]);
  });

  it('are none where the entries carry no time, or the service tells none', async () => {
    await baselined({ freedoms: { auditTimestamps: false } });
    rename('1001', 'When?', 1);
    await world.later();
    world.service.freedoms.auditTimestamps = true;
    world.service.freedoms.dateHeader = false;
    rename('1001', 'By which clock?', 1);
    await world.later();
    rename('1001', 'By which clock was it read before?', 1);
    world.service.freedoms.dateHeader = true;
    await world.later();
    world.pass(2_000);
    expect((await told()).map(([, actors]) => actors)).toEqual([undefined, undefined, undefined]);
    rename('1001', 'Now', 1);
    await world.later();
    expect((await told()).at(-1)).toEqual(['project.updated 1001', by(1)]);
  });

  it('are not those of an entry that comes late, about a change that is told already', async () => {
    await baselined({ freedoms: { auditVisibleAfter: 90_000 } });
    rename('1001', 'By the one', 1);
    await world.later();
    rename('1001', 'By the other', 0);
    await world.later();
    // What the log shows now is the first edit alone.
    expect(await told()).toEqual([
      ['project.updated 1001', undefined],
      ['project.updated 1001', undefined],
    ]);
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

  /** An edit, and a pass in the same second of the service's clock. */
  const soon = async (edit: () => void) => {
    world.pass(10_300 - (world.clock.now % 1_000));
    edit();
    await world.later('changes', 200);
  };

  it('are told of an edit within the second of the reading, where its record shows it', async () => {
    await baselined();
    const [task = ''] = tasks('1001');
    await soon(() => rename('1001', 'Just now', 1));
    await soon(() => renameTask(task, 'Just now', 0));
    expect(await told()).toEqual([
      ['project.updated 1001', by(1)],
      [`task.updated ${task}`, by(0)],
    ]);
  });

  it('are not told of it where records have no update time', async () => {
    await baselined({ freedoms: { recordTimestamps: false } });
    await soon(() => rename('1001', 'Just now', 1));
    expect(await told()).toEqual([['project.updated 1001', undefined]]);
  });

  it.each([1_000, 60_000])(
    'are not told of it where times are cut off to %i ms',
    async timestampResolution => {
      await baselined({ freedoms: { timestampResolution } });
      await soon(() => rename('1001', 'One of several in this time', 1));
      expect(await told()).toEqual([['project.updated 1001', undefined]]);
    },
  );

  it('are none of a new project where the service tells no time', async () => {
    await baselined({ freedoms: { dateHeader: false } });
    world.edit.createProject(PROCESS, { name: 'New' }, { user: user(0).id });
    await world.later();
    expect((await told()).map(([, actors]) => actors)).toEqual([undefined]);
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

  it('are none where the log tells of another edit, too, by nobody who is known', async () => {
    await baselined();
    const [task = ''] = tasks('1001');
    renameTask(task, 'By one', 1);
    world.edit.updateTask(PROCESS, '1001', task, { status: 'Done' }, { user: 'system' });
    await world.later();
    expect((await told()).map(([, actors]) => actors)).toEqual([undefined]);
  });

  it('are none of the tasks that come and go with their project', async () => {
    await baselined();
    const [task = ''] = tasks('1001');
    renameTask(task, 'Last words', 1);
    world.pass(2_000);
    world.edit.deleteProject(PROCESS, '1001', { user: user(0).id });
    await world.later();
    const found = await told();
    expect(found).toContainEqual([`task.deleted ${task}`, undefined]);
    expect(found).toContainEqual(['project.deleted 1001', by(0)]);
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

  it('are left out, and nothing else, where the list of users cannot be read', async () => {
    await baselined();
    world.service.fail({ when: ({ path }) => path.startsWith('/users'), times: 100, fault: { status: 500 } });
    rename('1001', 'Named', 1);
    expect(await world.later()).toMatchObject({ outcome: 'completed', events: 1 });
    expect(await told()).toEqual([['project.updated 1001', undefined]]);
  });
});
