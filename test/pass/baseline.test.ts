import { describe, expect, it } from 'vitest';
import { ServiceStatusError } from '../../functions/service/errors.ts';
import { isTasksOf, openStage } from '../support/stage.ts';
import { applyEvents, servedState, snapshotState } from '../support/told.ts';
import { PROCESS, type World } from '../support/world.ts';

const stage = openStage();
const { told } = stage;
let world: World;
const refuse = (id: string, status = 403, times = 1_000) =>
  world.service.fail({ when: isTasksOf(id), times, fault: { status } });
const state = () => world.snapshots.readState(world.process);
const skipped = async () => (await state()).skipped;
const isBaselined = async () => (await state()).baselined;
const DONE = { mode: 'baseline', outcome: 'completed' };

/** Runs that each fail with these projects. */
async function runsFailing(runs: number, message: RegExp): Promise<void> {
  for (let run = 0; run < runs; run++) await expect(world.later()).rejects.toThrow(message);
}

describe('a baseline', () => {
  const asked = () =>
    world.service.requests.flatMap(({ path }) => path.match(/\/processes\/onboarding\/([^?]*)/)?.[1] ?? []);

  it('asks for each thing once, though it takes several runs: only its list of projects is read in each', async () => {
    world = await stage.create({ projects: 4, settings: { concurrency: 1 } });
    const slow = world.poller({ onProgress: () => world.pass(200) });
    expect(await world.run('changes', { poll: slow, remaining: 700 })).toMatchObject({
      outcome: 'unfinished',
    });
    expect(asked().filter(path => path === 'projects')).toHaveLength(1);
    expect(await world.later()).toMatchObject(DONE);
    const tasks = ['1001', '1002', '1003', '1004'].map(id => `projects/${id}/tasks`);
    expect(
      asked()
        .filter(path => !/coverpage|fields/.test(path))
        .sort(),
    ).toEqual(['auditlog', 'projects', 'projects', ...tasks]);
  });

  it('whose end could not be saved is not completed', async () => {
    world = await stage.create();
    const poll = world.poller({ snapshots: { ...world.snapshots, finish: async () => false } });
    expect(await world.run('changes', { poll })).toMatchObject({ outcome: 'unfinished', projects: 3 });
    expect(await isBaselined()).toBe(false);
    expect(await world.later()).toMatchObject(DONE);
  });
});

describe('a project that can not be read in a baseline', () => {
  it('holds up only the end of it, and is not told as created once it can', async () => {
    world = await stage.create({ projects: 6 });
    const refused = refuse('1002');
    await runsFailing(
      4,
      /1 project\(s\) can not be read.*1002.*403.* waits for them: this is run [1-4] of 5/,
    );
    expect((await Array.fromAsync(world.snapshots.projectIds(world.process))).sort()).toHaveLength(5);
    expect(await isBaselined()).toBe(false);
    refused.cancel();
    expect(await world.later()).toMatchObject(DONE);
    await world.later();
    await world.later('sweep');
    expect(await told()).toEqual([]);
  });

  it('is what the failure of the run rests on', async () => {
    world = await stage.create({ projects: 6 });
    refuse('1002');
    await expect(world.run()).rejects.toMatchObject({
      message: expect.stringMatching(/1002.* behind which it ends without them\.$/),
      cause: expect.any(ServiceStatusError),
    });
  });

  it('is left out when it can not be read in five runs: all others are told', async () => {
    world = await stage.create({ projects: 6 });
    refuse('1002');
    refuse('1004', 500);
    await runsFailing(4, /2 project/);
    expect(await world.later()).toMatchObject(DONE);
    expect(await skipped()).toMatchObject([
      { id: '1002', since: 0, reason: expect.stringMatching(/403/), told: false },
      { id: '1004', since: 0, reason: expect.stringMatching(/500/), told: false },
    ]);
    const warned = world.said.filter(({ message }) => /^The baseline ends without a project/.test(message));
    expect(warned.map(({ level, details }) => [level, details])).toEqual(
      ['1002', '1004'].map(projectId => [
        'warn',
        { ...world.process, projectId, reason: expect.stringMatching(/status/) },
      ]),
    );
    expect(await told()).toEqual([]);
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await world.later();
    await world.later();
    expect(await told()).toEqual([
      'project.updated 1001 budget: "" → "1"',
      'source.skipped 1002',
      'source.skipped 1004',
    ]);
  });

  it('invariant 2: is told as created once it can, at a time that nobody knows, though nobody edits it', async () => {
    world = await stage.create({ projects: 6 });
    const refused = refuse('1002');
    await runsFailing(4, /1002/);
    await world.later();
    const baseline = await snapshotState(world.snapshots, world.process);
    expect(Object.keys(baseline as object)).not.toContain('1002');
    await world.later('changes', 30 * 86_400_000);
    const made = world.edit.createProject(PROCESS, { name: 'New' });
    const began = (await state()).sweptAt;
    refused.cancel();
    await world.later();
    const created = (await world.events()).filter(({ type }) => type.endsWith('.created'));
    const never = new Date(0).toISOString();
    expect(created.map(({ type, data }) => [type, 'observed' in data && data.observed.after])).toEqual([
      ['project.created', never],
      ['task.created', never],
      ['task.created', never],
      ['project.created', new Date(began).toISOString()],
    ]);
    expect(await skipped()).toEqual([]);
    const served = servedState(world.edit, PROCESS);
    expect(Object.keys(served)).toContain(made);
    expect(applyEvents(baseline, await world.events())).toEqual(served);
  });

  it('invariant 2: is told so by a sweep, too', async () => {
    world = await stage.create({ projects: 6, tasksPerProject: 0 });
    const refused = refuse('1002');
    await runsFailing(4, /1002/);
    await world.later();
    refused.cancel();
    await world.later('sweep');
    const [event] = await world.events();
    expect(event).toMatchObject({
      type: 'project.created',
      data: { observed: { after: new Date(0).toISOString() } },
    });
    await world.later();
    expect(await skipped()).toEqual([]);
    expect(await told()).toHaveLength(1);
  });

  it('is forgotten when it is deleted before anybody could read it', async () => {
    world = await stage.create({ projects: 6 });
    const refused = refuse('1002');
    await runsFailing(4, /1002/);
    await world.later();
    world.edit.deleteProject(PROCESS, '1002');
    refused.cancel();
    await world.later();
    await world.later('sweep');
    expect(await skipped()).toEqual([]);
    expect(await told()).toEqual([]);
  });

  it('costs one request in each pass while it is left out', async () => {
    world = await stage.create({ projects: 6 });
    refuse('1002');
    await runsFailing(4, /1002/);
    for (let pass = 0; pass < 3; pass++) await world.later('changes', 600_000);
    const before = world.service.requests.length;
    await world.later('changes', 2_000);
    const asked = world.service.requests.slice(before).map(({ path }) => path.replace(/\?.*/, ''));
    expect(asked.filter(path => path.includes('/processes/')).map(path => path.split('/').at(-1))).toEqual([
      'projects',
      'auditlog',
      'tasks',
    ]);
  });
});

describe('too many projects that can not be read in a baseline', () => {
  it('are an outage: the baseline waits for them, however long', async () => {
    world = await stage.create({ projects: 14 });
    const refusals = Array.from({ length: 11 }, (_, index) => refuse(String(1001 + index)));
    await runsFailing(8, /11 project\(s\) can not be read or committed. The first:(?!.* of 5)/);
    expect(await isBaselined()).toBe(false);
    for (const { cancel } of refusals) cancel();
    expect(await world.later()).toMatchObject(DONE);
    expect(await skipped()).toEqual([]);
  });
});
