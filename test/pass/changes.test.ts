import { describe, expect, it } from 'vitest';
import { knownIn } from '../kit/owed.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

/** A world behind its baseline, with nothing left to tell. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create(options);
  expect(await world.run()).toMatchObject({ mode: 'baseline', outcome: 'completed', events: 0 });
  return world;
}
const { told } = stage;

describe('a baseline', () => {
  it('that runs out of time goes on in the next run, and says how far it is', async () => {
    const progress: string[] = [];
    world = await stage.create({ projects: 12, settings: { concurrency: 4 } });
    const slow = world.poller({
      onProgress: ({ mode, done, total }) => {
        progress.push(`${mode} ${done}/${total}`);
        world.clock.now += 200;
      },
    });
    expect(await world.run('changes', { poll: slow, remaining: 1_500 })).toMatchObject({
      outcome: 'unfinished',
    });
    expect(await world.run('changes', { poll: slow })).toMatchObject({
      mode: 'baseline',
      outcome: 'completed',
    });
    expect(progress.at(-1)).toBe('baseline 12/12');
    expect(await knownIn(world)).toHaveLength(12);
  });
});

describe('a changes pass', () => {
  it('tells each changed project and task, and nothing else', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { phase: 'Build' });
    world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Done', 'risk-level': 'High' });
    const project = world.edit.createProject(PROCESS, { name: 'New' });
    const task = world.edit.createTask(PROCESS, project, { name: 'First' });
    world.edit.deleteTask(PROCESS, '1003', '500006');
    expect(await world.later()).toMatchObject({ projects: 4, commits: 4, events: 5 });
    expect((await told()).sort()).toEqual([
      `project.created ${project}`,
      'project.updated 1001 phase: "" → "Build"',
      `task.created ${project}/${task}`,
      'task.deleted 1003/500006',
      'task.updated 1002/500003 risk-level: "" → "High", status: "To do" → "Done"',
    ]);
  });

  it('says honestly when the change was seen: between the last reading of the old and the first of the new', async () => {
    await baselined();
    const baseline = world.clock.now;
    world.clock.now += 90_500;
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await world.later('changes', 30_000);
    const [event] = await world.events();
    const observed = event && 'observed' in event.data ? event.data.observed : undefined;
    expect(observed).toEqual({
      after: new Date(baseline).toISOString(),
      before: new Date(Math.floor(world.clock.now / 1000) * 1000 + 1000).toISOString(),
    });
  });

  it('invariant 5 and 6: over unchanged data makes two requests, and writes no snapshot and no event', async () => {
    await baselined({ projects: 10 });
    await world.later();
    await world.later();
    const versions = () =>
      Promise.all(['1001', '1010'].map(async id => (await world.snapshots.load(world.process, id))?.version));
    const before = await versions();
    world.service.clearRequests();
    expect(await world.later()).toEqual({
      mode: 'changes',
      outcome: 'completed',
      projects: 0,
      commits: 0,
      events: 0,
      idle: expect.objectContaining({ completedAt: world.clock.now }),
    });
    expect(world.service.requests.map(({ path }) => path.replace(/\?.*/, ''))).toEqual([
      `/processes/${PROCESS}/projects`,
      `/processes/${PROCESS}/auditlog`,
    ]);
    expect(await versions()).toEqual(before);
  });

  it('invariant 5: lists a changed project for the whole overlap, but asks for its tasks no more than needed', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await world.later();
    world.service.clearRequests();
    await world.later('changes', 30_000);
    await world.later('changes', 29_000);
    expect(world.service.requests).toHaveLength(4);
    expect(world.service.requests.every(({ path }) => !path.includes('/tasks'))).toBe(true);
  });

  it('tells custom fields by the names and types of today', async () => {
    await baselined();
    world.edit.addField(PROCESS, 'project', {
      externalId: 'late',
      name: 'Added late',
      type: 'multiple-choice',
      options: ['a', 'b'],
    });
    world.edit.updateProject(PROCESS, '1001', { late: ['b'] });
    await world.later();
    const [, event] = await world.events();
    expect(event?.data).toMatchObject({
      changes: [
        {
          field: 'late',
          name: 'Added late',
          kind: 'custom',
          type: 'multiple-choice',
          added: ['b'],
          removed: [],
        },
      ],
    });
  });

  it('invariant 6: begins no sweep when another poller ended the unfinished one first', async () => {
    await baselined();
    const readState: typeof world.snapshots.readState = async process => ({
      ...(await world.snapshots.readState(process)),
      isSweepUnfinished: true,
    });
    const late = world.poller({ snapshots: { ...world.snapshots, readState } });
    world.service.clearRequests();
    expect(await world.run('changes', { poll: late })).toMatchObject({ outcome: 'completed' });
    const listings = world.service.requests.filter(({ path }) => /\/projects\?(?!.*updatedAfter)/.test(path));
    expect(listings).toEqual([]);
    expect(await world.later('sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed' });
  });
});
