import { expect, test } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { namesIn } from '../../functions/pass/audit-log/names.ts';
import { SYSTEM } from '../../simulator/data/workspace.ts';
import type { Freedoms } from '../../simulator/server.ts';
import { list, start } from '../kit/simulator.ts';

const SHAPES = ['nested', 'flat', 'reference', 'several'] as const;
const ANNA = { id: '101', name: 'Anna Lindqvist' };
const PRIYA = { id: '103', name: 'Priya Raman' };

async function entriesOf(
  freedoms: Partial<Freedoms>,
  edit: (workspace: Awaited<ReturnType<typeof start>>['service']['workspace']) => void,
): Promise<JsonObject[]> {
  const { service, get } = await start({ freedoms });
  edit(service.workspace);
  return list(await get('/processes/p/auditlog'), 'entries');
}

test.each([
  ['nested', { user: PRIYA }, { users: [ANNA, PRIYA] }, { user: { id: SYSTEM, name: 'System' } }],
  ['flat', { userId: '103' }, { userIds: ['101', '103'] }, { userId: SYSTEM }],
  [
    'reference',
    { actor: '/users/103' },
    { actors: ['/users/101', '/users/103'] },
    { actor: '/users/system' },
  ],
  ['several', { users: [PRIYA] }, { users: [ANNA, PRIYA] }, { users: [{ id: SYSTEM, name: 'System' }] }],
] as const)('entries that are %s tell one user, several, and the system', async (auditShape, ...who) => {
  const entries = await entriesOf({ auditShape }, workspace => {
    for (const user of ['103', ['101', '103'], SYSTEM]) workspace.touchProject('p', '1001', { user });
  });
  expect(entries).toMatchObject(who);
});

test.each([
  ['nested', { entity: { type: 'task', id: '500001' }, details: { context: { projectId: '1001' } } }],
  ['flat', { entityType: 'task', entityName: 'Task 1', projectId: '1001', taskId: '500001' }],
  ['reference', { target: '/processes/p/projects/1001/tasks/500001' }],
  ['several', { entity: { type: 'task', id: '500001' }, details: { context: { projectId: '1001' } } }],
] as const)(
  'entries that are %s name the task and its project, and old and new values',
  async (auditShape, where) => {
    const [entry] = await entriesOf({ auditShape }, workspace =>
      workspace.updateTask('p', '1001', '500001', { status: 'Done', note: 'New', effortHours: '' }),
    );
    expect(entry).toMatchObject(where);
    const { properties, changes } = (entry?.details ?? entry) as JsonObject;
    expect(properties).toEqual(['status', 'note', 'effortHours']);
    expect(changes).toEqual([
      { field: 'status', from: 'To do', to: 'Done' },
      { field: 'note', from: '', to: 'New' },
    ]);
  },
);

test.each(SHAPES)(
  'entries that are %s name what each edit concerns, and the rest of the log does not',
  async auditShape => {
    const entries = await entriesOf({ auditShape }, workspace => {
      workspace.moveTask('p', '1001', '500001', '1002');
      workspace.deleteProject('p', '1003');
      workspace.archiveField('p', 'task', 'Note');
    });
    const ids = ['1001', '1002', '1003', '500001', '500009'];
    const named = entries.map(entry => ids.filter(id => namesIn([entry]).has(id)));
    expect(named).toEqual([['1001', '1002', '500001'], ['1003'], []]);
    expect(JSON.stringify(entries[1]).toLowerCase()).not.toContain('task');
  },
);

test.each(SHAPES)('entries that are %s have numbers for ids where ids are numbers', async auditShape => {
  const [entry] = await entriesOf({ auditShape, numericIds: true }, workspace =>
    workspace.updateTask('p', '1001', '500001', { assignee: { id: '102' } }, { user: ['101', '103'] }),
  );
  const texts = JSON.stringify(entry).match(/"\d+"/g);
  expect(texts).toBeNull();
  const names = namesIn([entry as JsonObject]);
  for (const id of ['101', '103', '102', '1001', '500001']) expect(names).toContain(id);
});

test.each([
  ['nested', { entity: { assignee: { id: '102' } } }],
  ['flat', { assigneeId: '102' }],
  ['reference', { assignee: '/users/102' }],
  ['several', { entity: { assignee: { id: '102' } } }],
] as const)(
  'entries that are %s name the assignee of a task apart from who edited it',
  async (auditShape, assignee) => {
    const entries = await entriesOf({ auditShape }, workspace => {
      workspace.updateTask('p', '1001', '500001', { assignee: { id: '102' } }, { user: '103' });
      workspace.updateTask('p', '1001', '500001', { assignee: null }, { user: '103' });
    });
    expect(entries[0]).toMatchObject(assignee);
    expect(entries[1]).not.toMatchObject(assignee);
  },
);
