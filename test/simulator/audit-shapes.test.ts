import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { namesIn } from '../../functions/pass/audit-log/names.ts';
import { SYSTEM } from '../../simulator/data/workspace.ts';
import type { EditApi, Freedoms } from '../../simulator/server.ts';
import { start } from '../kit/simulator.ts';

const ANNA = { id: '101', name: 'Anna Lindqvist' };
const PRIYA = { id: '103', name: 'Priya Raman' };
const MACHINE = { id: SYSTEM, name: 'System' };
const TASK = ['p', '1001', '500001'] as const;
const ASSIGNEE = { id: '102' };
const OBJECTS = {
  entity: { type: 'task', id: '500001', assignee: ASSIGNEE },
  details: { context: { projectId: '1001' } },
};
const IDS = { entityType: 'task', projectId: '1001', taskId: '500001', assigneeId: '102' };
const PATHS = { target: '/processes/p/projects/1001/tasks/500001', assignee: '/users/102' };

/** How entries of each shape have one user, two and the system, and a task with its assignee. */
const SHAPES: [Freedoms['auditShape'], editors: object[], task: object][] = [
  ['nested', [{ user: PRIYA }, { users: [ANNA, PRIYA] }, { user: MACHINE }], OBJECTS],
  [
    'flat',
    [{ userId: '103' }, { userIds: ['101', '103'] }, { userId: SYSTEM }],
    { ...IDS, entityName: 'Task 1' },
  ],
  [
    'reference',
    [{ actor: '/users/103' }, { actors: ['/users/101', '/users/103'] }, { actor: '/users/system' }],
    PATHS,
  ],
  ['several', [{ users: [PRIYA] }, { users: [ANNA, PRIYA] }, { users: [MACHINE] }], OBJECTS],
];

async function entriesOf(freedoms: Partial<Freedoms>, make: (edit: EditApi) => void): Promise<JsonObject[]> {
  const { edit, entries } = await start({ freedoms });
  make(edit);
  return entries();
}

describe.each(SHAPES)('entries that are %s', (auditShape, editors, task) => {
  test('tell one user, several and the system, the task with its assignee, and old and new values', async () => {
    const entries = await entriesOf({ auditShape }, edit => {
      for (const user of ['103', ['101', '103'], SYSTEM])
        edit.updateTask(...TASK, { assignee: ASSIGNEE }, { user });
      edit.updateTask(...TASK, { assignee: null, status: 'Done', note: 'New', effortHours: '' });
    });
    expect(entries.slice(0, 3)).toMatchObject(editors.map(editor => ({ ...editor, ...task })));
    const last = entries[3];
    expect(last).not.toMatchObject(task);
    const { properties, changes } = (last?.details ?? last) as JsonObject;
    expect(properties).toEqual(['assignee', 'status', 'note', 'effortHours']);
    expect(changes).toEqual([
      { field: 'assignee', from: ASSIGNEE, to: null },
      { field: 'status', from: 'To do', to: 'Done' },
      { field: 'note', from: '', to: 'New' },
    ]);
  });

  test('name what each edit concerns, and the rest of the log does not', async () => {
    const entries = await entriesOf({ auditShape }, edit => {
      edit.moveTask(...TASK, '1002');
      edit.deleteProject('p', '1003');
      edit.archiveField('p', 'task', 'Note');
    });
    const ids = ['1001', '1002', '1003', '500001', '500009'];
    const named = entries.map(entry => ids.filter(id => namesIn([entry]).has(id)));
    expect(named).toEqual([['1001', '1002', '500001'], ['1003'], []]);
    expect(JSON.stringify(entries[1]).toLowerCase()).not.toContain('task');
  });

  test('have numbers for ids where ids are numbers', async () => {
    const [entry = {}] = await entriesOf({ auditShape, numericIds: true }, edit =>
      edit.updateTask(...TASK, { assignee: ASSIGNEE }, { user: ['101', '103'] }),
    );
    expect(JSON.stringify(entry)).not.toMatch(/"\d+"/);
    const names = namesIn([entry]);
    for (const id of ['101', '103', '102', '1001', '500001']) expect(names).toContain(id);
  });
});
