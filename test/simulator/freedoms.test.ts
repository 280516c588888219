import { expect, test } from 'vitest';
import { AUDIT, list, NOW, PROJECTS, paging, start } from '../kit/simulator.ts';

const at = (ms: number) => new Date(NOW + ms).toISOString();

test('numeric ids are numbers everywhere, and paths still take them', async () => {
  const { edit, get, tasks, entries } = await start({ freedoms: { numericIds: true } });
  edit.updateTask('p', '1001', '500001', { assignee: { id: '102', name: 'P', phone: '4711' } });
  const assignee = { id: 102, phone: '4711' };
  expect((await tasks())[0]).toMatchObject({ id: 500001, projectId: 1001, assignee });
  expect((await entries())[0]).toMatchObject({ details: { context: { projectId: 1001 } } });
  expect((await get('/user/102')).body.id).toBe(102);
});

test('every edit writes an audit entry with id, time, user, action and, nested, its project', async () => {
  const { edit, entries } = await start();
  const project = edit.createProject('p', { name: 'N' }, { user: '103' });
  const task = edit.createTask('p', project);
  edit.updateTask('p', project, task, { status: 'Done' });
  edit.deleteTask('p', project, task);
  edit.touchProject('p', project);
  edit.deleteProject('p', project);
  edit.archiveField('p', 'task', 'Note');
  edit.touchProject('p', '1001', { audit: false });
  const written = await entries();
  const actions = ['created', 'created', 'updated', 'deleted', 'updated', 'deleted', 'archived'];
  expect(written.map(({ action }) => action)).toEqual(actions);
  expect(new Set(written.map(({ id }) => id)).size).toBe(7);
  const user = { id: '103', name: 'Priya Raman' };
  expect(written[0]).toMatchObject({ timestamp: at(0), user, entity: { type: 'project', name: 'N' } });
  const ofProject = { details: { context: { projectId: project } } };
  for (const entry of written.slice(0, 6)) expect(entry).toMatchObject(ofProject);
});

test('the audit log is served newest-first, in pages that an edit between them does not shift', async () => {
  const { edit, freedoms, get, entries } = await start();
  for (const id of ['1001', '1002', '1003']) edit.touchProject('p', id);
  const [first, second, third] = (await entries()).map(({ id }) => id);
  freedoms.auditOrder = 'newest-first';
  const page = await get(`${AUDIT}?first=2`);
  expect(list(page, 'entries').map(({ id }) => id)).toEqual([third, second]);
  edit.touchProject('p', '1001');
  const next = await entries(`?first=2&after=${paging(page).endCursor}`);
  expect(next.map(({ id }) => id)).toEqual([first]);
});

test('task edits may leave the project’s update time alone, an edit may leave all times alone', async () => {
  const { edit, freedoms, clock } = await start({ freedoms: { taskEditsTouchProject: false } });
  clock.advance(1000);
  edit.updateTask('p', '1001', '500001', { status: 'Done' });
  edit.updateProject('p', '1002', { name: 'Quiet' }, { touch: false });
  for (const { updatedAt } of edit.projects('p')) expect(updatedAt).toBe(at(0));
  freedoms.taskEditsTouchProject = true;
  edit.deleteTask('p', '1001', '500001');
  expect(edit.projects('p')[0]?.updatedAt).toBe(at(1000));
});

test('a coarse clock stamps edits of one tick alike', async () => {
  const { edit, clock } = await start({ freedoms: { timestampResolution: 1000 } });
  clock.advance(1999);
  edit.touchProject('p', '1001');
  expect(edit.projects('p')[0]?.updatedAt).toBe(at(1000));
});

test.each([400, 413, 500, 502] as const)(
  'an answer that is too large, in bytes, is %i; one exactly as large, and a smaller page, are served',
  async tooLargeStatus => {
    const { service, edit, freedoms, get, status } = await start({ freedoms: { tooLargeStatus } });
    edit.updateProject('p', '1001', { name: 'é'.repeat(500) });
    freedoms.maxResponseBytes = Buffer.byteLength(JSON.stringify((await get(PROJECTS)).body));
    expect(await status(PROJECTS)).toBe(200);
    freedoms.maxResponseBytes -= 1;
    service.clearRequests();
    expect(await status(PROJECTS)).toBe(tooLargeStatus);
    expect(await status(`${PROJECTS}?first=2`)).toBe(200);
    expect(service.requests.map(request => request.status)).toEqual([tooLargeStatus, 200]);
  },
);

test('an audit log keeps as many entries as it is told to, the newest, and its cursors stay good', async () => {
  const { edit, get, entries } = await start({ freedoms: { auditRetention: 3 } });
  for (const name of ['a', 'b', 'c']) edit.updateProject('p', '1001', { name });
  const first = await get(`${AUDIT}?first=1`);
  for (const name of ['d', 'e']) edit.updateProject('p', '1001', { name });
  expect(edit.auditLog('p')).toHaveLength(3);
  expect(await entries(`?after=${paging(first).endCursor}`)).toEqual(edit.auditLog('p'));
});

test('updates and audit entries are shown late, as late as they are told to be', async () => {
  const late = { updatesVisibleAfter: 5_000, auditVisibleAfter: 2_000 };
  const { edit, clock, projects, entries } = await start({ freedoms: late });
  clock.advance(60_000);
  edit.touchProject('p', '1002');
  const shown = async () => [
    (await projects(`?updatedAfter=${at(1)}`)).length,
    (await entries()).length,
    (await projects()).length,
  ];
  expect(await shown()).toEqual([0, 0, 3]);
  clock.advance(2_000);
  expect(await shown()).toEqual([0, 1, 3]);
  clock.advance(3_000);
  expect(await shown()).toEqual([1, 1, 3]);
});
