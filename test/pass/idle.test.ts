import { describe, expect, it } from 'vitest';
import { openStage } from '../support/stage.ts';

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
});
