import { describe, expect, it } from 'vitest';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { tooManyRequests } from '../../simulator/server.ts';
import { hide } from '../kit/hide.ts';
import { owedInShort } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import type { World, WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create({ tasksPerProject: 0, ...options });
  await world.run();
  return world;
}
const { told } = stage;
const warnings = () => world.said.filter(({ level }) => level === 'warn');

describe('a sweep', () => {
  it('asks for the list of projects and for each task list once, not for the audit log, and warns of nothing', async () => {
    await baselined();
    world.service.clearRequests();
    const report = await world.later('sweep');
    expect(report).toEqual({ mode: 'sweep', outcome: 'completed', projects: 3, commits: 0, events: 0 });
    const asked = world.service.requests.flatMap(
      ({ path }) => path.match(/\/processes\/onboarding\/([^?]*)/)?.[1] ?? [],
    );
    const tasks = ['1001', '1002', '1003'].map(id => `projects/${id}/tasks`);
    expect(asked.sort()).toEqual(['coverpage', 'projects', ...tasks, 'task-custom-fields']);
    expect(warnings()).toEqual([]);
  });

  it('whose end could not be saved is not completed', async () => {
    await baselined();
    const poll = world.poller({ snapshots: { ...world.snapshots, finish: async () => false } });
    const { sweptAt } = await world.snapshots.readState(world.process);
    world.pass(60_000);
    expect(await world.run('sweep', { poll })).toMatchObject({ outcome: 'unfinished' });
    expect((await world.snapshots.readState(world.process)).sweptAt).toBe(sweptAt);
  });

  it('is completed by our clock when it ends, also without what it could not read, which is owed a look; the baseline is one', async () => {
    await baselined();
    const state = () => world.snapshots.readState(world.process);
    expect((await state()).sweepCompletedAt).toBe(world.clock.now);
    const baselinedAt = world.clock.now;
    expect(await state()).toMatchObject({ baselinedAt });
    world.pass(600_000);
    world.service.fail({ when: isTasksOf('1002'), times: 99, fault: { status: 403 } });
    expect(await world.run('sweep')).toMatchObject({ outcome: 'completed' });
    expect(await state()).toMatchObject({
      ...{ sweepCompletedAt: world.clock.now, sweptAt: world.clock.now },
      baselinedAt,
    });
    expect(await owedInShort(world)).toEqual(['1002 unreadable']);
    await world.later();
    expect((await state()).sweepCompletedAt).toBe(world.clock.now - 60_000);
  });

  it('that could read next to nothing is not completed', async () => {
    await baselined({ projects: 30 });
    const { sweepCompletedAt } = await world.snapshots.readState(world.process);
    const when = ({ path }: { path: string }) => path.includes('/tasks');
    world.service.fail({ when, times: 9_999, fault: { status: 403 } });
    world.pass(600_000);
    await expect(world.run('sweep')).rejects.toThrow(/cannot be read/);
    expect((await world.snapshots.readState(world.process)).sweepCompletedAt).toBe(sweepCompletedAt);
  });

  it('invariant 8: keeps its lease however long it asks after projects that no listing shows', async () => {
    await baselined({ projects: 12, settings: { concurrency: 1 } });
    const ids = Array.from({ length: 8 }, (_, index) => String(1001 + index));
    hide(world, ids);
    let other: PassReport | undefined;
    for (const id of ids) {
      const before = async () => {
        world.pass(9_000);
        if (id === ids.at(-1)) other = await world.run('sweep');
      };
      world.service.fail({ when: isTasksOf(id), fault: { before } });
    }
    world.pass(60_000);
    expect(await world.run('sweep')).toMatchObject({ outcome: 'completed' });
    expect(other).toMatchObject({ outcome: 'busy' });
    expect(await owedInShort(world)).toEqual(ids.map(id => `${id} not-listed`));
  });
});

describe('a project that a sweep missed once', () => {
  const missed = async () => {
    await baselined();
    // In each listing of two sweeps, and in the request by which a run makes sure that the service answers.
    hide(world, ['1002'], 7);
    await world.later('sweep');
    expect(await owedInShort(world)).toEqual(['1002 not-listed']);
  };

  it.each([
    ['its token is refused', { status: 401 }, /status 401/],
    ['it asks too often', tooManyRequests(1), /status 429/],
    ['the service cannot be reached', 'destroy', /1002\/tasks/],
  ] as const)(
    'invariant 9: is left to the sweep after one that ends because %s',
    async (_, fault, message) => {
      await missed();
      const failing = world.service.fail({ when: isTasksOf('1002'), times: 1_000, fault });
      await expect(world.later('sweep')).rejects.toThrow(message);
      expect(await told()).toEqual([]);
      failing.cancel();
      expect(await world.later('sweep')).toMatchObject({ outcome: 'completed', events: 1 });
      expect(await told()).toEqual(['project.deleted 1002']);
    },
  );
});
