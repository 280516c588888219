import { describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../functions/model/event.ts';
import type { CommitRequest, Snapshots } from '../../functions/store/store.ts';
import { owedIn } from '../kit/owed.ts';
import { openStage } from '../kit/stage.ts';
import { applyEvents, servedState, snapshotState } from '../kit/told.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { told } = stage;
let world: World;

async function baselined(options: WorldOptions = {}): Promise<unknown> {
  world = await stage.create({ projects: 2, tasksPerProject: 1, ...options });
  await world.run();
  await world.later('changes', 600_000);
  return snapshotState(world.snapshots, world.process);
}
const load = async (id = '1001') => {
  const snapshot = await world.snapshots.load(world.process, id);
  if (!snapshot) throw new Error(`no snapshot of ${id}`);
  return snapshot;
};
const iso = (time: number) => new Date(time).toISOString();
/** A pass, a minute later, with another `commit`. */
const runWith = (commit: Snapshots['commit'], mode: 'changes' | 'sweep' = 'changes') => {
  world.pass(60_000);
  return world.run(mode, { poll: world.poller({ snapshots: { ...world.snapshots, commit } }) });
};
/** The port, over a table whose transactions hold so many events. */
const holding = (most: number, sizes: number[] = []): Snapshots['commit'] => {
  return async (process, request) => {
    sizes.push(request.events.length);
    return request.events.length > most ? 'too-large' : world.snapshots.commit(process, request);
  };
};

describe('more changes than one transaction holds', () => {
  it('invariant 4: are committed in steps, each of which is told as it is kept', async () => {
    const baseline = await baselined();
    const before = await load();
    for (let task = 0; task < 7; task++) world.edit.createTask(PROCESS, '1001', { name: `Task ${task}` });
    const sizes: number[] = [];
    const steps: CommitRequest[] = [];
    const commit = holding(2, sizes);
    const report = await runWith(async (process, request) => {
      const result = await commit(process, request);
      if (result === 'committed') steps.push(request);
      return result;
    });
    // Each step tries the half of what was too large.
    expect(sizes).toEqual([7, 3, 1, 6, 3, 1, 5, 2, 3, 1, 2]);
    expect(report).toMatchObject({ outcome: 'completed', commits: 5, events: 7 });
    expect(steps.map(({ snapshot, version }) => [snapshot?.content.tasks.size, version])).toEqual(
      [2, 3, 5, 6, 8].map((tasks, step) => [tasks, world.clock.now + step]),
    );
    const events = (await world.events()) as TaskEvent[];
    expect(new Set(events.map(({ data }) => data.observed.after))).toEqual(
      new Set([iso(before.tasksReadAt)]),
    );
    expect(applyEvents(baseline, events)).toEqual(servedState(world.edit, PROCESS));
  });

  it('invariant 4: of a new project are committed in steps, too', async () => {
    const baseline = await baselined();
    const { sweptAt } = await world.snapshots.readState(world.process);
    const id = world.edit.createProject(PROCESS, { name: 'New' });
    for (let task = 0; task < 3; task++) world.edit.createTask(PROCESS, id, { name: `Task ${task}` });
    const sizes: number[] = [];
    await runWith(holding(1, sizes));
    expect(sizes).toEqual([4, 2, 1, 3, 1, 2, 1, 1]);
    const events = (await world.events()) as TaskEvent[];
    expect(events.map(({ type }) => type)).toEqual(['project.created', ...Array(3).fill('task.created')]);
    for (const { data } of events) expect(data.observed.after).toBe(iso(sweptAt));
    expect(applyEvents(baseline, events)).toEqual(servedState(world.edit, PROCESS));
  });

  it('of which not even one fits are reported with the name and the remedy', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    world.edit.updateProject(PROCESS, '1002', { budget: '1' });
    await runWith(async (process, request) =>
      request.projectId === '1001' ? 'too-large' : world.snapshots.commit(process, request),
    );
    expect(await told()).toEqual(['project.updated 1002 budget: "" → "1"']);
    expect(await owedIn(world)).toMatchObject([
      {
        id: '1001',
        reason: expect.stringMatching(
          /^Project 1001 of process onboarding is too large .*exceed the 4 MB.*Split the project/,
        ),
      },
    ]);
  });

  it('are not spread over steps in a baseline, which has no events', async () => {
    world = await stage.create({ projects: 1, tasksPerProject: 3 });
    const sizes: number[] = [];
    await expect(
      runWith(async (_process, { snapshot }) => {
        sizes.push(snapshot?.content.tasks.size ?? 0);
        return 'too-large';
      }),
    ).rejects.toThrow(/1001.*too large/);
    expect(sizes).toEqual([3]);
  });
});

describe('a run that stands still between reading and committing', () => {
  /** What it commits then, of the first project that it comes to. */
  async function standStill(
    meanwhile: () => Promise<unknown>,
  ): Promise<{ run: Promise<unknown>; kept: () => Promise<unknown> }> {
    let id = '';
    const run = runWith(async (process, request) => {
      if (id === '') {
        id = request.projectId;
        await meanwhile();
      }
      return world.snapshots.commit(process, request);
    });
    return { run, kept: () => world.snapshots.load(world.process, id) };
  }

  it('invariant 1: writes nothing of a baseline that somebody else has ended: nobody would ever be told', async () => {
    // One: a second worker would go on, and keep the lease.
    world = await stage.create({ projects: 1, tasksPerProject: 1 });
    const { run, kept } = await standStill(async () => {
      world.pass(120_000);
      world.edit.deleteProject(PROCESS, '1001');
      world.edit.createProject(PROCESS, { name: 'The only one' });
      expect(await world.run()).toMatchObject({ outcome: 'completed' });
    });
    expect(await run).toMatchObject({ outcome: 'busy' });
    expect(await kept()).toBeUndefined();
  });
});

describe('a project that is deleted and made again while a sweep walks by its older listing', () => {
  it('invariant 3: has a larger version than its deletion, which another clock dated hours ahead', async () => {
    await baselined();
    world.edit.deleteProject(PROCESS, '1002');
    const version = world.clock.now + 7_200_000;
    await runWith((process, request) => {
      const tombstone = request.tombstone && { ...request.tombstone, version };
      return world.snapshots.commit(process, { ...request, ...(tombstone && { tombstone }) });
    }, 'sweep');
    world.edit.createProject(PROCESS, { name: 'Made again' }, { id: '1002' });
    await world.later();
    expect((await load('1002')).version).toBe(version + 1);
  });
});

it('commits what a baseline reads one after the other: transactions on one item refuse each other', async () => {
  world = await stage.create({ projects: 6, tasksPerProject: 1 });
  let now = 0;
  let most = 0;
  await runWith(async (process, request) => {
    most = Math.max(most, ++now);
    const result = await world.snapshots.commit(process, request);
    now -= 1;
    return result;
  });
  expect(most).toBe(1);
});
