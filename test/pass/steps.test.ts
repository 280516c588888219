import { describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../functions/changes/event.ts';
import { commitChanges } from '../../functions/pass/commit-changes.ts';
import { LeaseLostError, type Pass } from '../../functions/pass/pass.ts';
import type { CommitRequest, Snapshots } from '../../functions/snapshots/snapshots.ts';
import { UNKNOWN_PROCESS } from '../../functions/snapshots/state.ts';
import { openStage } from '../support/stage.ts';
import { applyEvents, servedState, snapshotState } from '../support/told.ts';
import { PROCESS, type World, type WorldOptions } from '../support/world.ts';

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
  const held = await world.snapshots.load(world.process, id);
  if (!held) throw new Error(`no snapshot of ${id}`);
  return held;
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
    const { skipped } = await world.snapshots.readState(world.process);
    expect(skipped).toMatchObject([
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

describe('a commit that another pass is ahead of', () => {
  it('invariant 8: is tried again with what was read afresh, and counted once', async () => {
    const baseline = await baselined();
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    let conflicts = 0;
    const report = await runWith(async (process, request) => {
      if (conflicts++ > 0) return world.snapshots.commit(process, request);
      world.edit.updateProject(PROCESS, '1001', { budget: '2' });
      await world.run('changes', {});
      return 'conflict';
    }, 'sweep');
    expect(report).toMatchObject({ outcome: 'completed', commits: 0, events: 0 });
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "2"']);
    await world.later();
    const events = await world.events();
    expect(applyEvents(baseline, events)).toEqual(servedState(world.edit, PROCESS));
  });

  it('is committed in the end, and counted once', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    let conflicts = 3;
    const report = await runWith(async (process, request) =>
      conflicts-- > 0 ? 'conflict' : world.snapshots.commit(process, request),
    );
    expect(report).toMatchObject({ outcome: 'completed', projects: 1, commits: 1, events: 1 });
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
  });

  it('is given up after 20 tries, and says what to look at', async () => {
    await baselined();
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    let tries = 0;
    const always: Snapshots['commit'] = async () => {
      tries += 1;
      return 'conflict';
    };
    await expect(runWith(always)).rejects.toThrow(
      /^Project 1001 of process onboarding was not committed in 20 tries.*which pollers share the table/,
    );
    expect(tries).toBe(20);
    await world.later();
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
  });

  it('is given up just so when it is one of several steps', async () => {
    await baselined();
    for (let task = 0; task < 3; task++) world.edit.createTask(PROCESS, '1001', { name: `Task ${task}` });
    const always: Snapshots['commit'] = async (_process, { events }) =>
      events.length > 1 ? 'too-large' : 'conflict';
    await expect(runWith(always)).rejects.toThrow(/not committed in 20 tries/);
  });
});

describe('a lease that is lost between reading and committing', () => {
  /** Commits a new project, after another poller took over. */
  async function committed(baselined: boolean): Promise<number> {
    let commits = 0;
    const pass = {
      parts: {
        process: { workspace: 'eu', processId: 'p' },
        state: { ...UNKNOWN_PROCESS, baselined },
        clock: () => 1,
        snapshots: {
          commit: async () => {
            commits += 1;
            return 'committed';
          },
        },
      },
      keepAlive: async () => {
        throw new LeaseLostError('lost');
      },
    } as unknown as Pass;
    const record = { name: 'New' };
    const read = { readAt: 1, readBefore: 1 };
    await commitChanges(pass, {
      projectId: '1',
      held: undefined,
      content: { record, tasks: new Map() },
      changes: [{ entity: 'project', action: 'created', id: '1', record, fields: [] }],
      source: read,
      tasks: read,
    }).catch(error => {
      if (!(error instanceof LeaseLostError)) throw error;
    });
    return commits;
  }

  it('invariant 1: lets a baseline write nothing more: another poller may have ended it', async () => {
    expect(await committed(false)).toBe(0);
  });

  it('loses no commit that is told: each stands by itself', async () => {
    expect(await committed(true)).toBe(1);
  });
});
