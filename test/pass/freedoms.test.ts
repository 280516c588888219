import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Freedoms } from '../../simulator/server.ts';
import { openTable, type TestTable } from '../kit/table.ts';
import { applyEvents, servedState, snapshotState } from '../kit/told.ts';
import { createWorld, inShort, PROCESS, type World, type WorldOptions } from '../kit/world.ts';

/** What the API document leaves open (service-api.md §2.4, §4.3, §5, §7, §8): whatever the service does there, the same
 *  edits give the same events. */
let table: TestTable;
beforeAll(async () => {
  table = await openTable();
});
afterAll(() => table?.stop());

const FREEDOMS: Partial<Freedoms>[] = [
  {},
  { taskListName: 'items', auditListName: 'auditLogEntries', userListName: 'people' },
  { taskIdProperty: 'taskId' },
  { taskIdProperty: 'externalId', projectIdProperty: 'projectId' },
  { numericIds: true },
  { numericIds: true, taskIdProperty: 'taskId', projectIdProperty: 'projectId' },
  { expiresIn: false },
  { expiresIn: false, tokenLifetime: 30 },
  { dateHeader: false },
  { dateHeader: false, recordTimestamps: false },
  { recordTimestamps: false },
  { auditOrder: 'newest-first' },
  { auditOrder: 'newest-first', auditTimestamps: false },
  ...(['flat', 'reference', 'several'] as const).map(auditShape => ({ auditShape })),
  { auditShape: 'flat', numericIds: true, taskEditsTouchProject: false },
  { auditDenied: 403 },
  { auditDenied: 404 },
  { taskEditsTouchProject: false },
  { taskEditsTouchProject: false, auditOrder: 'newest-first', recordTimestamps: false },
  { updatedAfterInclusive: true },
  { timestampResolution: 60_000 },
  { emptyPageCursors: 'null' },
  { definitionShape: 'list' },
  { maxPageSize: 2 },
  ...([400, 413, 500, 502] as const).map(tooLargeStatus => ({ tooLargeStatus, maxResponseBytes: 2_000 })),
];

const IDS: Partial<Freedoms>[] = [
  { tasksOfDeletedProject: 200 },
  { tasksOfDeletedProject: 200, auditDenied: 403 },
];

async function inWorld(options: WorldOptions, test: (world: World) => Promise<void>): Promise<void> {
  const world = await createWorld(table, options);
  try {
    await test(world);
  } finally {
    await world.stop();
  }
}

/** Every kind of edit; returns the events that must come of it. */
function editAll({ edit }: World): string[] {
  edit.updateProject(PROCESS, '1001', { budget: '12.50', regions: ['North'] });
  edit.updateTask(PROCESS, '1002', '500003', { status: 'Done', 'risk-level': 'High', note: 'x' });
  edit.deleteTask(PROCESS, '1003', '500005');
  edit.deleteProject(PROCESS, '1004');
  const project = edit.createProject(PROCESS, { name: 'New' });
  const task = edit.createTask(PROCESS, project, { name: 'First' });
  return [
    `project.created ${project}`,
    'project.deleted 1004',
    'project.updated 1001 budget: "" → "12.50", regions: [] → ["North"]',
    `task.created ${project}/${task}`,
    'task.deleted 1003/500005',
    'task.deleted 1004/500007',
    'task.deleted 1004/500008',
    'task.updated 1002/500003 note: "" → "x", risk-level: "" → "High", status: "To do" → "Done"',
  ];
}

describe.each([...FREEDOMS, ...IDS])('a service with %j', freedoms => {
  it('gives exactly the events of what happened, and then none', () =>
    inWorld({ projects: 4, freedoms }, async world => {
      await world.run();
      const baseline = await snapshotState(world.snapshots, world.process);
      world.clock.now += 3_600_000;
      const expected = editAll(world);
      await world.later();
      await world.later('sweep');
      await world.later('sweep');
      const events = await world.events();
      expect(inShort(events).sort()).toEqual(expected);
      const idOf = (record: object) => String(identifier(record, freedoms));
      const served = servedState(world.edit, PROCESS, idOf);
      expect(applyEvents(baseline, events)).toEqual(served);
      await world.later();
      await world.later('sweep');
      expect(await world.events()).toHaveLength(expected.length);
    }));
});

function identifier(
  record: object,
  { projectIdProperty = 'id', taskIdProperty = 'id' }: Partial<Freedoms>,
): unknown {
  const fields = record as Record<string, unknown>;
  const isTask = 'status' in fields;
  return fields[isTask ? taskIdProperty : projectIdProperty];
}
