import { describe, expect, it } from 'vitest';
import type { Snapshots } from '../../functions/store/store.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const MINUTE = 60_000;
const BUSY = { outcome: 'busy', projects: 0, commits: 0, events: 0 };
const stage = openStage();
let world: World;

/** A world well behind its baseline, whose passes take one project after the other. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create({ settings: { concurrency: 1 }, ...options });
  await world.run();
  await world.later('changes', 10 * MINUTE);
  return world;
}
const { told } = stage;
const budget = (id: string, value: string) => world.edit.updateProject(PROCESS, id, { budget: value });
const refuse = (id: string, headers = {}) =>
  world.service.fail({ when: isTasksOf(id), times: 1_000, fault: { status: 429, headers } });
const saidOf = (message: RegExp) =>
  world.said.flatMap(one => (message.test(one.message) ? [[one.level, one.details]] : []));

describe('a lease', () => {
  it('is owned by a name that shows the request', async () => {
    await baselined();
    const owners: string[] = [];
    const takeLease: World['snapshots']['takeLease'] = (process, request) => {
      owners.push(request.owner);
      return world.snapshots.takeLease(process, request);
    };
    const draws = [0, 1 - 2 ** -48];
    const poll = world.poller({
      snapshots: { ...world.snapshots, takeLease },
      random: () => draws.shift() ?? 0,
    });
    for (const [index, requestId] of ['r1', 'r2'].entries()) {
      budget('1001', String(index));
      await world.run('changes', { poll, requestId });
    }
    budget('1001', '2');
    await world.run('changes', {
      poll: world.poller({
        snapshots: { ...world.snapshots, takeLease },
        owner: ({ awsRequestId }) => awsRequestId,
      }),
      requestId: 'r3',
    });
    expect(owners).toEqual(['r1/0', 'r2/2rrvthnxtr', 'r3']);
  });

  it('invariant 1: that comes behind the end of a baseline begins no second one', async () => {
    world = await stage.create();
    const takeLease: Snapshots['takeLease'] = async (process, request) => {
      if (request.mode === 'sweep') {
        await world.run('sweep');
        budget('1001', '1');
      }
      return world.snapshots.takeLease(process, request);
    };
    const poll = world.poller({ snapshots: { ...world.snapshots, takeLease } });
    expect(await world.run('changes', { poll })).toMatchObject({ mode: 'changes', outcome: 'busy' });
    // It was given back: nobody has to wait for its end.
    expect(await world.run('sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed' });
    await world.later();
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
  });

  it('that cannot be given back hides nothing of why the pass failed', async () => {
    await baselined();
    refuse('1001');
    budget('1001', '1');
    const abandon = async () => {
      throw new Error('throttled');
    };
    const poll = world.poller({ snapshots: { ...world.snapshots, abandon } });
    world.pass(MINUTE);
    await expect(world.run('changes', { poll })).rejects.toThrow(/1001\/tasks.*status 429/);
    expect(saidOf(/Could not release the lease; it expires within a minute/)).toEqual([
      ['warn', { ...world.process, code: 'pass.lease-not-released', error: 'throttled' }],
    ]);
  });

  it('of a pass that cannot read its state is given back: the next one need not wait for its end', async () => {
    await baselined();
    const readState = () => Promise.reject(new Error('table down'));
    const poll = world.poller({
      snapshots: { ...world.snapshots, until: () => ({ ...world.snapshots, readState }) as Snapshots },
    });
    await expect(world.run('changes', { poll })).rejects.toThrow('table down');
    expect(await world.run('changes')).toMatchObject({ outcome: 'completed' });
  });

  it('that another poller took over needs no giving back', async () => {
    await baselined();
    let isLost = false;
    world.service.fail({
      when: request => {
        isLost ||= isTasksOf('1001')(request);
        return isLost;
      },
      times: 1_000,
      fault: { status: 429 },
    });
    const poll = world.poller({
      snapshots: {
        ...world.snapshots,
        saveProgress: async (...given) => !isLost && world.snapshots.saveProgress(...given),
      },
    });
    await expect(world.run('sweep', { poll })).rejects.toThrow(/1001\/tasks.*status 429/);
    expect(saidOf(/Could not release the lease/)).toEqual([]);
  });

  it('invariant 8: that another poller took over writes nothing more of what it found', async () => {
    await baselined();
    budget('1001', '1');
    world.service.fail({ when: isTasksOf('1001'), fault: { status: 403 } });
    // Eleven seconds for the project: the lease is due, what was found is not.
    let done = 0;
    const written: unknown[] = [];
    const poll = world.poller({
      onProgress: () => world.pass(done++ === 0 ? 9_000 : 1_500),
      snapshots: {
        ...world.snapshots,
        saveProgress: async () => false,
        writeRechecks: async (...given) => void written.push(given),
      },
    });
    world.pass(MINUTE);
    expect(await world.run('changes', { poll })).toMatchObject({ outcome: 'busy' });
    expect([done, written]).toEqual([2, []]);
  });

  it('that another poller took over counts nothing, though it committed before', async () => {
    await baselined();
    for (const id of ['1001', '1002']) budget(id, '1');
    let isLost = false;
    const poll = world.poller({
      snapshots: {
        ...world.snapshots,
        commit: async (...given) => {
          const result = await world.snapshots.commit(...given);
          isLost = true;
          world.pass(11_000);
          return result;
        },
        saveProgress: async (...given) => !isLost && world.snapshots.saveProgress(...given),
      },
    });
    expect(await world.run('sweep', { poll })).toEqual({ mode: 'sweep', ...BUSY });
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
  });
});

describe('a `changes` pass that fails', () => {
  it('begins anew, so that what changes while its failure lasts is told', async () => {
    await baselined();
    budget('1001', '1');
    budget('1003', '1');
    refuse('1003');
    await expect(world.later()).rejects.toThrow(/1003\/tasks.*status 429/);
    budget('1001', '2');
    await expect(world.later()).rejects.toThrow(/1003\/tasks.*status 429/);
    expect(await told()).toEqual([
      'project.updated 1001 budget: "" → "1"',
      'project.updated 1001 budget: "1" → "2"',
    ]);
  });
});

describe('a pass whose time is up', () => {
  /** Poll over a table whose commits of 1002 take all the time, and then do this. */
  const lateCommit = (then: () => void) =>
    world.poller({
      snapshots: {
        ...world.snapshots,
        commit: async (process, request) => {
          if (request.projectId === '1002') {
            world.pass(100_000);
            then();
          }
          return world.snapshots.commit(process, request);
        },
      },
    });
  const editAll = () => {
    for (const id of ['1001', '1002', '1003']) budget(id, '1');
    world.pass(MINUTE);
  };
  const ALL = ['1001', '1002', '1003'].map(id => `project.updated ${id} budget: "" → "1"`);

  it('before an answer goes on in the next run, and says where', async () => {
    await baselined({ pageSize: { tasks: 1 } });
    editAll();
    world.service.fail({ when: isTasksOf('1002'), fault: { before: () => world.pass(100_000) } });
    expect(await world.run('changes', { remaining: 100_000 })).toMatchObject({
      outcome: 'unfinished',
      projects: 1,
      events: 1,
      cutOff: expect.stringMatching(/1002\/tasks.*the deadline of the pass is reached/),
    });
    expect(await world.run('changes')).toMatchObject({ outcome: 'completed', projects: 2, events: 2 });
    expect(await told()).toEqual(ALL);
  });

  it.each([
    ['a defect of ours', new TypeError('undefined is not a function')],
    ['an outage of the table', Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })],
  ])('fails by %s, and keeps what it committed', async (_what, error) => {
    await baselined();
    editAll();
    const poll = lateCommit(() => {
      throw error;
    });
    await expect(world.run('changes', { poll, remaining: 100_000 })).rejects.toBe(error);
    expect(saidOf(/Pass failed/)).toEqual([['error', expect.objectContaining({ error: error.message })]]);
    expect(await world.run('changes')).toMatchObject({ outcome: 'completed', events: 2 });
    expect(await told()).toEqual(ALL);
  });

  it('fails by a refusal whose next try would come too late, and keeps how far it came', async () => {
    await baselined();
    editAll();
    const refusal = refuse('1002', { 'retry-after': '18' });
    await expect(world.run('changes', { remaining: 20_000 })).rejects.toThrow(/1002\/tasks.*status 429/);
    refusal.cancel();
    await world.run('changes');
    expect(await told()).toEqual(ALL);
  });

  it('fails when too many projects failed until then', async () => {
    const ids = Array.from({ length: 15 }, (_, index) => String(1001 + index));
    await baselined({ projects: 15, tasksPerProject: 1 });
    for (const id of ids) budget(id, '1');
    world.pass(MINUTE);
    let asked = 0;
    const outage = world.service.fail({
      when: ({ path }) => path.includes('/tasks') && ++asked > 0,
      times: 1_000,
      fault: { status: 403 },
    });
    const poll = world.poller({ onProgress: ({ done }) => done > 11 && world.pass(100_000) });
    await expect(world.run('changes', { poll, remaining: 100_000 })).rejects.toThrow(
      /^12 project\(s\) cannot be read or committed.*status 403/,
    );
    expect(asked).toBe(12);
    outage.cancel();
    expect(await world.run('changes')).toMatchObject({ outcome: 'completed', projects: 15 });
  });
});
