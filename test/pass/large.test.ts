import { describe, expect, it } from 'vitest';
import { owedIn } from '../kit/owed.ts';
import { openStage } from '../kit/stage.ts';
import { noise } from '../kit/store/subject.ts';
import { applyEvents, servedState, snapshotState } from '../kit/told.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create({ projects: 1, tasksPerProject: 1, ...options });
  await world.run();
  return world;
}

describe('more changes than one transaction holds', () => {
  it('invariant 4: are committed in steps, and told whole and in order', async () => {
    await baselined();
    const baseline = await snapshotState(world.snapshots, world.process);
    for (let task = 0; task < 30; task++) {
      world.edit.createTask(PROCESS, '1001', { name: `Task ${task}`, note: noise(90_000, task + 1) });
    }
    await world.later();
    const events = await world.events();
    expect(events).toHaveLength(30);
    expect(new Set(events.map(({ sequence }) => sequence)).size).toBeGreaterThan(1);
    expect(applyEvents(baseline, events)).toEqual(servedState(world.edit, PROCESS));
  });

  it('of a project that no table can hold are reported with its name and the remedy, and told once it is smaller', async () => {
    await baselined();
    for (let task = 0; task < 50; task++) {
      world.edit.createTask(PROCESS, '1001', { name: `Task ${task}`, note: noise(120_000, task + 1) });
    }
    await world.later();
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    const told = (await world.events()).filter(({ type }) => type === 'source.skipped');
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      data: {
        reason: expect.stringMatching(/Project 1001 of process onboarding is too large.*Split the project/s),
      },
    });
    for (const { id } of world.edit.tasks(PROCESS, '1001').slice(5)) {
      world.edit.deleteTask(PROCESS, '1001', String(id));
    }
    await world.later();
    expect(await owedIn(world)).toEqual([]);
    expect(await snapshotState(world.snapshots, world.process)).toEqual(servedState(world.edit, PROCESS));
  });

  it('in a baseline are not told later as if they were new', async () => {
    world = await stage.create({ projects: 1, tasksPerProject: 0 });
    for (let task = 0; task < 50; task++) {
      world.edit.createTask(PROCESS, '1001', { name: `Task ${task}`, note: noise(120_000, task + 1) });
    }
    await expect(world.run()).rejects.toThrow(/too large/);
    expect(await world.snapshots.load(world.process, '1001')).toBeUndefined();
  });
});
