import { describe, expect, it } from 'vitest';
import { hide, isWholeListing } from '../kit/hide.ts';
import { owedInShort } from '../kit/owed.ts';
import { openStage } from '../kit/stage.ts';
import { servedState, snapshotState } from '../kit/told.ts';
import { PROCESS, type World } from '../kit/world.ts';

/** A listing that there is time to read once only, and that passes over a project because a row before it goes. */
const MINUTE = 60_000;
const stage = openStage();
const { told } = stage;
let world: World;

const create = async () => {
  world = await stage.create({
    projects: 8,
    pageSize: { projects: 2 },
    freedoms: { cursors: 'offset' },
    settings: { concurrency: 1 },
  });
};
/** Each page takes 15 s, and a project goes between the first and the second: 1003 is passed over. */
const passOver1003 = (listing: (request: { path: string }) => boolean, goes = '1002') => {
  let pages = 0;
  return world.service.fail({
    when: listing,
    times: 4,
    fault: {
      before: () => {
        pages += 1;
        if (pages === 2) world.edit.deleteProject(PROCESS, goes);
        world.pass(15_000);
      },
    },
  });
};
/** Pages that take 15 s each lack 1003: whether another reading would show it, there is no time to find out. */
const missSlowly1003 = (pages: number) =>
  world.service.fail({
    when: isWholeListing,
    times: pages,
    fault: {
      before: () => world.pass(15_000),
      change: body => ({
        ...body,
        projects: (body.projects as { id: string }[]).filter(({ id }) => id !== '1003') as never,
      }),
    },
  });
const isListing = ({ path }: { path: string }) => path.includes('/projects?');
const isUpdated = ({ path }: { path: string }) => path.includes('updatedAfter');
/** A poller whose time is over behind the third project: 1003 would have been one of those. */
const outOfTime = () => {
  let done = -1;
  return world.poller({
    onProgress: () => {
      done += 1;
      if (done === 3) world.pass(150_000);
    },
  });
};
const snapshots = () => snapshotState(world.snapshots, world.process);

describe('a baseline whose listing passed over a project', () => {
  it('invariant 2: does not end, and says so; the next run takes it', async () => {
    await create();
    passOver1003(isListing);
    await expect(world.run('changes', { remaining: 150_000 })).rejects.toThrow(
      /^The list of projects changed each time that it was read.*\. The baseline waits 5 minutes/,
    );
    expect(await world.later()).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    expect(await snapshots()).toEqual(servedState(world.edit, PROCESS));
    await world.later('sweep');
    expect(await told()).toEqual([]);
  });

  it('invariant 2: in its first run, takes it in the run that goes on', async () => {
    await create();
    const slow = passOver1003(isListing);
    const poll = outOfTime();
    const first = await world.run('changes', { poll, remaining: 150_000 });
    expect(first.outcome).toBe('unfinished');
    slow.cancel();
    expect(await world.later()).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    expect(await snapshots()).toEqual(servedState(world.edit, PROCESS));
  });

  it('ends after five minutes all the same, and says what that means', async () => {
    await create();
    world.service.fail({ when: isListing, times: 100, fault: { before: () => world.pass(15_000) } });
    const late = () => {
      world.pass(2 * MINUTE);
      return world.run('changes', { remaining: 150_000 });
    };
    await expect(late()).rejects.toThrow(/waits 5 minutes/);
    await expect(late()).rejects.toThrow(/waits 5 minutes/);
    expect(await late()).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    expect(world.said).toContainEqual({
      level: 'warn',
      message: expect.stringMatching(/omitted is emitted as created later; the baseline ends anyway/),
      details: { ...world.process, code: 'baseline.unstable-list' },
    });
  });
});

describe('a `changes` pass whose listing passed over a project in an earlier run', () => {
  it('invariant 1: lists since the same time again', async () => {
    await create();
    await world.run();
    for (let pass = 0; pass < 2; pass++) await world.later('changes', 10 * MINUTE);
    for (let id = 1001; id <= 1008; id++) world.edit.updateProject(PROCESS, String(id), { budget: '7' });
    world.pass(5 * MINUTE);
    const slow = passOver1003(isUpdated);
    const poll = outOfTime();
    expect((await world.run('changes', { poll, remaining: 150_000 })).outcome).toBe('unfinished');
    slow.cancel();
    for (let pass = 0; pass < 3; pass++) await world.later('changes', 10 * MINUTE);
    expect(await told()).toContain('project.updated 1003 budget: "" → "7"');
  });
});

describe('a sweep whose listing passed over a project', () => {
  it('does not count as the time since which everything was read', async () => {
    await create();
    await world.run();
    const { sweptAt } = await world.snapshots.readState(world.process);
    const slow = passOver1003(isWholeListing);
    world.pass(10 * MINUTE);
    await world.run('sweep', { remaining: 150_000 });
    slow.cancel();
    expect((await world.snapshots.readState(world.process)).sweptAt).toBe(sweptAt);
    await world.later('sweep');
    expect((await world.snapshots.readState(world.process)).sweptAt).toBeGreaterThan(sweptAt);
  });

  it('invariant 9: is none of the two in a row that must miss a project whose task list answers', async () => {
    await create();
    await world.run();
    // Both listings of the sweep.
    const slow = missSlowly1003(8);
    world.pass(10 * MINUTE);
    await world.run('sweep', { remaining: 200_000 });
    slow.cancel();
    expect(await owedInShort(world)).toEqual(['1003 uncertain']);
    hide(world, ['1003'], 16);
    await world.later('sweep');
    expect(await told()).not.toContain('project.deleted 1003');
    hide(world, ['1003'], 16);
    await world.later('sweep');
    expect(await told()).toContain('project.deleted 1003');
  });
});
