import { describe, expect, it } from 'vitest';
import { openStage } from '../kit/stage.ts';

const stage = openStage();

describe('an idle pass', () => {
  it.each([10, 1_000])('invariant 5: over %i projects makes two requests', async projects => {
    const world = await stage.create({ projects, tasksPerProject: 0 });
    await world.run();
    await world.later('changes', 600_000);
    world.service.clearRequests();
    expect(await world.later()).toMatchObject({ outcome: 'completed', projects: 0, commits: 0, events: 0 });
    expect(world.service.requests).toHaveLength(2);
  });

  it('invariant 5: writes nothing of its process, which keeps its watermark', async () => {
    const world = await stage.create();
    await world.run();
    await world.later('changes', 600_000);
    const before = await world.snapshots.readState(world.process);
    const calls: string[] = [];
    const { takeLease, saveProgress, finish } = world.snapshots;
    const told = Object.entries({ takeLease, saveProgress, finish }).map(([name, method]) => [
      name,
      (...given: unknown[]) => {
        calls.push(name);
        return (method as (...all: unknown[]) => unknown)(...given);
      },
    ]);
    const poll = world.poller({ snapshots: { ...world.snapshots, ...Object.fromEntries(told) } });
    expect(await world.run('changes', { poll })).toMatchObject({ outcome: 'completed', projects: 0 });
    expect(calls).toEqual([]);
    expect(await world.snapshots.readState(world.process)).toEqual(before);
  });
});
