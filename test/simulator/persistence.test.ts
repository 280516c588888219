import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { believableWorkspace } from '../../simulator/believable/generate.ts';
import { loadWorkspace, parseWorkspace, serializeWorkspace } from '../../simulator/persistence.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { list, NOW, start } from '../kit/simulator.ts';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'simulated-service-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('a workspace survives being written and read', () => {
  const workspace = believableWorkspace(3, NOW);
  expect(parseWorkspace(serializeWorkspace(workspace))).toEqual(workspace);
});

test('a restarted service goes on with the state it had, and takes no other', async () => {
  const file = join(directory(), 'deep', 'state.json');
  const { service, get } = await start({ file });
  service.workspace.updateProject('p', '1001', { owner: null, regions: ['North'] });
  service.workspace.deleteProject('p', '1002');
  service.workspace.addField('p', 'task', { externalId: 'Later', name: 'Later', type: 'text' });
  const made = service.workspace.createTask('p', '1003', { name: 'Made' });
  const before = await get('/processes/p/projects');
  await service.stop();
  const again = await start({ file });
  expect(again.service.workspace.state).toEqual(service.workspace.state);
  expect((await again.get('/processes/p/projects')).body).toEqual(before.body);
  expect(again.service.workspace.createTask('p', '1003')).toBe(String(Number(made) + 1));
  expect((await again.get('/processes/p/projects/1002/tasks')).status).toBe(404);
});

test('an edit that can’t be persisted is refused and not to be seen', async () => {
  const file = join(directory(), 'state.json');
  const { service, get } = await start({ file });
  mkdirSync(`${file}.new`);
  expect(() => service.workspace.updateProject('p', '1001', { name: 'Lost' })).toThrow('EISDIR');
  expect(list(await get('/processes/p/projects'), 'projects')[0]?.name).toBe('Project 1');
});

test('a state file that is not ours is named in the error', async () => {
  const file = join(directory(), 'state.json');
  writeFileSync(file, '{"version":99,"processes":[]}');
  expect(() => loadWorkspace(file)).toThrow(`cannot read its state file ${file}; delete it`);
  writeFileSync(file, '{');
  await expect(startSimulatedService({ file })).rejects.toThrow('delete it to begin');
  expect(loadWorkspace(join(directory(), 'none.json'))).toBeUndefined();
});

const CHILD = `
  import { buildWorkspace, startSimulatedService } from './simulator/server.ts';
  const workspace = buildWorkspace({ processes: [{ id: 'p', projects: 20, tasksPerProject: 20 }] });
  const service = await startSimulatedService({ file: process.argv[1], workspace });
  for (let count = 1; ; count += 1) {
    service.workspace.updateProject('p', '1001', { count });
    process.stdout.write(service.workspace.projects('p')[0].count + '\\n');
    await new Promise(setImmediate);
  }`;

test('kill -9 loses no edit that was to be seen', async () => {
  const file = join(directory(), 'state.json');
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const closed = once(child, 'close');
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      seen = Number(line);
      if (seen === 40 + round * 7) child.kill('SIGKILL');
    }
    await closed;
    const state = loadWorkspace(file);
    expect(state?.processes.get('p')?.projects.get('1001')?.fields.count).toBeGreaterThanOrEqual(seen);
  }
  expect(readFileSync(file, 'utf8').startsWith('{"version":1')).toBe(true);
});
