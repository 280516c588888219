import { describe, expect, it } from 'vitest';
import type { Snapshots } from '../../functions/store/store.ts';
import { hide, isWholeListing } from '../kit/hide.ts';
import { owedIn, owedInShort } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { applyEvents, servedState, snapshotState } from '../kit/told.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { told } = stage;
let world: World;

/** A world well behind its baseline, whose passes look at one project at a time. */
async function baselined(options: WorldOptions = {}): Promise<unknown> {
  world = await stage.create({ projects: 8, tasksPerProject: 1, settings: { concurrency: 1 }, ...options });
  await world.run();
  await world.later('changes', 600_000);
  return snapshotState(world.snapshots, world.process);
}
const refuse = (id: string, status = 403) =>
  world.service.fail({ when: isTasksOf(id), times: 1_000, fault: { status } });
const budget = (id: string, value: string) => world.edit.updateProject(PROCESS, id, { budget: value });
const ids = (count: number) => Array.from({ length: count }, (_, index) => String(1001 + index));
const wholeListings = () =>
  world.service.requests.filter(request => isWholeListing(request) && !request.path.includes('after='));
/** A poller each of whose projects takes 11 s: after each it writes how far it came. */
const slow = (over: Partial<Snapshots> = {}) =>
  world.poller({ onProgress: () => world.pass(11_000), snapshots: { ...world.snapshots, ...over } });
const expectConverged = async (baseline: unknown) => {
  const served = servedState(world.edit, PROCESS);
  expect(applyEvents(baseline, await world.events())).toEqual(served);
  expect(await snapshotState(world.snapshots, world.process)).toEqual(served);
};

describe('how far a pass has come', () => {
  it.each(['changes', 'sweep'] as const)(
    'invariant 1: is written behind what it owes a look up to there, and not before: %s',
    async mode => {
      await baselined();
      for (const id of ids(8)) budget(id, '1');
      refuse('1002');
      const written: string[] = [];
      const writeRechecks: Snapshots['writeRechecks'] = async (process, changes) => {
        written.push(...changes.map(({ projectId }) => `owed ${projectId}`));
        return world.snapshots.writeRechecks(process, changes);
      };
      const saveProgress: Snapshots['saveProgress'] = (process, lease, until) => {
        if (lease.progress !== undefined) written.push(`reached ${lease.progress}`);
        return world.snapshots.saveProgress(process, lease, until);
      };
      world.pass(60_000);
      await world.run(mode, { poll: slow({ writeRechecks, saveProgress }) });
      expect(written).toContain('reached 1008');
      const reached = written.findIndex(line => line.startsWith('reached') && line >= 'reached 1002');
      expect(written.slice(0, reached)).toContain('owed 1002');
    },
  );

  it('is written after each ten seconds', async () => {
    await baselined();
    const reached = new Set<string>();
    const saveProgress: Snapshots['saveProgress'] = (process, lease, until) => {
      if (lease.progress !== undefined) reached.add(lease.progress);
      return world.snapshots.saveProgress(process, lease, until);
    };
    world.pass(60_000);
    const snapshots = { ...world.snapshots, saveProgress };
    await world.run('sweep', { poll: world.poller({ onProgress: () => world.pass(10_000), snapshots }) });
    expect([...reached]).toEqual(ids(8));
  });

  it('names, of projects that were skipped, also those whose recheck it cleared on its way', async () => {
    await baselined();
    for (const id of ids(8)) budget(id, '1');
    const refused = refuse('1002');
    await world.later('changes');
    refused.cancel();
    for (const id of ids(8)) budget(id, '2');
    world.pass(60_000);
    expect(await world.run('changes', { poll: slow() })).toMatchObject({ skippedNoLonger: ['1002'] });
    expect(await owedIn(world)).toEqual([]);
  });
});

describe('what is owed a look while a pass goes on', () => {
  it('is written once, however long the pass takes', async () => {
    await baselined();
    refuse('1002');
    const written: string[] = [];
    const writeRechecks: Snapshots['writeRechecks'] = async (process, changes) => {
      written.push(...changes.map(({ projectId }) => projectId));
      return world.snapshots.writeRechecks(process, changes);
    };
    world.pass(60_000);
    await world.run('sweep', { poll: slow({ writeRechecks }) });
    expect(written).toEqual(['1002']);
  });

  it.each(['changes', 'sweep'] as const)(
    'is owed no longer once the second round of a %s pass settles it',
    async mode => {
      await baselined();
      for (const id of ids(8)) budget(id, '1');
      world.service.fail({ when: isTasksOf('1002'), times: 1, fault: { status: 404 } });
      const written: string[] = [];
      const writeRechecks: Snapshots['writeRechecks'] = async (process, changes) => {
        written.push(...changes.map(({ projectId, after }) => `${projectId}: ${after?.cause}`));
        return world.snapshots.writeRechecks(process, changes);
      };
      world.pass(60_000);
      expect(await world.run(mode, { poll: slow({ writeRechecks }) })).toMatchObject({
        outcome: 'completed',
      });
      expect(written).toEqual(['1002: uncertain', '1002: undefined']);
      expect(await owedIn(world)).toEqual([]);
    },
  );

  it('is owed no longer then, though another project is, which this pass leaves to the next sweep', async () => {
    await baselined();
    hide(world, ['1008']);
    await world.later('sweep');
    for (const id of ids(7)) budget(id, '1');
    world.service.fail({ when: isTasksOf('1002'), times: 1, fault: { status: 404 } });
    world.pass(60_000);
    expect(await world.run('changes', { poll: slow() })).toMatchObject({ outcome: 'completed' });
    expect(await owedInShort(world)).toEqual(['1008 not-listed']);
  });
});

describe('an outage', () => {
  it('invariant 1: owes no project a look, and moves no progress past one', async () => {
    const baseline = await baselined({ projects: 30 });
    for (const id of ids(30)) budget(id, '1');
    const refusals = ids(30).map(id => refuse(id));
    const reached: unknown[] = [];
    const saveProgress: Snapshots['saveProgress'] = (process, lease, until) => {
      reached.push(lease.progress);
      return world.snapshots.saveProgress(process, lease, until);
    };
    world.pass(60_000);
    // From here on it writes how far it came after each project.
    const onProgress = ({ done }: { readonly done: number }) => done >= 20 && world.pass(11_000);
    const poll = world.poller({ onProgress, snapshots: { ...world.snapshots, saveProgress } });
    for (const mode of ['changes', 'sweep'] as const)
      await expect(world.run(mode, { poll })).rejects.toThrow(/^30 project\(s\) cannot be read/);
    expect([await owedIn(world), await told()]).toEqual([[], []]);
    expect(new Set(reached)).toEqual(new Set([undefined]));
    for (const { cancel } of refusals) cancel();
    await world.later();
    await expectConverged(baseline);
  });
});

describe('the second round', () => {
  it('is none, either, of a baseline that goes on when a project has gone: a sweep tells that later', async () => {
    world = await stage.create({ projects: 8, settings: { concurrency: 1 } });
    let done = -1;
    const poll = world.poller({
      onProgress: () => {
        done += 1;
        if (done === 3) world.pass(150_000);
      },
    });
    expect(await world.run('changes', { poll, remaining: 150_000 })).toMatchObject({ outcome: 'unfinished' });
    world.edit.deleteProject(PROCESS, '1001');
    world.service.clearRequests();
    expect(await world.later()).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    expect([wholeListings().length, await told()]).toEqual([1, []]);
    await world.later('sweep');
    expect(await told()).toContain('project.deleted 1001');
  });

  it('reads the whole list once for all that is unclear', async () => {
    await baselined();
    for (const id of ['1001', '1003', '1005']) world.edit.deleteProject(PROCESS, id);
    world.service.clearRequests();
    await world.later();
    expect(wholeListings()).toHaveLength(1);
    expect((await told()).filter(line => line.startsWith('project.'))).toEqual(
      ['1001', '1003', '1005'].map(id => `project.deleted ${id}`),
    );
  });

  it('looks at the projects in the order of their ids, whatever left them to it', async () => {
    await baselined();
    for (const id of ['1002', '1005'])
      world.edit.updateTask(PROCESS, id, `500${id.slice(1)}`, { status: 'Done' });
    hide(world, ['1002'], 1);
    world.service.fail({ when: isTasksOf('1005'), times: 1, fault: { status: 404 } });
    world.service.clearRequests();
    await world.later('sweep');
    const requests = world.service.requests.slice(world.service.requests.findLastIndex(isWholeListing));
    const asked = ['1002', '1005'].map(id => requests.findIndex(isTasksOf(id)));
    expect(asked).toEqual([1, 2]);
    expect((await told()).sort()).toEqual(
      ['1002/500002', '1005/500005'].map(task => `task.updated ${task} status: "To do" → "Done"`),
    );
  });

  it('counts what is missing by the snapshots that the first one has read', async () => {
    await baselined();
    world.edit.deleteProject(PROCESS, '1003', { audit: false });
    let readings = 0;
    const heads: Snapshots['heads'] = (...given) => {
      readings += 1;
      return world.snapshots.heads(...given);
    };
    world.pass(60_000);
    await world.run('sweep', { poll: world.poller({ snapshots: { ...world.snapshots, heads } }) });
    expect(await told()).toEqual(['task.deleted 1003/500003', 'project.deleted 1003']);
    expect(readings).toBe(1);
  });
});
