import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTable, type TestTable } from '../../kit/table.ts';
import { createWorld, inShort, PROCESS, type World } from '../../kit/world.ts';

let table: TestTable;
let world: World;
beforeAll(async () => {
  table = await openTable();
});
afterAll(() => table?.stop());
afterEach(() => world?.stop());

const told = async () => inShort(await world.events());
const edit = (status: string) => world.edit.updateTask(PROCESS, '1001', '500001', { status });

/** Drops all but the newest entries; what is edited shows in no list. */
function purge(keep: number): void {
  world.service.freedoms.auditRetention = keep;
  world.edit.touchProject(PROCESS, '1003', { audit: false, touch: false });
  world.service.freedoms.auditRetention = Number.POSITIVE_INFINITY;
}

const kinds = (['oldest-first', 'newest-first'] as const).flatMap(auditOrder =>
  [true, false].map(auditTimestamps => ({ auditOrder, auditTimestamps })),
);

describe.each(kinds)('an audit log that is purged, $auditOrder, times told: $auditTimestamps', freedoms => {
  /** Only the audit log tells of task edits. It has 23 entries, in pages of 5, and is read. */
  async function readOnce(): Promise<void> {
    world = await createWorld(table, {
      freedoms: { taskEditsTouchProject: false, ...freedoms },
      pageSize: { auditLog: 5 },
    });
    for (let entry = 0; entry < 23; entry++) {
      world.clock.now += 1_000;
      world.edit.updateTask(PROCESS, '1002', '500003', { status: `before ${entry}` });
    }
    world.clock.now += 600_000;
    await world.run();
    await world.later('changes', 600_000);
  }

  it.each([1, 3, 4, 5, 6, 7, 9, 14, 22])(
    'to its newest %i entries causes no event, and hides no later edit',
    async keep => {
      await readOnce();
      purge(keep);
      await world.later();
      expect(await told()).toEqual([]);
      edit('a');
      await world.later();
      edit('b');
      await world.later();
      expect(await told()).toEqual([
        'task.updated 1001/500001 status: "To do" → "a"',
        'task.updated 1001/500001 status: "a" → "b"',
      ]);
    },
  );

  it.each([1, 4, 5, 6, 11])('at every edit, keeping %i entries, hides no edit', async keep => {
    await readOnce();
    world.service.freedoms.auditRetention = keep;
    for (let round = 0; round < 8; round++) {
      world.clock.now += 1_000;
      edit(`round ${round}`);
      for (let more = 1; more < Math.min(keep, 1 + (round % 4)); more++)
        world.edit.updateTask(PROCESS, '1002', '500003', { status: `${round}.${more}` });
      await world.later();
      const last = (await told()).findLast(text => text.includes('1001/500001'));
      expect(last).toContain(`→ "round ${round}"`);
    }
    expect((await told()).filter(text => text.includes('1001/500001'))).toHaveLength(8);
  });
});
