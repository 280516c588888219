import assert from 'node:assert/strict';
import { lineOf } from '../edits.ts';
import { until } from '../until.ts';
import { onceEach, untilTold, type World } from '../world.ts';

/** Every kind of edit. */
export async function editAll(world: World): Promise<void> {
  const { report, dueDates, edits, own } = world;
  const [first = '', second = '', third = ''] = edits.projects();
  const [one = '', two = '', three = ''] = edits.tasks(first);
  edits.updateTask(first, one, 'dueDate', '2027-03-01');
  edits.updateTask(first, two, 'name', 'named-anew');
  edits.deleteTask(first, three);
  edits.createTask(second, { name: 'created-task' });
  edits.updateProject(second, 'budget', '1200');
  edits.createProject({ name: 'created-project' }, [{ name: 'its-first-task' }, { name: 'its-second-task' }]);
  edits.deleteProject(third);
  await report.check('tasks and projects created, changed, deleted', () => untilTold(world, 60, 'start'));
  await report.check('each event came once', () => onceEach(world));
  await report.check('the filtered, raw subscription got the due date and nothing else', () =>
    until(10, () =>
      assert.deepEqual(
        dueDates.events.events.map(lineOf),
        edits.expected.filter(line => line.includes(' dueDate: ')),
      ),
    ),
  );
  if (own) await tellChats(world);
}

/** Chats group and word as they like; each new value must have been told. */
async function tellChats({ report, own }: World): Promise<void> {
  const values = [
    'noticed-by-the-schedule',
    'summed-up-by-the-schedule',
    'named-anew',
    'created-task',
    'created-project',
  ];
  for (const name of ['slack', 'teams'] as const) {
    const chat = own?.receivers[name];
    await report.check(`${name} tells them`, () =>
      until(60, () => {
        const text = chat?.messages.join('\n') ?? '';
        assert.deepEqual(
          values.filter(value => !text.includes(value)),
          [],
          `${name} did not tell these`,
        );
        return `${chat?.messages.length} messages`;
      }),
    );
  }
}
