import { describe, expect, it } from 'vitest';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { budget, runOver, told } = stage;
let world: World;

const settled = async (options: WorldOptions = {}) => {
  world = await stage.settled(options);
};

describe('a `changes` pass', () => {
  it('emits each changed project and task, and nothing else', async () => {
    await settled();
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

  it.each([10, 200])('invariants 5 and 6: of %i unchanged projects: 2 requests, no write', async projects => {
    await settled({ projects, tasksPerProject: 0 });
    const before = await stage.state();
    const written: string[] = [];
    const { takeLease, saveProgress, finish, announce, commit } = world.snapshots;
    const calls = Object.entries({ takeLease, saveProgress, finish, announce, commit }).map(
      ([name, call]) => [
        name,
        (...given: unknown[]) => {
          written.push(name);
          return (call as (...all: unknown[]) => unknown)(...given);
        },
      ],
    );
    expect(await runOver(Object.fromEntries(calls))).toEqual({
      ...{ mode: 'changes', outcome: 'completed', projects: 0, commits: 0, events: 0 },
      idle: expect.objectContaining({ completedAt: world.clock.now }),
    });
    const asked = world.service.requests.map(({ path }) => path.replace(/\?.*/, ''));
    expect(asked.filter(path => path !== '/oauth/token')).toEqual(
      ['projects', 'auditlog'].map(list => `/processes/${PROCESS}/${list}`),
    );
    expect(written).toEqual([]);
    expect(await stage.state()).toEqual(before);
  });

  it('invariant 5: lists a changed project for the whole overlap, but asks for its tasks no more than needed', async () => {
    await settled();
    budget('1001');
    await world.later();
    world.service.clearRequests();
    for (const ms of [30_000, 29_000]) await world.later('changes', ms);
    expect([stage.asked(/./), stage.asked(/\/tasks/)]).toEqual([4, 0]);
  });

  it('invariant 1: reads a listed project again that an audit entry names, though its record is the same', async () => {
    await settled();
    budget('1001');
    for (const ms of [60_000, 30_000]) await world.later('changes', ms);
    world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Done' }, { touch: false });
    expect(await world.later('changes', 29_000)).toMatchObject({ projects: 1, events: 1 });
  });

  it('invariant 6: keeps a project as of now whose update time alone moved, silently and without the definitions', async () => {
    await settled({ freedoms: { auditDenied: 403 } });
    const load = async () => {
      const { version, recordReadAt, tasksReadAt } =
        (await world.snapshots.load(world.process, '1001')) ?? {};
      return [version, recordReadAt, tasksReadAt] as number[];
    };
    const before = await load();
    world.edit.touchProject(PROCESS, '1001');
    expect(await world.later()).toMatchObject({ projects: 1, commits: 1, events: 0 });
    expect(stage.asked(/coverpage|customfields/i)).toBe(0);
    const after = await load();
    expect(after[0]).toBe(world.clock.now);
    expect(after.every((time, index) => time > (before[index] as number))).toBe(true);
  });

  it('invariant 5: does not write a project that an audit entry names, if nothing changed', async () => {
    await settled();
    world.edit.updateTask(PROCESS, '1001', '500001', {}, { touch: false });
    const before = await world.snapshots.load(world.process, '1001');
    expect(await world.later()).toMatchObject({ projects: 1, commits: 0 });
    expect(await world.snapshots.load(world.process, '1001')).toEqual(before);
  });

  it('emits custom fields by the names and types of now', async () => {
    await settled({ freedoms: { auditDenied: 403 } });
    const late = {
      externalId: 'late',
      name: 'Added late',
      type: 'multiple-choice',
      options: ['a', 'b'],
    } as const;
    world.edit.addField(PROCESS, 'project', late);
    world.edit.updateProject(PROCESS, '1001', { late: ['b'] });
    await world.later();
    const [, event] = await world.events();
    const { name, type } = late;
    expect(event?.data).toMatchObject({
      changes: [{ field: 'late', name, kind: 'custom', type, added: ['b'], removed: [] }],
    });
  });

  it.each([
    ['leaves what the sweep marks for a recheck to the sweep', 1, 0],
    ['looks at what it marked itself, whatever the cause', 0, 1],
  ])('%s', async (_, metBefore, looks) => {
    await settled({ freedoms: { auditDenied: 403 } });
    const now = world.clock.now + 60_000;
    const after = {
      ...({ cause: 'not-listed', reason: 'r', isReported: true } as const),
      ...{ since: now - 60_000, foundAt: now - metBefore },
    };
    await world.snapshots.writeRechecks(world.process, [{ projectId: '1002', before: undefined, after }]);
    expect(await world.later()).toMatchObject({ outcome: 'completed', projects: looks });
    expect(stage.asked(/1002\/tasks/)).toBe(looks);
  });
});
