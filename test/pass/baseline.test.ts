import { describe, expect, it } from 'vitest';
import { ServiceStatusError } from '../../functions/service/errors.ts';
import { owedIn } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { applyEvents, servedState, snapshotState } from '../kit/told.ts';
import { PROCESS, type World } from '../kit/world.ts';

const stage = openStage();
const { told } = stage;
let world: World;
const refuse = (id: string, status = 403, times = 1_000) =>
  world.service.fail({ when: isTasksOf(id), times, fault: { status } });
const state = () => world.snapshots.readState(world.process);
const owed = () => owedIn(world);
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

describe('a project that cannot be read in a baseline', () => {
  it('is what the failure of the run rests on', async () => {
    world = await stage.create({ projects: 6 });
    refuse('1002');
    await expect(world.run()).rejects.toMatchObject({
      message: expect.stringMatching(/1002.* and then does without\.$/),
      cause: expect.any(ServiceStatusError),
    });
  });

  it('is not told as skipped, though it fails again in a run after a clock that was set back', async () => {
    world = await stage.create({ projects: 6, settings: { concurrency: 1 } });
    refuse('1004');
    const slow = world.poller({ onProgress: () => world.pass(200) });
    expect(await world.run('changes', { poll: slow, remaining: 700 })).toMatchObject({
      outcome: 'unfinished',
    });
    // Now the project seems to have failed before the baseline began.
    world.pass(-3_600_000);
    await runsFailing(3, /1 project\(s\) cannot be read.*1004.*403/);
    expect(await told()).toEqual([]);
    expect(await owed()).toMatchObject([{ id: '1004', cause: 'unreadable', isReported: false }]);
  });

  it('is left out when it cannot be read for five minutes: all others are told', async () => {
    world = await stage.create({ projects: 6 });
    refuse('1002');
    refuse('1004', 500);
    await runsFailing(5, /2 project/);
    expect(await world.later()).toMatchObject(DONE);
    expect(await owed()).toMatchObject([
      { id: '1002', since: 0, reason: expect.stringMatching(/403/), isReported: false },
      { id: '1004', since: 0, reason: expect.stringMatching(/500/), isReported: false },
    ]);
    const warned = world.said.filter(({ message }) => /^The baseline ends without a project/.test(message));
    expect(warned.map(({ level, details }) => [level, details])).toEqual(
      ['1002', '1004'].map(projectId => [
        'warn',
        {
          ...world.process,
          ...{ code: 'baseline.project-left-out', projectId, reason: expect.stringMatching(/status/) },
        },
      ]),
    );
    expect(world.said.filter(({ message }) => message.includes('passed over'))).toEqual([]);
    expect(await told()).toEqual([]);
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await world.later();
    await world.later();
    // The project and what is told of the source are two keys, which have no order between them.
    expect((await told()).sort()).toEqual([
      'project.updated 1001 budget: "" → "1"',
      'source.skipped 1002',
      'source.skipped 1004',
    ]);
  });

  it('invariant 2: is told as created once it can, at a time that nobody knows, though nobody edits it', async () => {
    world = await stage.create({ projects: 6 });
    const refused = refuse('1002');
    await runsFailing(5, /1002/);
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
    expect(await owed()).toEqual([]);
    const served = servedState(world.edit, PROCESS);
    expect(Object.keys(served)).toContain(made);
    expect(applyEvents(baseline, await world.events())).toEqual(served);
  });
});
