import { expect, it } from 'vitest';
import { isTasksOf, openStage } from '../kit/stage.ts';

const stage = openStage();

it.each([
  ['leaves what the sweep owes a look to the sweep', 1, 0],
  ['looks at what it owes a look since it began, whatever the cause', 0, 1],
])('a `changes` pass %s', async (_, metBefore, looks) => {
  const world = await stage.create({ freedoms: { auditDenied: 403 } });
  await world.run();
  await world.later('changes', 600_000);
  world.pass(60_000);
  const now = world.clock.now;
  const after = {
    ...({ cause: 'not-listed', reason: 'r', isReported: true } as const),
    ...{ since: now - 60_000, foundAt: now - metBefore },
  };
  await world.snapshots.writeRechecks(world.process, [{ projectId: '1002', before: undefined, after }]);
  world.service.clearRequests();
  expect(await world.run('changes')).toMatchObject({ outcome: 'completed', projects: looks });
  expect(world.service.requests.filter(isTasksOf('1002'))).toHaveLength(looks);
});
