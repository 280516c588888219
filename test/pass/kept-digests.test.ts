import { describe, expect, it } from 'vitest';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World } from '../kit/world.ts';

const stage = openStage();
let world: World;

describe('what a digest of the answers stands for', () => {
  const extra = { externalId: 'extra', name: 'Extra', type: 'text' } as const;
  const digests = async () => (await world.snapshots.load(world.process, '1001'))?.digests;

  it.each([
    ['task', 'tasks', { status: 'Later' }],
    ['project', 'record', { state: 'Later' }],
  ] as const)(
    'invariant 1: is no content that holds what a deleted %s field had, which the answers lack',
    async (kind, part, other) => {
      world = await stage.create({ projects: 1, tasksPerProject: 1 });
      await world.run();
      await world.later('changes', 600_000);
      const write = (values: Record<string, string>) =>
        kind === 'task'
          ? world.edit.updateTask(PROCESS, '1001', '500001', values)
          : world.edit.updateProject(PROCESS, '1001', values);
      world.edit.addField(PROCESS, kind, extra);
      write({ extra: 'Mine' });
      await world.later();
      expect(await digests()).toEqual({ record: expect.any(String), tasks: expect.any(String) });
      world.edit.deleteField(PROCESS, kind, 'extra');
      write(other);
      await world.later('sweep');
      expect((await digests())?.[part]).toBeUndefined();
      // A service may answer the same bytes for a field without a value as for none.
      world.edit.addField(PROCESS, kind, extra);
      write({ extra: 'Yours' });
      await world.later();
      expect((await digests())?.[part]).toEqual(expect.any(String));
    },
  );
});
