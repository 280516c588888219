import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { believableWorkspace } from '../../simulator/believable/generate.ts';
import { loadWorkspace, parseWorkspace, serializeWorkspace } from '../../simulator/persistence.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { NOW, PROJECTS, start } from '../kit/simulator.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

test('a workspace survives being written and read', () => {
  const workspace = believableWorkspace(3, NOW);
  expect(parseWorkspace(serializeWorkspace(workspace))).toEqual(workspace);
});

test('a restarted service goes on with the state it had, and takes no other', async () => {
  const file = join(temporaryDirectory(), 'deep', 'state.json');
  const { service, edit, projects } = await start({ file });
  edit.updateProject('p', '1001', { owner: null, regions: ['North'] });
  edit.deleteProject('p', '1002');
  edit.addField('p', 'task', { externalId: 'Later', name: 'Later', type: 'text' });
  const made = edit.createTask('p', '1003', { name: 'Made' });
  const before = await projects();
  await service.stop();
  const again = await start({ file });
  expect(again.edit.state).toEqual(edit.state);
  expect(await again.projects()).toEqual(before);
  expect(again.edit.createTask('p', '1003')).toBe(String(Number(made) + 1));
  expect(await again.status(`${PROJECTS}/1002/tasks`)).toBe(404);
});

test('an edit that can’t be persisted is refused and not to be seen; one that can is on disk before it is', async () => {
  const file = join(temporaryDirectory(), 'state.json');
  const { edit, projects } = await start({ file });
  edit.updateProject('p', '1001', { name: 'Kept' });
  expect(loadWorkspace(file)).toEqual(edit.state);
  mkdirSync(`${file}.new`);
  expect(() => edit.updateProject('p', '1001', { name: 'Lost' })).toThrow('EISDIR');
  expect((await projects())[0]?.name).toBe('Kept');
});

test('a state file that is not ours is named in the error', async () => {
  const file = join(temporaryDirectory(), 'state.json');
  writeFileSync(file, '{"version":99,"processes":[]}');
  expect(() => loadWorkspace(file)).toThrow(`cannot read its state file ${file}; delete it`);
  writeFileSync(file, '{');
  await expect(startSimulatedService({ file })).rejects.toThrow('delete it to begin');
  expect(loadWorkspace(join(temporaryDirectory(), 'none.json'))).toBeUndefined();
});
