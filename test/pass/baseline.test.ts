import { describe, expect, it } from 'vitest';
import { ServiceStatusError } from '../../functions/service/errors.ts';
import { isWholeListing } from '../kit/hide.ts';
import { knownIn, owedIn } from '../kit/owed.ts';
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
  it('holds up only the end of it, and is not told as created once it can', async () => {
    world = await stage.create({ projects: 6 });
    const refused = refuse('1002');
    await runsFailing(4, /1 project\(s\) cannot be read.*1002.*403.*\. The baseline waits 5 minutes/);
    expect((await knownIn(world)).sort()).toHaveLength(5);
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

  it('invariant 2: is told so by a sweep, too', async () => {
    world = await stage.create({ projects: 6, tasksPerProject: 0 });
    const refused = refuse('1002');
    await runsFailing(5, /1002/);
    await world.later();
    refused.cancel();
    await world.later('sweep');
    const [event] = await world.events();
    expect(event).toMatchObject({
      type: 'project.created',
      data: { observed: { after: new Date(0).toISOString() } },
    });
    await world.later();
    expect(await owed()).toEqual([]);
    expect(await told()).toHaveLength(1);
  });

  it('is forgotten when it is deleted before anybody could read it', async () => {
    world = await stage.create({ projects: 6 });
    const refused = refuse('1002');
    await runsFailing(5, /1002/);
    await world.later();
    world.edit.deleteProject(PROCESS, '1002');
    refused.cancel();
    await world.later();
    await world.later('sweep');
    expect(await owed()).toEqual([]);
    expect(await told()).toEqual([]);
  });

  it('costs one request in each pass while it is left out', async () => {
    world = await stage.create({ projects: 6 });
    refuse('1002');
    await runsFailing(5, /1002/);
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

describe('too many projects that cannot be read in a baseline', () => {
  it('are an outage: the baseline waits for them, however long', async () => {
    world = await stage.create({ projects: 14 });
    const refusals = Array.from({ length: 11 }, (_, index) => refuse(String(1001 + index)));
    await runsFailing(8, /11 project\(s\) cannot be read or committed. The first:(?!.*5 minutes)/);
    expect(await isBaselined()).toBe(false);
    for (const { cancel } of refusals) cancel();
    expect(await world.later()).toMatchObject(DONE);
    expect(await owed()).toEqual([]);
  });
});

describe('a baseline of a process of which no project can be read', () => {
  it('does not end: that is a permission that is lacking', async () => {
    world = await stage.create({ projects: 2 });
    const refusals = ['1001', '1002'].map(id => refuse(id));
    await runsFailing(8, /2 project\(s\) cannot be read or committed. The first:(?!.*5 minutes)/);
    for (const { cancel } of refusals) cancel();
    expect(await world.later()).toMatchObject(DONE);
  });
});

describe('a baseline in short intervals', () => {
  it('waits just as long', async () => {
    world = await stage.create({ projects: 6 });
    refuse('1002');
    for (let run = 0; run < 150; run++) await expect(world.later('changes', 2_000)).rejects.toThrow('1002');
    expect(await world.later('changes', 2_000)).toMatchObject(DONE);
  });
});

describe('task lists that are missing in a baseline', () => {
  it('invariant 2: count for each project by itself: one that was refused before has to be missing twice, too', async () => {
    world = await stage.create({ projects: 6 });
    refuse('1005', 404);
    const refused = refuse('1002', 500);
    await runsFailing(2, /1002.*status 500/);
    refused.cancel();
    const missing = refuse('1002', 404);
    await runsFailing(1, /^1 project\(s\) cannot be read\. The first, 1002: .*answers 404/);
    missing.cancel();
    expect(await world.later()).toMatchObject(DONE);
    await world.later('sweep');
    expect(await told()).toEqual([]);
  });

  it('and then refused, count as refused', async () => {
    world = await stage.create({ projects: 6 });
    let asked = 0;
    const isOdd = () => ++asked % 2 === 1;
    world.service.fail({ when: r => isTasksOf('1002')(r) && isOdd(), times: 100, fault: { status: 404 } });
    refuse('1002');
    await runsFailing(5, /1002.*403.*waits 5 minutes/);
    expect(await world.later()).toMatchObject(DONE);
    expect((await owed()).map(({ id }) => id)).toEqual(['1002']);
  });
});

describe('a baseline that looks for missing task lists again', () => {
  it('fails when the service then refuses everybody: that is no project’s own failure', async () => {
    world = await stage.create({ projects: 3 });
    refuse('1002', 404, 1);
    const refused = refuse('1002', 429);
    await runsFailing(1, /1002.*status 429(?!.*5 minutes)/);
    refused.cancel();
    expect(await world.later()).toMatchObject(DONE);
  });

  it('ends at last, though each of its runs meets a new one', async () => {
    world = await stage.create({ projects: 3, tasksPerProject: 0 });
    const made: string[] = [];
    for (let run = 0; run < 6; run++) {
      made.push(world.edit.createProject(PROCESS, { name: 'New' }));
      refuse(made.at(-1) ?? '', 404);
      await world.later().catch(() => undefined);
    }
    expect(await isBaselined()).toBe(true);
    expect(await owed()).toMatchObject([{ id: made.at(-1), cause: 'no-task-list' }]);
    await world.later();
    expect(await told()).toEqual([`project.created ${made.at(-1)}`]);
    expect(await owed()).toEqual([]);
  });

  it('owes all of them a look, when it has waited long enough', async () => {
    world = await stage.create({ projects: 3, tasksPerProject: 0 });
    refuse('1001');
    await runsFailing(1, /1001/);
    for (let made = 0; made < 120; made++) refuse(world.edit.createProject(PROCESS, { name: 'New' }), 404);
    expect(await world.later('changes', 300_000)).toMatchObject(DONE);
    const ids = (await owed()).map(({ id }) => id);
    expect([ids.length, ids[0], ids[1]]).toEqual([121, '1001', '1004']);
  });

  it('takes a thousand of them in the next run', async () => {
    world = await stage.create({ projects: 1_001, tasksPerProject: 0 });
    world.service.fail({
      when: ({ path }) => path.includes('/tasks'),
      times: 100_000,
      fault: { status: 404 },
    });
    await runsFailing(1, /^1001 project/);
    expect(await world.later()).toMatchObject(DONE);
  });
});

describe('a project that was left out of a baseline', () => {
  const leaveOut = async () => {
    world = await stage.create({ projects: 6 });
    const refused = refuse('1002');
    await runsFailing(5, /1002/);
    await world.later();
    return refused;
  };

  it('is forgotten when it is deleted, though its task list is still refused', async () => {
    await leaveOut();
    world.edit.deleteProject(PROCESS, '1002');
    await world.later('changes', 600_000);
    expect((await owed()).map(({ id }) => id)).toEqual(['1002']);
    await world.later('sweep', 600_000);
    expect(await owed()).toEqual([]);
    expect((await told()).filter(line => !line.startsWith('source.'))).toEqual([]);
  });

  it('stays skipped when a sweep, too, is refused, or when its listing is cut short', async () => {
    await leaveOut();
    await world.later('sweep', 600_000);
    expect((await owed()).map(({ id }) => id)).toEqual(['1002']);
  });

  it('and that a sweep told is asked for since no time before 1970', async () => {
    const refused = await leaveOut();
    refused.cancel();
    await world.later('sweep', 600_000);
    world.service.clearRequests();
    await world.later('changes', 600_000);
    expect(world.service.requests.filter(({ path }) => path.includes('1969'))).toEqual([]);
    expect(await owed()).toEqual([]);
  });

  it('invariant 6: costs no listing of all beside one whose task list is missing', async () => {
    await leaveOut();
    await world.later('changes', 600_000);
    refuse('1003', 404);
    world.edit.updateTask(PROCESS, '1003', '500005', { status: 'Done' });
    await world.later();
    world.service.clearRequests();
    for (let pass = 0; pass < 3; pass++) await world.later('changes', 600_000);
    expect(world.service.requests.filter(isWholeListing)).toEqual([]);
    expect((await owed()).map(({ id }) => id)).toEqual(['1002', '1003']);
  });
});
