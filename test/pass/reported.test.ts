import { expect, it } from 'vitest';
import { openStage } from '../kit/stage.ts';

const stage = openStage();
const DEFINITIONS = /coverpage|custom-?fields/i;

it('a process that the service does not have is not reported to lack its definitions, at each pass; one whose definitions are refused is, once', async () => {
  const world = await stage.create({ projects: 2, tasksPerProject: 1 });
  const warned = () =>
    world.said.filter(({ message }) => message.startsWith('Field definitions')).map(({ details }) => details);
  const gone = world.service.fail({
    when: ({ path }) => path.includes('/processes/'),
    times: 1_000,
    fault: { status: 404 },
  });
  for (let pass = 0; pass < 3; pass++) await expect(world.later()).rejects.toThrow('status 404');
  expect(warned()).toEqual([]);
  gone.cancel();
  world.service.fail({ when: ({ path }) => DEFINITIONS.test(path), times: 1_000, fault: { status: 404 } });
  for (let pass = 0; pass < 3; pass++) await world.later();
  expect(warned()).toMatchObject([{ code: 'coverpage-denied' }, { code: 'task-fields-denied' }]);
});
