import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { bulkLimit } from '../../functions/pass/deletions.ts';
import { stateKey } from '../../functions/snapshots/keys.ts';
import { isTasksOf, openStage } from '../support/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../support/world.ts';

const stage = openStage();
let world: World;

async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create({ tasksPerProject: 0, ...options });
  await world.run();
  return world;
}
const { told } = stage;
const isListing = ({ path }: { path: string }) =>
  path.includes('/projects?') && !path.includes('updatedAfter');

/** Hides projects from the next whole listings, as a shifted cursor or a lost permission would. */
function hide(ids: readonly string[], times = 1): void {
  const hidden = new Set(ids);
  const change = (body: { projects?: unknown }) => ({
    ...body,
    projects: (body.projects as { id: string }[]).filter(({ id }) => !hidden.has(id)),
  });
  world.service.fail({ when: isListing, times, fault: { change: change as never } });
}

/** A release by the operator, as the runbook has it. */
function release(): Promise<unknown> {
  return stage.table.client.send(
    new UpdateItemCommand({
      TableName: stage.table.tableName,
      Key: stateKey(world.process),
      UpdateExpression: 'SET released = :yes',
      ExpressionAttributeValues: { ':yes': { BOOL: true } },
    }),
  );
}

describe('a sweep', () => {
  it('tells a deletion that no audit entry named, confirmed by the task list', async () => {
    await baselined();
    world.edit.deleteProject(PROCESS, '1002', { audit: false });
    await world.later();
    expect(await told()).toEqual([]);
    expect(await world.later('sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed', events: 1 });
    expect(await told()).toEqual(['project.deleted 1002']);
  });

  it('leaves a project alone that is listed, but whose task list answers 404, and says so once', async () => {
    await baselined();
    for (let sweep = 0; sweep < 2; sweep++) {
      world.service.fail({ when: isTasksOf('1002'), fault: { status: 404 } });
      await world.later('sweep');
    }
    expect(await told()).toEqual([]);
    expect(world.said.filter(({ message }) => /is listed, but/.test(message))).toHaveLength(1);
  });

  it('invariant 2: tells a deletion between two pages of its listing with an interval that holds it', async () => {
    await baselined({ projects: 6, pageSize: { projects: 2 } });
    let at = 0;
    const before = () => {
      world.clock.now += 20_500;
      at = world.clock.now;
      world.edit.deleteProject(PROCESS, '1006', { audit: false });
    };
    world.service.fail({
      when: request => isListing(request) && request.path.includes('after='),
      fault: { before },
    });
    await world.later('sweep');
    const [event] = await world.events();
    const observed = event && 'observed' in event.data ? event.data.observed : { after: '', before: '' };
    expect(Date.parse(observed.after)).toBeLessThanOrEqual(at);
    expect(Date.parse(observed.before)).toBeGreaterThanOrEqual(at);
  });

  it('tells what a changes pass could not see', async () => {
    await baselined({ tasksPerProject: 1, freedoms: { taskEditsTouchProject: false, auditDenied: 403 } });
    world.clock.now += 600_000;
    world.edit.updateTask(PROCESS, '1003', '500003', { status: 'Done' });
    await world.later();
    expect(await told()).toEqual([]);
    await world.later('sweep');
    expect(await told()).toEqual(['task.updated 1003/500003 status: "To do" → "Done"']);
  });

  it('invariant 9: a project missing once, whose task list still answers, is not deleted', async () => {
    await baselined();
    hide(['1002']);
    await world.later('sweep');
    await world.later('sweep');
    hide(['1002']);
    await world.later('sweep');
    expect(await told()).toEqual([]);
  });

  it('takes a project that two sweeps in a row missed for deleted', async () => {
    await baselined({ freedoms: { tasksOfDeletedProject: 200 } });
    world.edit.deleteProject(PROCESS, '1002', { audit: false });
    await world.later('sweep');
    expect(await told()).toEqual([]);
    await world.later('sweep');
    expect(await told()).toEqual(['project.deleted 1002']);
  });

  it('invariant 9: a refusal never means deletion, however often a project is missing', async () => {
    await baselined();
    for (let sweep = 0; sweep < 3; sweep++) {
      hide(['1002']);
      world.service.fail({ when: isTasksOf('1002'), fault: { status: 403 } });
      await world.later('sweep');
    }
    expect(await told()).toEqual([]);
    expect(await world.snapshots.load(world.process, '1002')).toBeDefined();
  });

  it('invariant 9: an empty list deletes nothing, however often it comes', async () => {
    await baselined();
    for (let sweep = 0; sweep < 3; sweep++) {
      hide(['1001', '1002', '1003']);
      await world.later('sweep');
    }
    expect(await told()).toEqual(['source.held']);
  });

  it('invariant 9: the last project of a process is gone when its task list says so, else an operator decides', async () => {
    await baselined({ projects: 1, freedoms: { auditDenied: 403, tasksOfDeletedProject: 200 } });
    world.edit.deleteProject(PROCESS, '1001');
    for (let sweep = 0; sweep < 3; sweep++) await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    world.service.freedoms.tasksOfDeletedProject = 404;
    await world.later('sweep');
    expect((await told()).at(-1)).toBe('project.deleted 1001');
  });

  it('invariant 9: what is held stays held when a later sweep can not read all that is missing', async () => {
    await baselined({ projects: 3 });
    for (const id of ['1001', '1002', '1003']) world.edit.deleteProject(PROCESS, id);
    await world.later();
    expect(await told()).toEqual(['source.held']);
    const refused = [
      world.service.fail({ when: isTasksOf('1001'), times: 100, fault: { status: 403 } }),
      world.service.fail({ when: isTasksOf('1002'), times: 100, fault: { status: 403 } }),
    ];
    await world.later('sweep');
    refused.push(world.service.fail({ when: isTasksOf('1003'), times: 100, fault: { status: 403 } }));
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    expect((await world.snapshots.readState(world.process)).held).toBeDefined();
  });

  it('invariant 9: a changes pass deletes no project of a process whose listing is empty, though others are held', async () => {
    await baselined({ projects: 3 });
    hide(['1001', '1002', '1003']);
    hide(['1001', '1002', '1003']);
    hide(['1001', '1002', '1003']);
    world.edit.touchProject(PROCESS, '1002');
    world.service.fail({ when: isTasksOf('1002'), times: 100, fault: { status: 404 } });
    await world.later();
    expect(await told()).toEqual(['source.held']);
  });

  it('that runs out of time is continued by the next changes run, and finds deletions then', async () => {
    await baselined({ projects: 12 });
    world.edit.deleteProject(PROCESS, '1002', { audit: false });
    const slow = world.poller({ onProgress: () => world.pass(200) });
    expect(await world.run('sweep', { poll: slow, remaining: 700 })).toMatchObject({ outcome: 'unfinished' });
    expect(await world.later('changes')).toMatchObject({ mode: 'changes', outcome: 'completed' });
    expect(await told()).toEqual(['project.deleted 1002']);
  });

  it('invariant 2: does not tell a change back that a changes pass told while the sweep was under way', async () => {
    await baselined();
    world.clock.now += 60_000;
    const before = async () => {
      world.clock.now += 30_000;
      world.edit.updateProject(PROCESS, '1001', { budget: '2' });
      await world.run('changes');
    };
    world.service.fail({ when: isTasksOf('1001'), fault: { before } });
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await world.run('sweep');
    await world.later();
    const changes = await told();
    expect(changes.at(-1)).toMatch(/→ "2"$/);
    expect(changes.filter(change => change.includes('"2" →'))).toEqual([]);
  });
});

describe('deletions in bulk', () => {
  it('are more than 10, and more than a fifth', () => {
    expect([0, 10, 50, 60, 5_000].map(bulkLimit)).toEqual([10, 10, 10, 12, 1_000]);
  });

  it('invariant 9: hold the process: nothing is deleted, it is told once, and the alarm’s metric is set', async () => {
    await baselined({ projects: 14 });
    for (let id = 1001; id <= 1012; id++) world.edit.deleteProject(PROCESS, String(id), { audit: false });
    await world.later('sweep');
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    expect((await world.events())[0]?.data).toMatchObject({ missing: 12, known: 14 });
    await world.later();
    expect(world.counts.filter(({ name }) => name === 'ProcessHeld').at(-1)).toMatchObject({ value: 1 });
  });

  it('go ahead when the operator releases them, and the process is no longer held', async () => {
    await baselined({ projects: 14 });
    for (let id = 1001; id <= 1012; id++) world.edit.deleteProject(PROCESS, String(id), { audit: false });
    await world.later('sweep');
    await release();
    await world.later('sweep');
    expect(await told()).toHaveLength(13);
    expect(await world.snapshots.readState(world.process)).toMatchObject({
      held: undefined,
      released: false,
    });
  });

  it('end by themselves when the projects are back', async () => {
    await baselined({ projects: 14 });
    const ids = Array.from({ length: 12 }, (_, index) => String(1001 + index));
    hide(ids);
    world.service.fail({
      when: request => request.path.includes('/tasks'),
      times: 14,
      fault: { status: 404 },
    });
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    await world.later('sweep');
    expect(await world.snapshots.readState(world.process)).toMatchObject({ held: undefined });
    expect(await told()).toEqual(['source.held']);
  });

  it('are held in a changes pass as well', async () => {
    await baselined({ projects: 14 });
    for (let id = 1001; id <= 1012; id++) world.edit.deleteProject(PROCESS, String(id));
    await world.later();
    expect(await told()).toEqual(['source.held']);
    await world.later();
    expect(await told()).toEqual(['source.held']);
  });

  it.each(['before', 'after'])(
    'are told once when the pass that found them dies %s it told them',
    async when => {
      await baselined({ projects: 14 });
      world.pass(60_000);
      for (let id = 1001; id <= 1012; id++) world.edit.deleteProject(PROCESS, String(id), { audit: false });
      const dies = world.poller({
        snapshots: {
          ...world.snapshots,
          announce: async (...given) => {
            if (when === 'after') await world.snapshots.announce(...given);
            throw new Error('died');
          },
        },
      });
      await expect(world.run('sweep', { poll: dies })).rejects.toThrow('died');
      const died = world.clock.now;
      await world.later('sweep');
      await world.later('sweep');
      const toldAt = when === 'after' ? died : died + 60_000;
      expect((await world.events()).map(({ id }) => id)).toEqual([`${PROCESS}..${toldAt}.0`]);
    },
  );
});

describe('a task', () => {
  const pages = { tasks: 2 };

  it('invariant 9: that a shifted cursor hid is looked for again, and not deleted', async () => {
    await baselined({ projects: 1, tasksPerProject: 6, pageSize: pages });
    const hideTask = (body: { tasks?: unknown }) => ({
      ...body,
      tasks: (body.tasks as { id: string }[]).slice(1),
    });
    world.service.fail({ when: isTasksOf('1001'), fault: { change: hideTask as never } });
    world.edit.updateTask(PROCESS, '1001', '500004', { status: 'Done' });
    await world.later();
    expect(await told()).toEqual(['task.updated 1001/500004 status: "To do" → "Done"']);
  });

  it('that two readings miss is deleted', async () => {
    await baselined({ projects: 1, tasksPerProject: 6, pageSize: pages });
    world.edit.deleteTask(PROCESS, '1001', '500003');
    await world.later();
    expect(await told()).toEqual(['task.deleted 1001/500003']);
  });

  it('invariant 9: whose project seems to vanish between two readings is read twice once more', async () => {
    await baselined({ projects: 1, tasksPerProject: 6, pageSize: pages });
    world.edit.deleteTask(PROCESS, '1001', '500003');
    let readings = 0;
    world.service.fail({
      when: request => isTasksOf('1001')(request) && !request.path.includes('after=') && ++readings === 2,
      fault: { status: 404 },
    });
    await world.later();
    expect(await told()).toEqual(['task.deleted 1001/500003']);
  });
});

describe('a process whose listing hides more than may be deleted at once', () => {
  /** Of 14 projects, 12 are there no longer, as far as our credentials show; people go on editing them. */
  const hidden = async () => {
    await baselined({ projects: 14, tasksPerProject: 1 });
    const ids = Array.from({ length: 12 }, (_, index) => String(1001 + index));
    world.service.fail({
      when: ({ path }) => /\/projects\?/.test(path),
      times: 1_000,
      fault: {
        change: body => ({
          ...body,
          projects: (body.projects as { id: string }[]).filter(({ id }) => !ids.includes(id)) as never,
        }),
      },
    });
    world.service.fail({
      when: ({ path }) => ids.some(id => path.includes(`/projects/${id}/tasks`)),
      times: 1_000,
      fault: { status: 404 },
    });
  };

  it.each([false, true])(
    'invariant 9: tells no deletion of what people still edit, held by a sweep: %s',
    async isHeld => {
      await hidden();
      if (isHeld) await world.later('sweep');
      for (const id of ['1001', '1002', '1003']) {
        world.edit.updateProject(PROCESS, id, { budget: id });
        await world.later();
      }
      expect(await told()).toEqual(['source.held']);
    },
  );
});
