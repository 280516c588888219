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
});

describe('a deletion', () => {
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
