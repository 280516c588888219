import { expect, onTestFinished, test } from 'vitest';
import { buildWorkspace } from '../../simulator/build.ts';
import { changeOnce } from '../../simulator/changing/change-once.ts';
import { seededRandom } from '../../simulator/data/random.ts';
import { SYSTEM } from '../../simulator/data/workspace.ts';
import { startChanging, startSimulatedService } from '../../simulator/server.ts';
import { manualClock } from '../kit/simulator.ts';

async function believable(options = {}) {
  const clock = manualClock();
  const service = await startSimulatedService({ clock, seed: 9, ...options });
  onTestFinished(() => service.stop());
  return { service, clock };
}

test('over a long time every kind of edit happens, and the workspace keeps its size', async () => {
  const { service, clock } = await believable();
  const random = seededRandom(2);
  for (let turn = 0; turn < 6000; turn += 1) {
    clock.advance(60_000);
    expect(changeOnce(service.workspace, random, clock())).toBe(true);
  }
  const kinds = new Set<string>();
  const properties = new Set<unknown>();
  for (const process of service.workspace.state.processes.values()) {
    expect(process.projects.size).toBeGreaterThanOrEqual(28);
    expect(process.projects.size).toBeLessThanOrEqual(34);
    for (const entry of process.audit) {
      kinds.add(`${entry.entity.type} ${entry.action}`);
      for (const property of (entry.details.properties as string[]) ?? []) properties.add(property);
    }
  }
  expect([...kinds].toSorted()).toEqual([
    'project created',
    'project deleted',
    'project updated',
    'task created',
    'task deleted',
    'task updated',
  ]);
  const changed = [
    'status',
    'assignee',
    'dueDate',
    'effortHours',
    'risk-level',
    'involvedTeams',
    'nextStep',
    'state',
  ];
  const onProjects = ['goLiveDate', 'contractValue', 'modules', 'customer-segment', 'nextMilestone'];
  for (const property of [...changed, ...onProjects]) expect(properties).toContain(property);
});

test('edits are made by all users, most of a task by its assignee, some by two people and some by the system', async () => {
  const { service, clock } = await believable();
  const random = seededRandom(6);
  for (let turn = 0; turn < 3000; turn += 1) {
    clock.advance(60_000);
    changeOnce(service.workspace, random, clock());
  }
  const entries = [...service.workspace.state.processes.values()].flatMap(({ audit }) => audit);
  const editors = entries.map(({ user }) => [user].flat());
  const users = service.workspace.state.users.map(({ id }) => id);
  expect([...new Set(editors.flat())].toSorted()).toEqual([...users, SYSTEM]);
  expect(editors.filter(({ length }) => length === 2).length).toBeGreaterThan(20);
  const ofOwned = entries.filter(({ action, entity }) => action === 'updated' && entity.assignee);
  const own = ofOwned.filter(({ user, entity }) => user === (entity.assignee as { id: string }).id);
  expect(own.length / ofOwned.length).toBeGreaterThan(0.4);
});

test('the same numbers make the same edits', async () => {
  const [one, other] = [await believable(), await believable()];
  for (const { service, clock } of [one, other]) {
    const random = seededRandom(3);
    for (let turn = 0; turn < 50; turn += 1) changeOnce(service.workspace, random, clock());
  }
  expect(one.service.workspace.state).toEqual(other.service.workspace.state);
});

test('where all is done, the next edit plans a project, and none is cleared away below the least', async () => {
  for (let seed = 0; seed < 12; seed += 1) {
    const processes = [{ id: 'launch', projects: 28, tasksPerProject: 0 }];
    const { service, clock } = await believable({ workspace: buildWorkspace({ processes }) });
    const { workspace } = service;
    for (const { id } of workspace.projects('launch')) {
      workspace.updateProject('launch', String(id), { state: 'Completed' });
    }
    changeOnce(workspace, seededRandom(seed), clock());
    expect(workspace.projects('launch')).toHaveLength(29);
  }
});

test('the driver edits until it is stopped, and tells what fails', async () => {
  const { service } = await believable();
  const before = service.workspace.state.counters.seq;
  const driver = startChanging(service, { every: 2, random: seededRandom(5) });
  onTestFinished(() => driver.stop());
  await expect.poll(() => service.workspace.state.counters.seq).toBeGreaterThan(before + 5);
  driver.stop();
  const stopped = service.workspace.state;
  const errors: unknown[] = [];
  const broken = {
    get workspace(): never {
      throw new Error('gone');
    },
  };
  const failing = startChanging(broken, { every: 2, onError: error => errors.push(error) });
  onTestFinished(() => failing.stop());
  await expect.poll(() => errors.length).toBeGreaterThan(10);
  expect(service.workspace.state).toBe(stopped);
});
