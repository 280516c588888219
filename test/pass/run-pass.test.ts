import { describe, expect, it } from 'vitest';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { isTasksOf, openStage } from '../support/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../support/world.ts';

const MINUTE = 60_000;
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
  it('invariant 8: keeps others from a pass that still lists', async () => {
    await baselined();
    const others: PassReport[] = [];
    const before = async () => {
      others.push(await world.run('changes', { poll: world.poller() }));
    };
    world.service.fail({ when: ({ path }) => path.includes('/projects?'), fault: { before } });
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(others).toEqual([{ mode: 'changes', outcome: 'busy', projects: 0, commits: 0, events: 0 }]);
  });

  it('invariant 1: that comes behind the end of a baseline begins no second one', async () => {
    world = await stage.create();
    let looks = 0;
    const poll = world.poller({
      snapshots: {
        ...world.snapshots,
        readState: async process => {
          const state = await world.snapshots.readState(process);
          if (++looks === 1) {
            await world.run();
            budget('1001', '1');
          }
          return state;
        },
      },
    });
    expect(await world.run('changes', { poll })).toMatchObject({ mode: 'baseline', outcome: 'busy' });
    // It was given back: nobody has to wait for its end.
    expect(await world.run('sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed' });
    await world.later();
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
  });

  it('that can not be given back hides nothing of why the pass failed', async () => {
    await baselined();
    refuse('1001');
    budget('1001', '1');
    const abandon = async () => {
      throw new Error('throttled');
    };
    const poll = world.poller({ snapshots: { ...world.snapshots, abandon } });
    world.pass(MINUTE);
    await expect(world.run('changes', { poll })).rejects.toThrow(/1001\/tasks.*status 429/);
    expect(saidOf(/lease could not be given back; it ends by itself/)).toEqual([
      ['warn', { ...world.process, error: 'throttled' }],
    ]);
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
    expect(saidOf(/lease could not be given back/)).toEqual([]);
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

  it('because its time is over goes on in the next run, and says why', async () => {
    await baselined();
    for (const id of ['1001', '1002', '1003']) budget(id, '1');
    const refusal = refuse('1002', { 'retry-after': '30' });
    world.pass(MINUTE);
    expect(await world.run('changes', { remaining: 100_000 })).toMatchObject({
      outcome: 'unfinished',
      projects: 1,
      events: 1,
    });
    expect(saidOf(/Time ran out within a request; the next run goes on/)).toEqual([
      ['info', { error: expect.stringMatching(/1002\/tasks/) }],
    ]);
    refusal.cancel();
    expect(await world.run('changes')).toMatchObject({ outcome: 'completed', projects: 2, events: 2 });
    expect(await told()).toEqual(
      ['1001', '1002', '1003'].map(id => `project.updated ${id} budget: "" → "1"`),
    );
  });
});
