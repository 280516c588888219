import { expect, test } from 'vitest';
import type { FieldType } from '../../simulator/data/workspace.ts';
import { PROJECTS, start } from '../kit/simulator.ts';

test('custom fields are flat properties in wire format, empty ones included', async () => {
  const { projects, tasks } = await start();
  const empty = { summary: '', budget: '', startDate: '', phase: '', regions: [] };
  expect((await projects())[0]).toMatchObject({ id: '1001', name: 'Project 1', ...empty });
  const emptyTask = { note: '', effortHours: '', dueDate: '', 'risk-level': '', involvedTeams: [] };
  expect((await tasks())[0]).toMatchObject({ id: '500001', projectId: '1001', ...emptyTask });
});

test('each edit of a value is served, and moves the update time', async () => {
  const { edit, clock, projects, tasks } = await start();
  clock.advance(5000);
  const updatedAt = new Date(clock()).toISOString();
  const plan = { summary: 'S', budget: '12.50', startDate: '2026-07-01', phase: 'Build' };
  const values = { ...plan, regions: ['South', 'East'], custom: { nested: [1, null, true] } };
  edit.updateProject('p', '1002', values);
  const [other, project] = await projects();
  expect(project).toMatchObject({ ...values, updatedAt });
  expect(other?.updatedAt).not.toBe(updatedAt);
  const taskPlan = { note: 'N', effortHours: '3', dueDate: '2026-08-01', 'risk-level': 'High' };
  const taskValues = { ...taskPlan, involvedTeams: ['Legal'] };
  edit.updateTask('p', '1001', '500002', taskValues);
  expect((await tasks())[1]).toMatchObject({ ...taskValues, updatedAt });
  expect((await projects())[0]?.updatedAt).toBe(updatedAt);
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
  const { edit } = await start();
  const before = edit.state;
  expect(() => edit.updateProject('p', '1001', properties)).toThrow(message);
  expect(edit.state).toBe(before);
});

test('a task moves from one project to another', async () => {
  const { edit, tasks } = await start();
  edit.moveTask('p', '1001', '500001', '1002');
  expect(await tasks()).toHaveLength(3);
  expect(edit.tasks('p', '1002').at(-1)).toMatchObject({ id: '500001', projectId: '1002' });
  const context = { fromProjectId: '1001', projectId: '1002' };
  expect(edit.auditLog('p').at(-1)).toMatchObject({ action: 'moved', details: { context } });
});

test('a deleted project is gone, and may be made again under its id', async () => {
  const { edit, freedoms, get, status, projects } = await start();
  const ids = async () => (await projects()).map(({ id }) => id);
  edit.deleteProject('p', '1002');
  expect(await ids()).toEqual(['1001', '1003']);
  expect(await status(`${PROJECTS}/1002/tasks`)).toBe(404);
  freedoms.tasksOfDeletedProject = 200;
  expect(await get(`${PROJECTS}/1002/tasks`)).toMatchObject({ status: 200, body: { tasks: [] } });
  expect(await status(`${PROJECTS}/4711/tasks`)).toBe(404);
  edit.createProject('p', { name: 'Again' }, { id: '1002' });
  expect(await ids()).toEqual(['1001', '1003', '1002']);
  edit.createProject('p', {}, { id: '1004' });
  expect(edit.createProject('p')).toBe('1005');
});

test.each<[FieldType, unknown]>([
  ['text', ''],
  ['single-choice', ''],
  ['multiple-choice', []],
])('a new %s field appears empty on all records, and vanishes archived', async (type, empty) => {
  const { edit, projects, tasks } = await start();
  const field = { name: 'Sign-off', type, options: type === 'text' ? [] : ['A', 'B'] };
  edit.addField('p', 'task', { ...field, externalId: 'Sign off by' });
  edit.addField('p', 'project', { ...field, externalId: 'sign-off' });
  for (const task of await tasks()) expect(task).toHaveProperty('signOffBy', empty);
  for (const project of await projects()) expect(project).toHaveProperty('sign-off', empty);
  edit.archiveField('p', 'task', 'Sign off by');
  edit.archiveField('p', 'project', 'sign-off');
  for (const task of await tasks()) expect(task).not.toHaveProperty('signOffBy');
  for (const project of await projects()) expect(project).not.toHaveProperty('sign-off');
});

test('a deleted field is in no definition, and its values are gone for good', async () => {
  const { edit, get, projects, tasks } = await start();
  edit.updateTask('p', '1001', '500001', { note: 'words' });
  edit.updateProject('p', '1001', { summary: 'words' });
  edit.deleteField('p', 'task', 'Note');
  edit.deleteField('p', 'project', 'summary');
  const definitions = await get('/processes/p/task-custom-fields?includeArchived=true');
  expect(JSON.stringify(definitions.body)).not.toContain('Note');
  for (const task of await tasks()) expect(task).not.toHaveProperty('note');
  edit.addField('p', 'task', { externalId: 'Note', name: 'Note', type: 'text' });
  edit.addField('p', 'project', { externalId: 'summary', name: 'Summary', type: 'text' });
  for (const task of await tasks()) expect(task).toHaveProperty('note', '');
  for (const project of await projects()) expect(project).toHaveProperty('summary', '');
  expect(() => edit.deleteField('p', 'task', 'nothing')).toThrow('no task field "nothing"');
});

test('definitions come in groups or as a list; archived task fields only when asked for', async () => {
  const { edit, freedoms, get, tasks } = await start();
  const path = '/processes/p/task-custom-fields';
  edit.updateTask('p', '1001', '500001', { note: 'kept' });
  edit.archiveField('p', 'task', 'Note');
  const texts = async (query: string) => JSON.stringify((await get(`${path}${query}`)).body);
  expect(await texts('')).not.toContain('"Note"');
  expect(await texts('?includeArchived=false')).not.toContain('"Note"');
  const archived = '"externalId":"Note","name":"Note","type":"text","archived":true';
  expect(await texts('?includeArchived=true')).toContain(archived);
  expect((await get(path)).body.groups).toMatchObject([{ name: 'Main', fields: expect.any(Array) }]);
  freedoms.definitionShape = 'list';
  const phase = { externalId: 'phase', type: 'single-choice', options: ['Plan', 'Build', 'Run'] };
  expect((await get('/processes/p/coverpage')).body.fields).toContainEqual(expect.objectContaining(phase));
  edit.unarchiveField('p', 'task', 'Note');
  expect((await tasks())[0]?.note).toBe('kept');
});

test('a renamed field keeps its property; a renamed choice changes wherever it was chosen', async () => {
  const { edit, clock, tasks } = await start();
  edit.updateTask('p', '1001', '500001', { 'risk-level': 'High', involvedTeams: ['Legal', 'Sales'] });
  clock.advance(1000);
  edit.renameField('p', 'task', 'risk-level', 'Danger');
  edit.renameChoice('p', 'task', 'risk-level', 'High', 'Severe');
  edit.renameChoice('p', 'task', 'Involved teams', 'Legal', 'Law');
  const [changed, other] = await tasks();
  const updatedAt = new Date(clock()).toISOString();
  expect(changed).toMatchObject({ 'risk-level': 'Severe', involvedTeams: ['Law', 'Sales'], updatedAt });
  expect(other?.updatedAt).not.toBe(updatedAt);
  const renamed = { externalId: 'risk-level', name: 'Danger', options: ['Low', 'Medium', 'Severe'] };
  expect(edit.fields('p', 'task')).toContainEqual(expect.objectContaining(renamed));
  expect(() => edit.renameChoice('p', 'task', 'risk-level', 'High', 'X')).toThrow('its options are');
});

test.each<[string, externalId: string, type: FieldType, options: string[], message: string]>([
  ['whose property a field has', 'Due Date', 'text', [], 'already has a task property "dueDate"'],
  ['whose property the service writes', 'Status', 'text', [], '"status"'],
  ['whose property a record has', 'Mood', 'text', [], '"mood"'],
  ['of choices without options', 'Choice', 'single-choice', [], 'choice fields need options'],
  ['of texts with options', 'Text', 'text', ['A'], 'other fields must not have them'],
])('a new field %s is refused', async (_what, externalId, type, options, message) => {
  const { edit } = await start();
  edit.updateTask('p', '1001', '500001', { mood: 'good' });
  const add = () => edit.addField('p', 'task', { externalId, name: 'X', type, options });
  expect(add).toThrow(message);
});
