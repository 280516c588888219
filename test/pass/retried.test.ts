import { describe, expect, it } from 'vitest';
import { owedIn } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const MINUTE = 60_000;
const stage = openStage();
let world: World;

/** A world well behind its baseline. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create({ projects: 6, tasksPerProject: 1, ...options });
  await world.run();
  await world.later('changes', 10 * MINUTE);
  return world;
}
const answer = (id: string, status = 403) =>
  world.service.fail({ when: isTasksOf(id), times: 1_000, fault: { status } });
const budget = (id: string, value: string) => world.edit.updateProject(PROCESS, id, { budget: value });
const owed = async () => (await owedIn(world)).map(({ id }) => id);

describe('a skipped project', () => {
  it('invariant 6: whose task list stays missing costs no listing of all projects in each pass', async () => {
    await baselined();
    answer('1002', 404);
    world.edit.updateTask(PROCESS, '1002', '500002', { status: 'Done' });
    await world.later();
    expect(await owed()).toEqual(['1002']);
    world.service.clearRequests();
    for (let pass = 0; pass < 3; pass++) await world.later('changes', 10 * MINUTE);
    const listings = world.service.requests.filter(({ path }) => path.includes('/projects?'));
    expect(listings.filter(({ path }) => !path.includes('updatedAfter'))).toEqual([]);
    expect(await owed()).toEqual(['1002']);
  });
});

describe('a pass that lost its lease behind its walk', () => {
  it('invariant 8: announces nothing; what it met is owed all the same', async () => {
    await baselined();
    answer('1002');
    budget('1002', '1');
    const announced: unknown[] = [];
    const poll = world.poller({
      snapshots: {
        ...world.snapshots,
        load: async (...given) => {
          await takeOver();
          return world.snapshots.load(...given);
        },
        announce: async (...given) => {
          announced.push(given);
          return world.snapshots.announce(...given);
        },
      },
    });
    const takeOver = async () => {
      const now = world.clock.now + 61_000;
      await world.snapshots.takeLease(world.process, {
        mode: 'changes',
        owner: 'other',
        now,
        until: now + MINUTE,
      });
    };
    world.pass(MINUTE);
    expect(await world.run('changes', { poll })).toMatchObject({ outcome: 'busy' });
    expect(announced).toEqual([]);
    expect(await owed()).toEqual(['1002']);
  });
});

describe('a skipped project that is read in the first of two runs of a pass', () => {
  it('is skipped no longer behind the second', async () => {
    world = await stage.create({ projects: 8, settings: { concurrency: 1 } });
    await world.run();
    await world.later('changes', 600_000);
    const refused = world.service.fail({ when: isTasksOf('1001'), times: 100, fault: { status: 403 } });
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await world.later();
    refused.cancel();
    const { watermark } = await world.snapshots.readState(world.process);
    for (let id = 1001; id <= 1008; id++) world.edit.updateProject(PROCESS, String(id), { budget: '2' });
    const slow = world.poller({ onProgress: () => world.pass(200) });
    world.pass(60_000);
    expect((await world.run('changes', { poll: slow, remaining: 1_600 })).outcome).toBe('unfinished');
    expect((await world.run('changes')).outcome).toBe('completed');
    const state = await world.snapshots.readState(world.process);
    expect([...state.rechecks]).toEqual([]);
    expect(state.watermark).toBeGreaterThan(watermark);
  });
});

describe('an audit log that is refused in the second of two runs of a pass', () => {
  it('invariant 1: is read from the same place again: what it told to the first run is not lost', async () => {
    world = await stage.create({ projects: 8, settings: { concurrency: 1 } });
    await world.run();
    for (let pass = 0; pass < 2; pass++) await world.later('changes', 600_000);
    for (let id = 1001; id <= 1005; id++) world.edit.updateProject(PROCESS, String(id), { budget: '9' });
    world.edit.deleteProject(PROCESS, '1008');
    const slow = world.poller({ onProgress: () => world.pass(200) });
    world.pass(60_000);
    expect((await world.run('changes', { poll: slow, remaining: 900 })).outcome).toBe('unfinished');
    world.service.fail({ when: ({ path }) => path.includes('/auditlog'), fault: { status: 403 } });
    expect((await world.run('changes')).outcome).toBe('completed');
    await world.later('changes', 600_000);
    expect((await stage.told()).at(-1)).toBe('project.deleted 1008');
  });
});
