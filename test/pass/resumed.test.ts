import { describe, expect, it } from 'vitest';
import { owedIn, owedInShort } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { applyEvents, servedState, snapshotState } from '../kit/told.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

/** A world well behind its baseline, whose passes look at one project at a time. */
async function baselined(options: WorldOptions = {}): Promise<unknown> {
  world = await stage.create({ projects: 8, tasksPerProject: 1, settings: { concurrency: 1 }, ...options });
  await world.run();
  await world.later('changes', 600_000);
  world.service.clearRequests();
  return snapshotState(world.snapshots, world.process);
}
/** The time of such a run is up after 15 s, and its deadline is 10 s later. */
const SHORT = { remaining: 30_000 };
const takeItsTime = () => world.pass(16_000);
/** The projects whose tasks were asked for since the last call, in this order. */
const asked = () => {
  const ids = world.service.requests.flatMap(({ path }) => /\/projects\/(\d+)\/tasks/.exec(path)?.[1] ?? []);
  world.service.clearRequests();
  return ids;
};
const expectConverged = async (baseline: unknown) => {
  const served = servedState(world.edit, PROCESS);
  expect(applyEvents(baseline, await world.events())).toEqual(served);
  expect(await snapshotState(world.snapshots, world.process)).toEqual(served);
};

describe('a sweep whose time is up', () => {
  it('invariant 1: in the second round goes on with what it had left for that, and with nothing else', async () => {
    const baseline = await baselined();
    for (const id of ['1003', '1006']) world.edit.deleteProject(PROCESS, id, { audit: false });
    world.edit.updateTask(PROCESS, '1005', '500005', { status: 'Done' });
    world.service.fail({ when: isTasksOf('1005'), fault: { status: 404 } });
    world.service.fail({ when: isTasksOf('1003'), fault: { before: takeItsTime } });
    world.pass(60_000);
    expect(await world.run('sweep', SHORT)).toMatchObject({ outcome: 'unfinished' });
    expect(await owedInShort(world)).toEqual(['1005 uncertain']);
    expect(asked()).toEqual(['1001', '1002', '1004', '1005', '1007', '1008', '1003']);
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    // What is deleted is asked for once more.
    expect([...new Set(asked())]).toEqual(['1005', '1003', '1006']);
    expect(await owedIn(world)).toEqual([]);
    await expectConverged(baseline);
  });
});
