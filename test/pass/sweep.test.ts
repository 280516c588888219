import { describe, expect, it } from 'vitest';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { tooManyRequests } from '../../simulator/server.ts';
import { hide, isWholeListing } from '../kit/hide.ts';
import { owedIn } from '../kit/owed.ts';
import { ids, isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { owed, refuse, runOver, state, told, warned } = stage;
let world: World;

const settled = async (options: WorldOptions = {}) => {
  world = await stage.settled({ tasksPerProject: 0, ...options });
};
const gone = (...of: string[]) => {
  for (const id of of) world.edit.deleteProject(PROCESS, id, { audit: false });
};

describe('a sweep', () => {
  it('reads the list of projects and each task list once, not the audit log, and warns of nothing', async () => {
    await settled();
    const report = await world.later('sweep');
    expect(report).toEqual({ mode: 'sweep', outcome: 'completed', projects: 3, commits: 0, events: 0 });
    const asked = world.service.requests.flatMap(
      ({ path }) => path.match(/\/processes\/onboarding\/([^?]*)/)?.[1] ?? [],
    );
    const tasks = ids(3).map(id => `projects/${id}/tasks`);
    expect(asked.sort()).toEqual(['coverpage', 'projects', ...tasks, 'task-custom-fields']);
    expect(warned()).toEqual([]);
  });

  it('is completed by our clock when it ends, also without what it could not read', async () => {
    await settled();
    const { baselinedAt, sweepCompletedAt } = await state();
    expect(baselinedAt).toBe(world.clock.now - 600_000);
    expect(sweepCompletedAt).toBe(baselinedAt);
    refuse('1002');
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    expect(await owed()).toEqual(['1002 unreadable']);
    const { now } = world.clock;
    await world.later();
    expect(await state()).toMatchObject({ sweepCompletedAt: now, sweptAt: now, baselinedAt });
  });

  it('counts the projects that it lists, as the baseline does; other passes count none', async () => {
    await settled();
    const counted = async () => (await state()).projects;
    expect(await counted()).toBe(3);
    world.edit.createProject(PROCESS, { name: 'New' });
    await world.later();
    expect(await counted()).toBe(3);
    await world.later('sweep');
    expect(await counted()).toBe(4);
  });

  it('invariant 8: keeps its lease however long it asks after projects that no listing shows', async () => {
    await settled({ projects: 12, settings: { concurrency: 1 } });
    hide(world, ids(8));
    let other: PassReport | undefined;
    for (const id of ids(8)) {
      const before = async () => {
        world.pass(9_000);
        if (id === '1008') other = await world.run('sweep');
      };
      world.service.fail({ when: isTasksOf(id), fault: { before } });
    }
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    expect(other).toMatchObject({ outcome: 'busy' });
    expect(await owed()).toEqual(ids(8).map(id => `${id} not-listed`));
  });
});

describe('the answers that a sweep knows by their bytes', () => {
  /** A sweep, a minute later. @returns the projects whose snapshots it looked into */
  const sweepLoading = async (): Promise<string[]> => {
    const loaded = new Set<string>();
    const calls: Partial<Snapshots> = {
      load: (process, id) => {
        loaded.add(id);
        return world.snapshots.load(process, id);
      },
      async *heads(...given) {
        for await (const page of world.snapshots.heads(...given))
          yield page.map(head => ({
            ...head,
            whole: () => {
              loaded.add(head.projectId);
              return head.whole?.();
            },
          }));
      },
    };
    expect(await runOver(calls, 'sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed' });
    return [...loaded].sort();
  };

  it('invariant 6: are not compared; a project whose recheck they settle is not, either', async () => {
    await settled({ tasksPerProject: 5, pageSize: { tasks: 2 } });
    const refused = refuse('1002');
    await world.later('sweep');
    expect(await owed()).toEqual(['1002 unreadable']);
    refused.cancel();
    world.service.clearRequests();
    expect(await sweepLoading()).toEqual([]);
    // Each page once.
    expect(world.service.requests.filter(isTasksOf('1001'))).toHaveLength(3);
    expect([await owed(), await told()]).toEqual([[], []]);
  });

  it('invariant 8: are compared again after a conflict, with a snapshot that is loaded then', async () => {
    await settled({ tasksPerProject: 2, freedoms: { auditDenied: 403 } });
    world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Done' });
    let isFirst = true;
    const commit: Snapshots['commit'] = async (...given) => {
      if (isFirst) {
        isFirst = false;
        await world.later('changes', 10_000);
      }
      return world.snapshots.commit(...given);
    };
    expect(await runOver({ commit }, 'sweep')).toMatchObject({ outcome: 'completed', commits: 0 });
    expect(await told()).toEqual(['task.updated 1002/500003 status: "To do" → "Done"']);
  });
});

describe('a project that a sweep misses, and whose tasks are refused,', () => {
  it('gets a recheck, and no warning', async () => {
    await settled();
    hide(world, ['1002']);
    refuse('1002', 403, 1);
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    expect(await owedIn(world)).toMatchObject([
      { id: '1002', cause: 'uncertain', reason: expect.stringMatching(/^GET .*1002\/tasks.*status 403/) },
    ]);
    expect(warned()).toEqual([]);
    await world.later('sweep');
    expect(await owed()).toEqual([]);
  });

  it('stays one that the sweep before missed, too', async () => {
    await settled();
    hide(world, ['1002'], 6);
    await world.later('sweep');
    refuse('1002', 403, 1);
    await world.later('sweep');
    expect([await owed(), await told()]).toEqual([['1002 not-listed'], []]);
    await world.later('sweep');
    expect(await told()).toEqual(['project.deleted 1002']);
  });

  it.each([
    ['its token is refused', { status: 401 }, /status 401/],
    ['it asks too often', tooManyRequests(1), /status 429/],
    ['the service cannot be reached', 'destroy', /1002\/tasks/],
  ] as const)('invariant 9: is left to the next sweep if this ends because %s', async (_, fault, message) => {
    await settled();
    hide(world, ['1002'], 7);
    await world.later('sweep');
    const when = (request: { path: string }) =>
      isTasksOf('1002')(request) || request.path.endsWith('?first=1');
    const failing = world.service.fail({ when, times: 1_000, fault });
    await expect(world.later('sweep')).rejects.toThrow(message);
    expect(await told()).toEqual([]);
    failing.cancel();
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed', events: 1 });
  });
});

describe('a deletion', () => {
  it('invariant 2: between two pages of a listing is emitted with an interval that holds it', async () => {
    await settled({ projects: 6, pageSize: { projects: 2 } });
    let at = 0;
    const before = () => {
      world.pass(20_500);
      at = world.clock.now;
      gone('1006');
    };
    const when = (request: { path: string }) => isWholeListing(request) && request.path.includes('after=');
    world.service.fail({ when, fault: { before } });
    await world.later('sweep');
    const [event] = await world.events();
    const observed = event && 'observed' in event.data ? event.data.observed : { after: '', before: '' };
    expect(Date.parse(observed.after)).toBeLessThanOrEqual(at);
    expect(Date.parse(observed.before)).toBeGreaterThanOrEqual(at);
  });

  it('invariant 8: is emitted though another pass was first, by a snapshot that is loaded again', async () => {
    await settled();
    gone('1002');
    const calls: string[] = [];
    const load: Snapshots['load'] = (process, id) => {
      if (id === '1002') calls.push('load');
      return world.snapshots.load(process, id);
    };
    const commit: Snapshots['commit'] = async (process, request) => {
      calls.push('commit');
      return calls.length === 3 ? 'conflict' : world.snapshots.commit(process, request);
    };
    expect(await runOver({ load, commit }, 'sweep')).toMatchObject({ outcome: 'completed', commits: 1 });
    expect(calls).toEqual(['load', 'load', 'commit', 'load', 'commit']);
    expect(await told()).toEqual(['project.deleted 1002']);
  });

  it('that cannot be made certain, for a task list that is refused, stops no other, and is emitted later', async () => {
    await settled({ projects: 4, freedoms: { tasksOfDeletedProject: 404 } });
    world.pass(60_000);
    stage.budget(['1002', '1003']);
    await world.run();
    gone('1002', '1003');
    let requests = 0;
    // Of the two requests, the last asks whether the project is back since the listing.
    const isLast = (request: { path: string }) => isTasksOf('1002')(request) && ++requests === 2;
    world.service.fail({ when: isLast, fault: { status: 403 } });
    expect(await world.run('sweep')).toMatchObject({ outcome: 'completed', commits: 1 });
    expect((await told()).slice(2)).toEqual(['project.deleted 1003']);
    expect(await owedIn(world)).toMatchObject([
      {
        id: '1002',
        cause: 'unreadable',
        reason: expect.stringMatching(/1002\/tasks.*403/),
        isReported: false,
      },
    ]);
    expect(await world.later()).toMatchObject({ skippedNoLonger: ['1002'] });
    expect((await told()).slice(3)).toEqual(['project.deleted 1002']);
    expect(await owed()).toEqual([]);
  });

  it.each(['load', 'commit'] as const)('for which the table fails to %s fails the sweep', async failing => {
    await settled();
    gone('1002');
    const throttled = () => Promise.reject(new Error('throttled'));
    await expect(runOver({ [failing]: throttled }, 'sweep')).rejects.toThrow('throttled');
    expect(await owed()).toEqual([]);
    await world.later('sweep');
    expect(await told()).toEqual(['project.deleted 1002']);
  });
});
