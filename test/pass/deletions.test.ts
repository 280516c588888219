import { describe, expect, it } from 'vitest';
import type { Snapshots } from '../../functions/store/store.ts';
import { hide, isWholeListing } from '../kit/hide.ts';
import { owedIn, owedInShort } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create({ tasksPerProject: 0, ...options });
  await world.run();
  return world;
}
const { told } = stage;

describe('a sweep', () => {
  it('tells a deletion that no audit entry named, confirmed by the task list', async () => {
    await baselined();
    world.edit.deleteProject(PROCESS, '1002', { audit: false });
    await world.later();
    expect(await told()).toEqual([]);
    expect(await world.later('sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed', events: 1 });
    expect(await told()).toEqual(['project.deleted 1002']);
  });

  it('leaves a project alone that is listed, but whose task list answers 404, however often', async () => {
    await baselined();
    for (let sweep = 0; sweep < 2; sweep++) {
      world.service.fail({ when: isTasksOf('1002'), fault: { status: 404 } });
      await world.later('sweep');
    }
    expect(await told()).toEqual([]);
    expect(await owedInShort(world)).toEqual([]);
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
      when: request => isWholeListing(request) && request.path.includes('after='),
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
    hide(world, ['1002']);
    await world.later('sweep');
    await world.later('sweep');
    hide(world, ['1002']);
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
      hide(world, ['1002']);
      world.service.fail({ when: isTasksOf('1002'), fault: { status: 403 } });
      await world.later('sweep');
    }
    expect(await told()).toEqual([]);
    expect(await world.snapshots.load(world.process, '1002')).toBeDefined();
  });

  it('that is refused the tasks of a project that it misses is owed a look at it, and warns of nothing', async () => {
    await baselined();
    hide(world, ['1002']);
    world.service.fail({ when: isTasksOf('1002'), fault: { status: 403 } });
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    expect(await owedIn(world)).toMatchObject([
      { id: '1002', cause: 'uncertain', reason: expect.stringMatching(/^GET .*1002\/tasks.*status 403/) },
    ]);
    expect(world.said.filter(({ level }) => level === 'warn')).toEqual([]);
    await world.later('sweep');
    expect(await owedIn(world)).toEqual([]);
  });

  it('that is refused the tasks of a project that it misses keeps in mind that the sweep before missed it, too', async () => {
    await baselined();
    hide(world, ['1002'], 6);
    await world.later('sweep');
    world.service.fail({ when: isTasksOf('1002'), fault: { status: 403 } });
    await world.later('sweep');
    expect(await owedInShort(world)).toEqual(['1002 not-listed']);
    expect(await told()).toEqual([]);
    await world.later('sweep');
    expect(await told()).toEqual(['project.deleted 1002']);
  });

  it('tells a deletion though its first listing is empty: missing is what the second one lacks', async () => {
    await baselined();
    world.edit.deleteProject(PROCESS, '1002', { audit: false });
    hide(world, ['1001', '1003'], 1);
    await world.later('sweep');
    expect(await told()).toEqual(['project.deleted 1002']);
  });

  it('invariant 9: an empty list deletes nothing, however often it comes', async () => {
    await baselined();
    hide(world, ['1001', '1002', '1003'], 6);
    await world.later('sweep');
    expect(await told()).toEqual([]);
    for (let sweep = 0; sweep < 2; sweep++) await world.later('sweep');
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

  it('invariant 9: a process on hold stays so when a later sweep cannot read all that is missing', async () => {
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
    expect((await world.snapshots.readState(world.process)).hold).toBeDefined();
  });

  it('invariant 9: a changes pass deletes no project of a process whose listing is empty, however few it asked for', async () => {
    await baselined({ projects: 3 });
    hide(world, ['1001', '1002', '1003']);
    hide(world, ['1001', '1002', '1003']);
    hide(world, ['1001', '1002', '1003']);
    world.edit.touchProject(PROCESS, '1002');
    world.service.fail({ when: isTasksOf('1002'), times: 100, fault: { status: 404 } });
    await world.later();
    expect(await told()).toEqual(['source.held']);
  });

  it('that runs out of time is continued by the next sweep, and finds deletions then', async () => {
    await baselined({ projects: 12 });
    world.edit.deleteProject(PROCESS, '1002', { audit: false });
    const slow = world.poller({ onProgress: () => world.pass(200) });
    expect(await world.run('sweep', { poll: slow, remaining: 700 })).toMatchObject({ outcome: 'unfinished' });
    expect(await world.later('sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed' });
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

describe('a deletion', () => {
  it('of the last project of a process is told at once, when the audit log names it', async () => {
    await baselined({ projects: 1 });
    world.edit.deleteProject(PROCESS, '1001');
    await world.later();
    expect(await told()).toEqual(['project.deleted 1001']);
  });

  it('is told by a sweep in the second in which the project was last read', async () => {
    await baselined();
    world.edit.deleteProject(PROCESS, '1002', { audit: false });
    await world.run('sweep');
    expect(await told()).toEqual(['project.deleted 1002']);
  });

  it.each([
    { read: 'since the listing', listedLater: 0, readLater: 5_000 },
    { read: 'in the second of the listing', listedLater: 0, readLater: 0 },
    // Clocks of the service's machines differ, and so do those of ours, where it tells no time.
    { read: 'a moment ago, by another clock than the listing', listedLater: 5_000, readLater: 0 },
  ])(
    'invariant 9: is not told of a project that came back, and was read $read',
    async ({ listedLater, readLater }) => {
      await baselined();
      hide(world, ['1002']);
      world.service.fail({ when: isTasksOf('1002'), fault: { status: 404 } });
      let isBack = false;
      const load: Snapshots['load'] = async (process, id) => {
        if (id === '1002' && !isBack) {
          isBack = true;
          world.edit.updateProject(PROCESS, '1002', { budget: '1' });
          await world.later('changes', readLater);
        }
        const snapshot = await world.snapshots.load(process, id);
        return snapshot && { ...snapshot, recordReadAt: snapshot.recordReadAt - listedLater };
      };
      world.pass(60_000);
      await world.run('sweep', { poll: world.poller({ snapshots: { ...world.snapshots, load } }) });
      expect(await told()).toEqual(['project.updated 1002 budget: "" → "1"']);
    },
  );

  it('invariant 2: that is asked for once more is told in an interval that holds it', async () => {
    await baselined();
    hide(world, ['1002']);
    let at = 0;
    const before = () => {
      world.pass(3_000);
      at = world.clock.now;
      world.edit.deleteProject(PROCESS, '1002', { audit: false });
    };
    world.service.fail({ when: isTasksOf('1002'), fault: { status: 404 } });
    world.service.fail({ when: isTasksOf('1002'), fault: { before } });
    await world.run('sweep');
    const [event] = await world.events();
    expect(event?.type).toBe('project.deleted');
    expect(Date.parse(event?.time ?? '')).toBeGreaterThanOrEqual(at);
  });

  it('invariant 8: is told though another pass was first, by a snapshot read afresh, and only then', async () => {
    await baselined();
    world.edit.deleteProject(PROCESS, '1002', { audit: false });
    const calls: string[] = [];
    const load: Snapshots['load'] = (process, id) => {
      if (id === '1002') calls.push('load');
      return world.snapshots.load(process, id);
    };
    const commit: Snapshots['commit'] = async (process, request) => {
      calls.push('commit');
      return calls.length === 3 ? 'conflict' : world.snapshots.commit(process, request);
    };
    const snapshots = { ...world.snapshots, load, commit };
    world.pass(60_000);
    expect(await world.run('sweep', { poll: world.poller({ snapshots }) })).toMatchObject({
      outcome: 'completed',
      commits: 1,
    });
    expect(calls).toEqual(['load', 'load', 'commit', 'load', 'commit']);
    expect(await told()).toEqual(['project.deleted 1002']);
  });

  it('that cannot be made certain, for a task list that is refused, stops no other, and is told later', async () => {
    await baselined({ projects: 4 });
    for (const id of ['1002', '1003']) world.edit.deleteProject(PROCESS, id, { audit: false });
    let requests = 0;
    // Of the two requests, the last asks whether the project is back since the listing.
    const isLast = (request: { path: string }) => isTasksOf('1002')(request) && ++requests === 2;
    world.service.fail({ when: isLast, fault: { status: 403 } });
    expect(await world.run('sweep')).toMatchObject({ outcome: 'completed', commits: 1 });
    expect(await told()).toEqual(['project.deleted 1003']);
    expect(await owedIn(world)).toMatchObject([
      {
        id: '1002',
        cause: 'unreadable',
        reason: expect.stringMatching(/1002\/tasks.*status 403/),
        isReported: false,
      },
    ]);
    expect(await world.later()).toMatchObject({ skippedNoLonger: ['1002'] });
    expect(await told()).toEqual(['project.deleted 1003', 'project.deleted 1002']);
    expect(await owedIn(world)).toEqual([]);
  });

  it.each(['load', 'commit'] as const)(
    'for which the table fails to %s fails the sweep, and is told by the next one: that is no fault of the project',
    async failing => {
      await baselined();
      world.edit.deleteProject(PROCESS, '1002', { audit: false });
      const throttled = async () => {
        throw new Error('throttled');
      };
      world.pass(60_000);
      const poll = world.poller({ snapshots: { ...world.snapshots, [failing]: throttled } });
      await expect(world.run('sweep', { poll })).rejects.toThrow('throttled');
      expect(await owedInShort(world)).toEqual([]);
      await world.later('sweep');
      expect(await told()).toEqual(['project.deleted 1002']);
    },
  );
});
