import { expect, it } from 'vitest';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS } from '../kit/world.ts';

const stage = openStage();
const isAudit = ({ path }: { path: string }) => path.includes('/auditlog');

it('invariants 2, 9: a project that is made again while a second sweep misses it is not deleted, though only its tasks were read since', async () => {
  const world = await stage.create({ freedoms: { tasksOfDeletedProject: 200 } });
  await world.run();
  await world.later('changes', 600_000);
  world.edit.deleteProject(PROCESS, '1002');
  // Its tasks are gone with it, as far as its task list tells; the project itself was missed once.
  await world.later();
  await world.later('sweep');
  const before = await stage.told();
  world.pass(60_000);
  let changes: Promise<unknown> | undefined;
  const makeAgain = () => {
    world.edit.createProject(PROCESS, { name: 'Again' }, { id: '1002' });
    world.edit.createTask(PROCESS, '1002', { name: 'New' });
  };
  // The second sweep has its listing, and asks what became of the project: a `changes` pass, whose own listing is as old, reads in the audit
  // log that it was made again, and tells its task.
  const tellTask = async () => {
    if (changes) return;
    world.service.fail({ when: isAudit, fault: { before: makeAgain } });
    changes = world.run('changes');
    await changes;
  };
  world.service.fail({ when: isTasksOf('1002'), fault: { before: tellTask } });
  await world.run('sweep');
  for (let pass = 0; pass < 2; pass++) await world.later();
  await world.later('sweep');
  const since = (await stage.told()).slice(before.length);
  expect(since.filter(line => line.includes('deleted'))).toEqual([]);
  expect(since.some(line => line.startsWith('task.created 1002'))).toBe(true);
});
