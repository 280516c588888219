import { describe, expect, it } from 'vitest';
import type { ProcessState, SavedState } from '../../functions/model/process-state.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { ids, isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const MINUTE = 60_000;
const BUSY = { outcome: 'busy', projects: 0, commits: 0, events: 0 };
const stage = openStage();
const { budget, runOver, told, warned } = stage;
let world: World;

/** Its passes take one project after the other. */
const settled = async (options: WorldOptions = {}) => {
  world = await stage.settled({ settings: { concurrency: 1 }, ...options });
};
const updated = (...of: string[]) => of.map(id => `project.updated ${id} budget: "" → "1"`);

describe('a lease', () => {
  it('invariant 1: that comes after the end of a baseline begins no second one, and is given back', async () => {
    world = await stage.create();
    const takeLease: Snapshots['takeLease'] = async (process, request) => {
      if (request.mode === 'sweep') {
        await world.run('sweep');
        budget('1001');
      }
      return world.snapshots.takeLease(process, request);
    };
    expect(await runOver({ takeLease })).toMatchObject({ mode: 'changes', outcome: 'busy' });
    expect(await world.run('sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed' });
    expect(await told()).toEqual(updated('1001'));
  });

  it('that cannot be given back hides nothing of why the pass failed', async () => {
    await settled();
    stage.refuse('1001', 429);
    budget('1001');
    const abandon = () => Promise.reject(new Error('throttled'));
    await expect(runOver({ abandon })).rejects.toThrow(/1001\/tasks.*status 429/);
    expect(warned(/Could not release the lease; it expires within a minute/)).toEqual([
      { ...world.process, code: 'pass.lease-not-released', error: 'throttled' },
    ]);
  });

  it('of a pass that cannot read its state is given back: the next one need not wait for its end', async () => {
    await settled();
    const readState = () => Promise.reject(new Error('table down'));
    const snapshots = { ...world.snapshots, until: () => ({ ...world.snapshots, readState }) as Snapshots };
    await expect(world.run('sweep', { poll: world.poller({ snapshots }) })).rejects.toThrow('table down');
    expect(await world.run('sweep')).toMatchObject({ outcome: 'completed' });
  });

  it('that another poller took over needs no giving back', async () => {
    await settled();
    let isLost = false;
    const when = (request: { path: string }) => {
      isLost ||= isTasksOf('1001')(request);
      return isLost;
    };
    world.service.fail({ when, times: 1_000, fault: { status: 429 } });
    const saveProgress: Snapshots['saveProgress'] = async (...given) =>
      !isLost && world.snapshots.saveProgress(...given);
    await expect(runOver({ saveProgress }, 'sweep')).rejects.toThrow(/1001\/tasks.*status 429/);
    expect(warned(/Could not release the lease/)).toEqual([]);
  });

  it('invariant 8: that another poller took over writes nothing more of what it found', async () => {
    await settled();
    budget('1001');
    stage.refuse('1001', 403, 1);
    // Eleven seconds for the project: the lease is due, what was found is not.
    let done = 0;
    const written: unknown[] = [];
    const calls: Partial<Snapshots> = {
      saveProgress: async () => false,
      writeRechecks: async (...given) => void written.push(given),
    };
    const onProgress = () => world.pass(done++ === 0 ? 9_000 : 1_500);
    expect(await runOver(calls, 'changes', { onProgress })).toMatchObject({ outcome: 'busy' });
    expect([done, written]).toEqual([2, []]);
  });

  it('that another poller took over counts nothing, though it committed before', async () => {
    await settled();
    budget(['1001', '1002']);
    let isLost = false;
    const calls: Partial<Snapshots> = {
      commit: async (...given) => {
        const result = await world.snapshots.commit(...given);
        isLost = true;
        world.pass(11_000);
        return result;
      },
      saveProgress: async (...given) => !isLost && world.snapshots.saveProgress(...given),
    };
    expect(await runOver(calls, 'sweep')).toEqual({ mode: 'sweep', ...BUSY });
    expect(await told()).toEqual(updated('1001'));
  });
});

it('a `changes` pass that fails begins again, so that what changes while its failure lasts is emitted', async () => {
  await settled();
  budget(['1001', '1003']);
  stage.refuse('1003', 429);
  await expect(world.later()).rejects.toThrow(/1003\/tasks.*status 429/);
  budget('1001', '2');
  await expect(world.later()).rejects.toThrow(/1003\/tasks.*status 429/);
  expect(await told()).toEqual([...updated('1001'), 'project.updated 1001 budget: "1" → "2"']);
});

describe('a pass whose time is up', () => {
  const ALL = updated(...ids(3));
  const SHORT = { remaining: 100_000 };

  it('before an answer goes on in the next run, and reports the request', async () => {
    await settled({ pageSize: { tasks: 1 } });
    budget(ids(3));
    world.service.fail({ when: isTasksOf('1002'), fault: { before: () => world.pass(100_000) } });
    expect(await runOver({}, 'changes', SHORT)).toMatchObject({
      ...{ outcome: 'unfinished', projects: 1, events: 1 },
      cutOff: expect.stringMatching(/1002\/tasks.*the deadline of the pass is reached/),
    });
    expect((await stage.state()).changesFailure).toBeUndefined();
    // The next run goes on with this pass.
    expect((await stage.state()).isChangesOpen).toBe(true);
    expect(await world.run('changes')).toMatchObject({ outcome: 'completed', events: 2 });
    expect(await told()).toEqual(ALL);
  });

  it.each([
    ['a defect of ours', new TypeError('undefined is not a function')],
    ['an outage of the table', Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })],
  ])('fails by %s, and keeps what it committed', async (_what, error) => {
    await settled();
    budget(ids(3));
    const commit: Snapshots['commit'] = async (process, request) => {
      if (request.projectId !== '1002') return world.snapshots.commit(process, request);
      world.pass(100_000);
      throw error;
    };
    await expect(runOver({ commit }, 'changes', SHORT)).rejects.toBe(error);
    expect(world.said).toContainEqual({
      level: 'error',
      message: expect.stringMatching(/Pass failed/),
      details: expect.objectContaining({ error: error.message }),
    });
    // The next run goes on with this pass.
    expect((await stage.state()).isChangesOpen).toBe(true);
    expect(await world.run('changes')).toMatchObject({ outcome: 'completed', events: 2 });
    expect(await told()).toEqual(ALL);
  });

  it('fails by a refusal whose next try would come too late, and keeps what it committed', async () => {
    await settled();
    budget(ids(3));
    const fault = { status: 429, headers: { 'retry-after': '18' } };
    const refusal = world.service.fail({ when: isTasksOf('1002'), times: 1_000, fault });
    await expect(runOver({}, 'changes', { remaining: 20_000 })).rejects.toThrow(/1002\/tasks.*status 429/);
    refusal.cancel();
    await world.run('changes');
    expect(await told()).toEqual(ALL);
  });

  it('fails when too many projects failed until then', async () => {
    await settled({ projects: 15, tasksPerProject: 1 });
    budget(ids(15));
    const outage = ids(15).map(id => stage.refuse(id));
    world.service.clearRequests();
    const onProgress = ({ done }: { done: number }) => done > 11 && world.pass(100_000);
    await expect(runOver({}, 'changes', { ...SHORT, onProgress })).rejects.toThrow(
      /^12 project\(s\) cannot be read or committed.*status 403/,
    );
    expect(stage.asked(/\/tasks/)).toBe(12);
    for (const { cancel } of outage) cancel();
    expect(await world.run('changes')).toMatchObject({ outcome: 'completed', projects: 15 });
  });
});

describe('the state of the process', () => {
  /** What the end of each pass writes, and each state that it reads. */
  const watched = () => {
    const [ends, states]: [Partial<SavedState>[], ProcessState[]] = [[], []];
    const calls: Partial<Snapshots> = {
      readState: async process => {
        states.push(await world.snapshots.readState(process));
        return states.at(-1) as ProcessState;
      },
      finish: (process, lease, end) => {
        ends.push(end);
        return world.snapshots.finish(process, lease, end);
      },
    };
    return { ends, states, calls };
  };

  it.each(['changes', 'sweep'] as const)('invariant 6: is read once if nothing is left: %s', async mode => {
    await settled();
    budget(ids(3));
    const { states, calls } = watched();
    expect(await runOver(calls, mode)).toMatchObject({ outcome: 'completed', commits: 3 });
    expect(states).toHaveLength(1);
  });

  it('is written at the end of a pass where something happened, and once more when that is too long ago to be listed', async () => {
    await settled();
    const { ends, calls } = watched();
    await runOver(calls);
    expect(ends).toEqual([]);
    budget('1003');
    for (const minutes of [1, 1, 10, 1]) {
      world.pass((minutes - 1) * MINUTE);
      await runOver(calls);
    }
    expect(ends.map(({ recent }) => recent?.map(([id]) => id))).toEqual([['1003'], undefined, []]);
    // The watermark follows as long as the project is listed.
    expect(ends.every(({ watermark }) => watermark !== undefined)).toBe(true);
  });
});

const CHANGES = { fastest: MINUTE, slowest: 8 * MINUTE };

/** Runs a pass that takes a while, when one is due in any case.
 *  @returns how many minutes after its begin the next is due */
const dueAfter = async () => {
  world.pass(CHANGES.slowest - MINUTE);
  const began = world.clock.now + MINUTE;
  const { idle } = await runOver({}, 'changes', { onProgress: () => world.pass(5_000) });
  const { pace } = idle ?? (await stage.state());
  expect(pace?.dueAt).toBe(began + (pace?.wait ?? 0));
  return (pace?.wait ?? 0) / MINUTE;
};

it('the next `changes` pass is due as soon as possible after one that emitted a change, and after each other one half as soon', async () => {
  await settled({ settings: { processes: [{ id: PROCESS, changes: CHANGES }] as never } });
  const waits = [await dueAfter(), await dueAfter()];
  budget('1003');
  waits.push(await dueAfter(), await dueAfter());
  world.edit.addField(PROCESS, 'project', { externalId: 'extra', name: 'Extra', type: 'text' });
  for (let pass = 0; pass < 5; pass++) waits.push(await dueAfter());
  expect(waits).toEqual([2, 4, 1, 2, 1, 2, 4, 8, 8]);
});
