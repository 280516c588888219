import { expect, test } from 'vitest';
import type { FieldType } from '../../simulator/data/workspace.ts';
import { list, start } from '../kit/simulator.ts';

const PROJECTS = '/processes/p/projects';
const TASKS = `${PROJECTS}/1001/tasks`;

test('custom fields are flat properties in wire format, empty ones included', async () => {
  const { get } = await start();
  const empty = { summary: '', budget: '', startDate: '', phase: '', regions: [] };
  expect(list(await get(PROJECTS), 'projects')[0]).toMatchObject({ id: '1001', name: 'Project 1', ...empty });
  const emptyTask = { note: '', effortHours: '', dueDate: '', 'risk-level': '', involvedTeams: [] };
  expect(list(await get(TASKS), 'tasks')[0]).toMatchObject({ id: '500001', projectId: '1001', ...emptyTask });
});

test('each edit of a value is served, and moves the update time', async () => {
  const { service, clock, get } = await start();
  clock.advance(5000);
  const values = {
    summary: 'S',
    budget: '12.50',
    startDate: '2026-07-01',
    phase: 'Build',
    regions: ['South', 'East'],
  };
  service.workspace.updateProject('p', '1002', { ...values, custom: { nested: [1, null, true] } });
  const [other, project] = list(await get(PROJECTS), 'projects');
  const updatedAt = new Date(clock()).toISOString();
  expect(project).toMatchObject({ ...values, custom: { nested: [1, null, true] }, updatedAt });
  expect(other?.updatedAt).not.toBe(updatedAt);
  const taskValues = {
    note: 'N',
    effortHours: '3',
    dueDate: '2026-08-01',
    'risk-level': 'High',
    involvedTeams: ['Legal'],
  };
  service.workspace.updateTask('p', '1001', '500002', taskValues);
  expect(list(await get(TASKS), 'tasks')[1]).toMatchObject({ ...taskValues, updatedAt });
  expect(list(await get(PROJECTS), 'projects')[0]?.updatedAt).toBe(updatedAt);
});

test.each([
  [{ phase: 'Nowhere' }, /"phase" takes a single-choice/],
  [{ regions: 'North' }, /"regions" takes a multiple-choice/],
  [{ regions: ['North', 'Up'] }, /"regions"/],
  [{ budget: 12 }, /"budget" takes a number/],
  [{ budget: 'much' }, /"budget"/],
  [{ startDate: 'tomorrow' }, /"startDate"/],
  [{ summary: null }, /"summary"/],
  [{ id: '7' }, /"id" is read-only/],
])('an edit to %j is refused and changes nothing', async (properties, message) => {
  const { service } = await start();
  const before = service.workspace.state;
  expect(() => service.workspace.updateProject('p', '1001', properties)).toThrow(message);
  expect(service.workspace.state).toBe(before);
});

test('a task moves from one project to another', async () => {
  const { service, get } = await start();
  service.workspace.moveTask('p', '1001', '500001', '1002');
  expect(list(await get(TASKS), 'tasks')).toHaveLength(3);
  const moved = list(await get(`${PROJECTS}/1002/tasks`), 'tasks').at(-1);
  expect(moved).toMatchObject({ id: '500001', projectId: '1002' });
  expect(service.workspace.auditLog('p').at(-1)).toMatchObject({
    action: 'moved',
    details: { context: { fromProjectId: '1001', projectId: '1002' } },
  });
});

test('a deleted project is gone, and may be made again under its id', async () => {
  const { service, get } = await start();
  service.workspace.deleteProject('p', '1002');
  expect(list(await get(PROJECTS), 'projects').map(({ id }) => id)).toEqual(['1001', '1003']);
  expect((await get(`${PROJECTS}/1002/tasks`)).status).toBe(404);
  service.freedoms.tasksOfDeletedProject = 200;
  const empty = await get(`${PROJECTS}/1002/tasks`);
  expect([empty.status, empty.body.tasks]).toEqual([200, []]);
  expect((await get(`${PROJECTS}/4711/tasks`)).status).toBe(404);
  service.workspace.createProject('p', { name: 'Again' }, { id: '1002' });
  expect(list(await get(PROJECTS), 'projects').map(({ id }) => id)).toEqual(['1001', '1003', '1002']);
  service.workspace.createProject('p', {}, { id: '1004' });
  expect(service.workspace.createProject('p')).toBe('1005');
});

const TYPES: [FieldType, unknown][] = [
  ['text', ''],
  ['single-choice', ''],
  ['multiple-choice', []],
];

test.each(TYPES)(
  'a new %s field appears empty on all records, and vanishes archived',
  async (type, empty) => {
    const { service, get } = await start();
    const { workspace } = service;
    const options = type.endsWith('-choice') ? { options: ['A', 'B'] } : {};
    workspace.addField('p', 'task', { externalId: 'Sign off by', name: 'Sign-off', type, ...options });
    workspace.addField('p', 'project', { externalId: 'sign-off', name: 'Sign-off', type, ...options });
    for (const task of list(await get(TASKS), 'tasks')) expect(task).toHaveProperty('signOffBy', empty);
    for (const project of list(await get(PROJECTS), 'projects'))
      expect(project).toHaveProperty('sign-off', empty);
    workspace.archiveField('p', 'task', 'Sign off by');
    workspace.archiveField('p', 'project', 'sign-off');
    for (const task of list(await get(TASKS), 'tasks')) expect(task).not.toHaveProperty('signOffBy');
    for (const project of list(await get(PROJECTS), 'projects'))
      expect(project).not.toHaveProperty('sign-off');
  },
);

test('a deleted field is in no definition, and its values are gone for good', async () => {
  const { service, get } = await start();
  const { workspace } = service;
  const [project] = workspace.projects('p');
  const [task] = workspace.tasks('p', String(project?.id));
  workspace.updateTask('p', String(project?.id), String(task?.id), { note: 'words' });
  workspace.updateProject('p', String(project?.id), { summary: 'words' });
  workspace.deleteField('p', 'task', 'Note');
  workspace.deleteField('p', 'project', 'summary');
  expect(JSON.stringify(await get('/processes/p/task-custom-fields?includeArchived=true'))).not.toContain(
    'Note',
  );
  for (const one of list(await get(TASKS), 'tasks')) expect(one).not.toHaveProperty('note');
  workspace.addField('p', 'task', { externalId: 'Note', name: 'Note', type: 'text' });
  workspace.addField('p', 'project', { externalId: 'summary', name: 'Summary', type: 'text' });
  for (const one of list(await get(TASKS), 'tasks')) expect(one).toHaveProperty('note', '');
  for (const one of list(await get(PROJECTS), 'projects')) expect(one).toHaveProperty('summary', '');
  expect(() => workspace.deleteField('p', 'task', 'nothing')).toThrow('no task field "nothing"');
});

test('definitions come in groups or as a list; archived task fields only when asked for', async () => {
  const { service, get } = await start();
  const path = '/processes/p/task-custom-fields';
  service.workspace.updateTask('p', '1001', '500001', { note: 'kept' });
  service.workspace.archiveField('p', 'task', 'Note');
  const texts = async (query: string) => JSON.stringify((await get(`${path}${query}`)).body);
  expect(await texts('')).not.toContain('"Note"');
  expect(await texts('?includeArchived=false')).not.toContain('"Note"');
  expect(await texts('?includeArchived=true')).toContain(
    '"externalId":"Note","name":"Note","type":"text","archived":true',
  );
  expect((await get(path)).body.groups).toMatchObject([{ name: 'Main', fields: expect.any(Array) }]);
  service.freedoms.definitionShape = 'list';
  const phase = { externalId: 'phase', type: 'single-choice', options: ['Plan', 'Build', 'Run'] };
  expect((await get('/processes/p/coverpage')).body.fields).toEqual(
    expect.arrayContaining([expect.objectContaining(phase)]),
  );
  service.workspace.unarchiveField('p', 'task', 'Note');
  expect(list(await get(TASKS), 'tasks')[0]?.note).toBe('kept');
});

test('a renamed field keeps its property; a renamed choice changes wherever it was chosen', async () => {
  const { service, clock, get } = await start();
  const { workspace } = service;
  workspace.updateTask('p', '1001', '500001', { 'risk-level': 'High', involvedTeams: ['Legal', 'Sales'] });
  clock.advance(1000);
  workspace.renameField('p', 'task', 'risk-level', 'Danger');
  workspace.renameChoice('p', 'task', 'risk-level', 'High', 'Severe');
  workspace.renameChoice('p', 'task', 'Involved teams', 'Legal', 'Law');
  const [changed, other] = list(await get(TASKS), 'tasks');
  const updatedAt = new Date(clock()).toISOString();
  expect(changed).toMatchObject({ 'risk-level': 'Severe', involvedTeams: ['Law', 'Sales'], updatedAt });
  expect(other?.updatedAt).not.toBe(updatedAt);
  const renamed = workspace.fields('p', 'task').find(({ externalId }) => externalId === 'risk-level');
  expect(renamed).toMatchObject({ name: 'Danger', options: ['Low', 'Medium', 'Severe'] });
  expect(() => workspace.renameChoice('p', 'task', 'risk-level', 'High', 'X')).toThrow('its options are');
});

test('a field whose property is taken, or whose options do not fit its type, is refused', async () => {
  const { workspace } = (await start()).service;
  const add = (externalId: string, type: FieldType = 'text', options: string[] = []) =>
    workspace.addField('p', 'task', { externalId, name: 'X', type, options });
  expect(() => add('Due Date')).toThrow('already has a task property "dueDate"');
  expect(() => add('Status')).toThrow('"status"');
  expect(() => add('Choice', 'single-choice')).toThrow('choice fields need options');
  expect(() => add('Text', 'text', ['A'])).toThrow('other fields must not have them');
  workspace.updateTask('p', '1001', '500001', { mood: 'good' });
  expect(() => add('Mood')).toThrow('"mood"');
});
