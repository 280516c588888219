import { describe, expect, it } from 'vitest';
import type { ProcessState, SavedState } from '../../functions/model/process-state.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { hide } from '../kit/hide.ts';
import { owedInShort } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const MINUTE = 60_000;

const stage = openStage();
const { told } = stage;
let world: World;

/** A world well behind its baseline. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create({ projects: 14, tasksPerProject: 1, ...options });
  await world.run();
  await world.later('changes', 10 * MINUTE);
  return world;
}
const state = () => world.snapshots.readState(world.process);
const budget = (id: string, value: string) => world.edit.updateProject(PROCESS, id, { budget: value });
const refuse = (id: string) =>
  world.service.fail({ when: isTasksOf(id), times: 1_000, fault: { status: 403 } });
const ids = (count: number) => Array.from({ length: count }, (_, index) => String(1001 + index));

/** A poller that keeps what the end of each of its passes writes, and each state that it reads. */
function watched() {
  const ends: Partial<SavedState>[] = [];
  const states: ProcessState[] = [];
  const readState: Snapshots['readState'] = async process => {
    const read = await world.snapshots.readState(process);
    states.push(read);
    return read;
  };
  const finish: Snapshots['finish'] = (process, lease, end) => {
    ends.push(end);
    return world.snapshots.finish(process, lease, end);
  };
  return { ends, states, poll: world.poller({ snapshots: { ...world.snapshots, readState, finish } }) };
}

describe('the state of the process', () => {
  it.each(['changes', 'sweep'] as const)(
    'invariant 6: is read once by a pass that leaves nothing open: %s',
    async mode => {
      await baselined();
      for (const id of ids(3)) budget(id, '1');
      const { states, poll } = watched();
      world.pass(MINUTE);
      expect(await world.run(mode, { poll })).toMatchObject({ outcome: 'completed', commits: 3 });
      expect(states).toHaveLength(1);
    },
  );

  it('invariant 9: is read again before a deletion: nothing is deleted once another pass put the process on hold', async () => {
    await baselined();
    for (const id of ids(12)) world.edit.deleteProject(PROCESS, id);
    let reads = 0;
    const readState: Snapshots['readState'] = async process => {
      const read = await world.snapshots.readState(process);
      if (++reads > 1) return read;
      // The other pass finds all twelve gone. Then only one of them can be found gone.
      await world.run('changes');
      for (const id of ids(11)) refuse(id);
      return read;
    };
    world.pass(MINUTE);
    const poll = world.poller({ snapshots: { ...world.snapshots, readState } });
    expect(await world.run('sweep', { poll })).toMatchObject({ outcome: 'completed', events: 0 });
    expect(await told()).toEqual(['source.held']);
    expect(await state()).toMatchObject({ hold: { missing: 12 } });
  });

  it('is read again once this pass wrote what it owes: what it settles later is owed no longer, whatever else is', async () => {
    await baselined({ settings: { concurrency: 1 } });
    hide(world, ['1014']);
    await world.later('sweep');
    expect(await owedInShort(world)).toEqual(['1014 not-listed']);
    for (const id of ids(4)) budget(id, '1');
    world.service.fail({ when: isTasksOf('1002'), times: 1, fault: { status: 404 } });
    let owedMeanwhile: string[] = [];
    const writeRechecks: Snapshots['writeRechecks'] = async (process, changes) => {
      await world.snapshots.writeRechecks(process, changes);
      if (changes.length > 0 && owedMeanwhile.length === 0) owedMeanwhile = await owedInShort(world);
    };
    const onProgress = () => world.pass(11_000);
    const poll = world.poller({ onProgress, snapshots: { ...world.snapshots, writeRechecks } });
    world.pass(MINUTE);
    expect(await world.run('changes', { poll })).toMatchObject({ outcome: 'completed', commits: 4 });
    expect(owedMeanwhile).toEqual(['1002 uncertain', '1014 not-listed']);
    expect(await owedInShort(world)).toEqual(['1014 not-listed']);
  });
});

describe('the end of a `changes` pass', () => {
  it('invariant 5: does not write again what it has seen where nothing happened', async () => {
    await baselined();
    const { ends, poll } = watched();
    world.pass(MINUTE);
    await world.run('changes', { poll });
    expect(ends).toEqual([]);
  });

  it('writes what it has seen where something happened, and once more when that is too long ago to be listed', async () => {
    await baselined();
    const { ends, poll } = watched();
    budget('1003', '1');
    for (const minutes of [1, 1, 10, 1]) {
      world.pass(minutes * MINUTE);
      await world.run('changes', { poll });
    }
    expect(ends.map(({ recent }) => recent?.map(([id]) => id))).toEqual([['1003'], undefined, []]);
    // The watermark follows as long as the project is listed.
    expect(ends.every(({ watermark }) => watermark !== undefined)).toBe(true);
  });
});

describe('the next `changes` pass', () => {
  const RHYTHM = { fastest: MINUTE, slowest: 8 * MINUTE };

  /** Runs a pass that takes a while, when one is due in any case.
   *  @returns how many minutes after its begin the next is due */
  async function dueAfter(): Promise<number> {
    world.pass(RHYTHM.slowest);
    const began = world.clock.now;
    const { idle } = await world.run('changes', {
      poll: world.poller({ onProgress: () => world.pass(5_000) }),
    });
    const { pace } = idle ?? (await state());
    expect(pace?.dueAt).toBe(began + (pace?.wait ?? 0));
    return (pace?.wait ?? 0) / MINUTE;
  }

  it('is due as soon as possible after one that told a change, and after each other one half as soon', async () => {
    await baselined({ settings: { processes: [{ id: PROCESS, changes: RHYTHM }] as never } });
    const waits = [await dueAfter(), await dueAfter()];
    budget('1003', '1');
    waits.push(await dueAfter(), await dueAfter());
    world.edit.addField(PROCESS, 'project', { externalId: 'extra', name: 'Extra', type: 'text' });
    waits.push(await dueAfter(), await dueAfter(), await dueAfter(), await dueAfter(), await dueAfter());
    expect(waits).toEqual([2, 4, 1, 2, 1, 2, 4, 8, 8]);
    expect(await told()).toEqual(['project.updated 1003 budget: "" → "1"', 'field.created project:extra']);
  });

  it('is due at no time of its own where the time between two is fixed', async () => {
    await baselined();
    budget('1003', '1');
    await world.later();
    expect((await state()).pace).toBeUndefined();
  });
});

describe('an outage', () => {
  it('ends the sweep that it met: the next one begins anew, so that it vouches for nothing before', async () => {
    await baselined({ projects: 30 });
    const refusals = ids(30).map(id => refuse(id));
    await expect(world.later('sweep')).rejects.toThrow(/^30 project\(s\) cannot be read/);
    expect(await state()).toMatchObject({ isSweepUnfinished: false });
    for (const { cancel } of refusals) cancel();
    expect(await world.later('sweep', 10 * MINUTE)).toMatchObject({ outcome: 'completed', projects: 30 });
    expect(await state()).toMatchObject({ sweptAt: world.clock.now });
  });

  it('is not what a baseline waits for: its five minutes begin when only a few cannot be read', async () => {
    world = await stage.create({ projects: 14 });
    const refusals = ids(11).map(id => refuse(id));
    for (let run = 0; run < 3; run++) {
      await expect(world.later('changes', 5 * MINUTE)).rejects.toThrow(/^11 project\(s\) cannot be read/);
    }
    for (const { cancel } of refusals.slice(1)) cancel();
    const waits = /^1 project\(s\) cannot be read.*waits 5 minutes/;
    await expect(world.later()).rejects.toThrow(waits);
    await expect(world.later('changes', 5 * MINUTE - 1)).rejects.toThrow(waits);
    expect(await world.later('changes', 1)).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    expect(await owedInShort(world)).toEqual(['1001 unreadable']);
  });
});
