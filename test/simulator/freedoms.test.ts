import { expect, test } from 'vitest';
import { list, NOW, paging, start } from '../kit/simulator.ts';

const PROJECTS = '/processes/p/projects';
const TASKS = `${PROJECTS}/1001/tasks`;
const AUDIT = '/processes/p/auditlog';

test('lists have the names that they are given', async () => {
  const { get } = await start({
    freedoms: { taskListName: 'items', auditListName: 'log', userListName: 'members' },
  });
  expect(Object.keys((await get(TASKS)).body)).toEqual(['items', 'paging']);
  expect(Object.keys((await get(AUDIT)).body)).toEqual(['log', 'paging']);
  expect(Object.keys((await get('/users')).body)).toEqual(['members', 'paging']);
});

test.each(['taskId', 'externalId'] as const)(
  'a task is identified by %s, a project by projectId',
  async name => {
    const { get } = await start({ freedoms: { taskIdProperty: name, projectIdProperty: 'projectId' } });
    const [task] = list(await get(TASKS), 'tasks');
    expect(task).toMatchObject({ [name]: '500001', projectId: '1001' });
    expect(task).not.toHaveProperty('id');
    const [project] = list(await get(PROJECTS), 'projects');
    expect(project?.projectId).toBe('1001');
    expect(project).not.toHaveProperty('id');
  },
);

test('numeric ids are numbers everywhere, and paths still take them', async () => {
  const { service, get } = await start({ freedoms: { numericIds: true } });
  service.workspace.updateTask('p', '1001', '500001', { assignee: { id: '102', name: 'P', phone: '4711' } });
  expect(list(await get(TASKS), 'tasks')[0]).toMatchObject({
    id: 500001,
    projectId: 1001,
    assignee: { id: 102, phone: '4711' },
  });
  expect(list(await get(AUDIT), 'entries')[0]).toMatchObject({ details: { context: { projectId: 1001 } } });
  expect((await get('/user/102')).body.id).toBe(102);
});

test('update times go by the name that they are given', async () => {
  const { get } = await start({ freedoms: { updateTimeName: 'lastTouch' } });
  const [project] = list(await get(PROJECTS), 'projects');
  expect(project).toHaveProperty('lastTouch');
  expect(project).not.toHaveProperty('updatedAt');
  expect(list(await get(TASKS), 'tasks')[0]).toHaveProperty('lastTouch');
});

test('the Date header tells the service’s clock, or is left out', async () => {
  const { service, clock, get } = await start();
  clock.advance(90_000);
  expect((await get('/users')).headers.get('date')).toBe(new Date(NOW + 90_000).toUTCString());
  service.freedoms.dateHeader = false;
  expect((await get('/users')).headers.has('date')).toBe(false);
});

test('every edit writes an audit entry with id, time, user, action and, nested, its project', async () => {
  const { service, get } = await start();
  const { workspace } = service;
  const project = workspace.createProject('p', { name: 'N' }, { user: '103' });
  const task = workspace.createTask('p', project);
  workspace.updateTask('p', project, task, { status: 'Done' });
  workspace.deleteTask('p', project, task);
  workspace.touchProject('p', project);
  workspace.deleteProject('p', project);
  workspace.archiveField('p', 'task', 'Note');
  workspace.touchProject('p', '1001', { audit: false });
  const entries = list(await get(AUDIT), 'entries');
  const actions = ['created', 'created', 'updated', 'deleted', 'updated', 'deleted', 'archived'];
  expect(entries.map(({ action }) => action)).toEqual(actions);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(7);
  expect(entries[0]).toMatchObject({
    timestamp: new Date(NOW).toISOString(),
    user: { id: '103', name: 'Priya Raman' },
    entity: { type: 'project', name: 'N' },
  });
  for (const entry of entries.slice(0, 6)) {
    expect(entry).toMatchObject({ details: { context: { projectId: project } } });
  }
});

test('the audit log is served newest-first, without times, or not at all', async () => {
  const { service, get } = await start();
  for (const id of ['1001', '1002', '1003']) service.workspace.touchProject('p', id);
  const oldest = list(await get(AUDIT), 'entries');
  service.freedoms.auditOrder = 'newest-first';
  service.freedoms.auditTimestamps = false;
  const page = await get(`${AUDIT}?first=2`);
  expect(list(page, 'entries').map(({ id }) => id)).toEqual([oldest[2]?.id, oldest[1]?.id]);
  expect(list(page, 'entries')[0]).not.toHaveProperty('timestamp');
  service.workspace.touchProject('p', '1001');
  const next = await get(`${AUDIT}?first=2&after=${paging(page).endCursor}`);
  expect(list(next, 'entries').map(({ id }) => id)).toEqual([oldest[0]?.id]);
  for (const denied of [403, 404] as const) {
    service.freedoms.auditDenied = denied;
    expect((await get(AUDIT)).status).toBe(denied);
  }
  expect((await get(PROJECTS)).status).toBe(200);
});

test('task edits may leave the project’s update time alone, an edit may leave all times alone', async () => {
  const { service, clock } = await start({ freedoms: { taskEditsTouchProject: false } });
  const { workspace } = service;
  clock.advance(1000);
  workspace.updateTask('p', '1001', '500001', { status: 'Done' });
  workspace.updateProject('p', '1002', { name: 'Quiet' }, { touch: false });
  expect(workspace.projects('p').every(({ updatedAt }) => updatedAt === new Date(NOW).toISOString())).toBe(
    true,
  );
  service.freedoms.taskEditsTouchProject = true;
  workspace.deleteTask('p', '1001', '500001');
  expect(workspace.projects('p')[0]?.updatedAt).toBe(new Date(NOW + 1000).toISOString());
});

test('a coarse clock stamps edits of one tick alike; records may carry no times', async () => {
  const { service, clock } = await start({ freedoms: { timestampResolution: 1000 } });
  clock.advance(1999);
  service.workspace.touchProject('p', '1001');
  expect(service.workspace.projects('p')[0]?.updatedAt).toBe(new Date(NOW + 1000).toISOString());
  service.freedoms.recordTimestamps = false;
  expect(service.workspace.projects('p')[0]).not.toHaveProperty('updatedAt');
});

test.each([400, 413, 500, 502] as const)(
  'a too-large answer is %i, a smaller page is served',
  async status => {
    const { service, get } = await start({ freedoms: { tooLargeStatus: status, maxResponseBytes: 2000 } });
    service.clearRequests();
    expect((await get('/users')).status).toBe(status);
    expect((await get('/users?first=2')).status).toBe(200);
    expect(service.requests.map(request => request.status)).toEqual([status, 200]);
  },
);

test('the size limit counts bytes, and what is exactly as large is served', async () => {
  const { service, get } = await start();
  service.workspace.updateProject('p', '1001', { name: 'é'.repeat(500) });
  const size = Buffer.byteLength(JSON.stringify((await get(PROJECTS)).body));
  service.freedoms.maxResponseBytes = size;
  expect((await get(PROJECTS)).status).toBe(200);
  service.freedoms.maxResponseBytes = size - 1;
  expect((await get(PROJECTS)).status).toBe(413);
});

test('an audit log keeps as many entries as it is told to, the newest, and its cursors stay good', async () => {
  const { service, get } = await start({ freedoms: { auditRetention: 3 } });
  const edit = (name: string) => service.workspace.updateProject('p', '1001', { name });
  for (const name of ['a', 'b', 'c']) edit(name);
  const first = await get(`${AUDIT}?first=1`);
  for (const name of ['d', 'e']) edit(name);
  expect(service.workspace.state.processes.get('p')?.audit).toHaveLength(3);
  const rest = await get(`${AUDIT}?after=${paging(first).endCursor}`);
  expect(list(rest, 'entries')).toEqual(service.workspace.auditLog('p'));
});

test('updates and audit entries are shown late, as late as they are told to be', async () => {
  const { service, clock, get } = await start({
    freedoms: { updatesVisibleAfter: 5_000, auditVisibleAfter: 2_000 },
  });
  clock.advance(60_000);
  service.workspace.touchProject('p', '1002');
  const since = `${PROJECTS}?updatedAfter=${new Date(NOW + 1).toISOString()}`;
  const shown = async () => [
    list(await get(since), 'projects').length,
    list(await get(AUDIT), 'entries').length,
  ];
  expect(await shown()).toEqual([0, 0]);
  clock.advance(2_000);
  expect(await shown()).toEqual([0, 1]);
  clock.advance(3_000);
  expect(await shown()).toEqual([1, 1]);
  expect(list(await get(PROJECTS), 'projects')).toHaveLength(3);
});
