import { describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../functions/model/event.ts';
import type { CommitRequest, Snapshots } from '../../functions/store/store.ts';
import { owedIn } from '../kit/owed.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World } from '../kit/world.ts';

const stage = openStage();
const { budget, runOver, told } = stage;
let world: World;

const settled = async () => {
  world = await stage.settled({ projects: 2, tasksPerProject: 1 });
};
const iso = (time: number) => new Date(time).toISOString();
/** The port, over a table whose transactions hold so many events; and how many events each commit had. */
const holding = (most: number) => {
  const sizes: number[] = [];
  const steps: CommitRequest[] = [];
  const commit: Snapshots['commit'] = async (process, request) => {
    sizes.push(request.events.length);
    if (request.events.length > most) return 'too-large';
    steps.push(request);
    return world.snapshots.commit(process, request);
  };
  return { sizes, steps, commit };
};

describe('more changes than one transaction holds', () => {
  it('invariant 4: are committed in steps, each of which is emitted as it is kept', async () => {
    await settled();
    const { tasksReadAt } = (await world.snapshots.load(world.process, '1001')) ?? {};
    for (let task = 0; task < 7; task++) world.edit.createTask(PROCESS, '1001', { name: `Task ${task}` });
    const { sizes, steps, commit } = holding(2);
    expect(await runOver({ commit })).toMatchObject({ outcome: 'completed', commits: 5, events: 7 });
    // Each step tries the half of what was too large.
    expect(sizes).toEqual([7, 3, 1, 6, 3, 1, 5, 2, 3, 1, 2]);
    expect(steps.map(({ snapshot, version }) => [snapshot?.content.tasks.size, version])).toEqual(
      [2, 3, 5, 6, 8].map((tasks, step) => [tasks, world.clock.now + step]),
    );
    expect(steps.map(({ snapshot }) => snapshot?.digests?.tasks !== undefined)).toEqual([
      ...Array(4).fill(false),
      true,
    ]);
    const events = (await world.events()) as TaskEvent[];
    expect(new Set(events.map(({ data }) => data.observed.after))).toEqual(new Set([iso(tasksReadAt ?? 0)]));
  });

  it('invariant 4: of a new project are committed in steps, too', async () => {
    await settled();
    const { sweptAt } = await stage.state();
    const id = world.edit.createProject(PROCESS, { name: 'New' });
    for (let task = 0; task < 3; task++) world.edit.createTask(PROCESS, id, { name: `Task ${task}` });
    const { sizes, commit } = holding(1);
    await runOver({ commit });
    expect(sizes).toEqual([4, 2, 1, 3, 1, 2, 1, 1]);
    const events = (await world.events()) as TaskEvent[];
    expect(events.map(({ type }) => type)).toEqual(['project.created', ...Array(3).fill('task.created')]);
    for (const { data } of events) expect(data.observed.after).toBe(iso(sweptAt));
  });

  it('of which not even one fits are reported with the name and the remedy', async () => {
    await settled();
    budget(['1001', '1002']);
    const commit: Snapshots['commit'] = async (process, request) =>
      request.projectId === '1001' ? 'too-large' : world.snapshots.commit(process, request);
    await runOver({ commit });
    expect(await told()).toEqual(['project.updated 1002 budget: "" → "1"']);
    const reason = expect.stringMatching(
      /^Project 1001 of process onboarding is too large .*exceed the 4 MB.*Split the project/,
    );
    expect(await owedIn(world)).toMatchObject([{ id: '1001', reason }]);
  });

  it('are not spread over steps in a baseline, which has no events', async () => {
    world = await stage.create({ projects: 1, tasksPerProject: 3 });
    const sizes: number[] = [];
    const commit: Snapshots['commit'] = async (_process, { snapshot }) => {
      sizes.push(snapshot?.content.tasks.size ?? 0);
      return 'too-large';
    };
    await expect(runOver({ commit })).rejects.toThrow(/1001.*too large/);
    expect(sizes).toEqual([3]);
  });
});

it('invariant 8: a project that other passes keep committing first is left to the next pass, after 20 tries', async () => {
  await settled();
  budget('1001');
  let tries = 0;
  const commit: Snapshots['commit'] = async () => {
    tries += 1;
    return 'conflict';
  };
  await expect(runOver({ commit })).rejects.toThrow(
    /^Project 1001 of process onboarding was not committed in 20 tries: other passes committed first/,
  );
  expect(tries).toBe(20);
});

it('invariant 1: a run that stands still before its commit writes nothing of a baseline that another run has ended', async () => {
  world = await stage.create({ projects: 1, tasksPerProject: 1 });
  let isFirst = true;
  const commit: Snapshots['commit'] = async (...given) => {
    if (isFirst) {
      isFirst = false;
      world.pass(120_000);
      world.edit.deleteProject(PROCESS, '1001');
      await world.run();
    }
    return world.snapshots.commit(...given);
  };
  expect(await runOver({ commit })).toMatchObject({ outcome: 'busy' });
  expect(await world.snapshots.load(world.process, '1001')).toBeUndefined();
});

it('invariant 3: a project that is made again has a larger version than its deletion, which another clock dated hours ahead', async () => {
  await settled();
  world.edit.deleteProject(PROCESS, '1002');
  const version = world.clock.now + 7_200_000;
  const commit: Snapshots['commit'] = (process, request) => {
    const tombstone = request.tombstone && { ...request.tombstone, version };
    return world.snapshots.commit(process, { ...request, ...(tombstone && { tombstone }) });
  };
  await runOver({ commit }, 'sweep');
  world.edit.createProject(PROCESS, { name: 'Made again' }, { id: '1002' });
  await world.later();
  expect((await world.snapshots.load(world.process, '1002'))?.version).toBe(version + 1);
});
