import { expect, onTestFinished, test } from 'vitest';
import { buildWorkspace } from '../../simulator/build.ts';
import { changeOnce } from '../../simulator/changing/change-once.ts';
import { propertyOf } from '../../simulator/data/properties.ts';
import { seededRandom } from '../../simulator/data/random.ts';
import { fieldsOf, SYSTEM } from '../../simulator/data/workspace.ts';
import { startChanging, startSimulatedService } from '../../simulator/server.ts';
import { manualClock } from '../kit/simulator.ts';

async function believable(options = {}) {
  const clock = manualClock();
  const service = await startSimulatedService({ clock, seed: 9, ...options });
  onTestFinished(() => service.stop());
  return { workspace: service.workspace, clock };
}

test('over a long time every kind of edit happens, by all users, mostly by a task’s assignee, some by two people and some by the system; the workspace keeps its size, and open projects', async () => {
  const { workspace, clock } = await believable();
  const random = seededRandom(2);
  for (let turn = 0; turn < 6000; turn += 1) {
    clock.advance(60_000);
    expect(changeOnce(workspace, random, clock())).toBe(true);
  }
  const processes = [...workspace.state.processes.values()];
  for (const { projects } of processes) {
    expect(projects.size).toBeGreaterThanOrEqual(28);
    expect(projects.size).toBeLessThanOrEqual(34);
    const open = [...projects.values()].filter(({ fields }) => fields.state !== 'Completed');
    expect(open.length).toBeGreaterThan(25);
  }
  const entries = processes.flatMap(({ audit }) => audit);
  const kinds = new Set(entries.map(({ entity, action }) => `${entity.type} ${action}`));
  const actions = ['created', 'deleted', 'updated'];
  expect([...kinds].toSorted()).toEqual(
    ['project', 'task'].flatMap(type => actions.map(action => `${type} ${action}`)),
  );
  const properties = new Set(entries.flatMap(({ details }) => (details.properties as string[]) ?? []));
  for (const kind of ['project', 'task'] as const) {
    const fields = processes.flatMap(process => fieldsOf(process, kind));
    for (const { externalId } of fields) expect(properties).toContain(propertyOf(kind, externalId));
  }
  for (const property of ['status', 'assignee', 'state']) expect(properties).toContain(property);

  const editors = entries.map(({ user }) => [user].flat());
  const users = workspace.state.users.map(({ id }) => id);
  expect([...new Set(editors.flat())].toSorted()).toEqual([...users, SYSTEM]);
  expect(editors.filter(({ length }) => length === 2).length).toBeGreaterThan(40);
  const ofOwned = entries.filter(({ action, entity }) => action === 'updated' && entity.assignee);
  const own = ofOwned.filter(({ user, entity }) => user === (entity.assignee as { id: string }).id);
  expect(own.length / ofOwned.length).toBeGreaterThan(0.4);
});

test('the same numbers make the same edits', async () => {
  const made = async () => {
    const { workspace, clock } = await believable();
    const random = seededRandom(3);
    for (let turn = 0; turn < 50; turn += 1) changeOnce(workspace, random, clock());
    return workspace.state;
  };
  expect(await made()).toEqual(await made());
});

test('where all is done, the next edit plans a project, and none is cleared away below the least', async () => {
  for (let seed = 0; seed < 12; seed += 1) {
    const processes = [{ id: 'launch', projects: 28, tasksPerProject: 0 }];
    const { workspace, clock } = await believable({ workspace: buildWorkspace({ processes }) });
    for (const { id } of workspace.projects('launch'))
      workspace.updateProject('launch', String(id), { state: 'Completed' });
    changeOnce(workspace, seededRandom(seed), clock());
    expect(workspace.projects('launch')).toHaveLength(29);
  }
});

test('the driver edits until it is stopped, and tells what fails', async () => {
  const { workspace } = await believable();
  const before = workspace.state.counters.seq;
  const driver = startChanging({ workspace }, { every: 2, random: seededRandom(5) });
  onTestFinished(() => driver.stop());
  await expect.poll(() => workspace.state.counters.seq).toBeGreaterThan(before + 5);
  driver.stop();
  const stopped = workspace.state;
  const errors: unknown[] = [];
  const broken = {
    get workspace(): never {
      throw new Error('gone');
    },
  };
  const failing = startChanging(broken, { every: 2, onError: error => errors.push(error) });
  onTestFinished(() => failing.stop());
  await expect.poll(() => errors.length).toBeGreaterThan(10);
  expect(workspace.state).toBe(stopped);
});
