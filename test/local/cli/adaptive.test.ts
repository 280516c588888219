import { expect, test } from 'vitest';
import { createTickProgresses } from '../../../functions/store/dynamo/tick.ts';
import { ownTime } from '../../kit/local/own-time.ts';
import { startScheduling } from '../../kit/local/scheduling.ts';
import { openStage } from '../../kit/stage.ts';
import { PROCESS } from '../../kit/world.ts';

const SECOND = 1000;
const stage = openStage();

/** A run of a process that is looked at from 10 s to 5 min apart, behind its baseline; when each pass began, in s. */
async function open() {
  const changes = { fastest: 10 * SECOND, slowest: 300 * SECOND };
  const world = await stage.create({
    projects: 2,
    settings: { processes: [{ id: PROCESS, changes }] as never },
  });
  await world.run();
  const time = ownTime(world.clock.now);
  const begins: number[] = [];
  const run = world.poller({ clock: time.clock });
  await startScheduling({
    source: { watched: [{ workspace: world.workspace, credentials: { clientId: '', clientSecret: '' } }] },
    progress: createTickProgresses(stage.table),
    rows: world.rows,
    poll: async (request, context) => {
      // No sweeps: when one is due depends on the world's name, and it might find the change first.
      if (request.mode === 'sweep') return { outcome: 'expired', processes: new Map() };
      const polled = await run(request, context);
      begins.push((time.clock() - world.clock.now) / SECOND);
      expect(polled.processes.get(PROCESS)).toMatchObject({ report: { outcome: 'completed' } });
      return polled;
    },
    time,
  });
  const until = async (seconds: number) => {
    while (time.clock() < world.clock.now + seconds * SECOND) await time.step(2);
  };
  return { world, begins, until };
}

test('a local run looks at a quiet process less and less often, and at once more often when something changed', async () => {
  const { world, begins, until } = await open();
  await until(700);
  // Each begins at a moment of its group, half of `fastest` early or late.
  const gaps = () => begins.slice(1).map((at, index) => at - (begins[index] as number));
  const expectGaps = (expected: readonly number[]) => {
    expect(gaps()).toHaveLength(expected.length);
    for (const [index, gap] of gaps().entries())
      expect(Math.abs(gap - (expected[index] as number))).toBeLessThanOrEqual(5);
  };
  const quiet = [10, 20, 40, 80, 160, 300];
  expectGaps(quiet);
  world.edit.updateProject(PROCESS, '1001', { budget: '7' });
  await until(970);
  expectGaps([...quiet, 300, 10, 20]);
});
