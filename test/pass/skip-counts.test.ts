import { describe, expect, it } from 'vitest';
import type { RecheckChange, Snapshots } from '../../functions/store/store.ts';
import { hide } from '../kit/hide.ts';
import { owedInShort } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World } from '../kit/world.ts';

/** Who is skipped, and since when no longer: as the state counts them, and as the report of a pass names them. */
const stage = openStage();
let world: World;
const { told } = stage;

async function baselined(projects = 6): Promise<void> {
  world = await stage.create({ projects, tasksPerProject: 1 });
  await world.run();
  world.pass(600_000);
}
const refuse = (id: string, status = 403) =>
  world.service.fail({ when: isTasksOf(id), times: 1_000, fault: { status } });
const skipped = async () => (await world.snapshots.readState(world.process)).skipped;
/** From now on its task list is refused; its record changed, so that the next pass asks for it. */
const breakOff = (id: string) => {
  world.edit.updateProject(PROCESS, id, { budget: '1' });
  return refuse(id);
};
/** All of these are skipped, and subscribers know. */
const skippedAll = async (...ids: string[]) => {
  const refusals = ids.map(breakOff);
  await world.later();
  await world.later();
  expect(await skipped()).toBe(ids.length);
  return refusals;
};

describe('the count of skipped projects', () => {
  it('has those that subscribers know of, and no other rechecks', async () => {
    await baselined();
    hide(world, ['1003']);
    await world.later('sweep');
    breakOff('1002');
    expect(await world.later()).not.toHaveProperty('skippedNoLonger');
    expect(await owedInShort(world)).toEqual(['1002 unreadable', '1003 not-listed']);
    expect(await skipped()).toBe(0);
    for (let pass = 0; pass < 2; pass++) {
      await world.later();
      expect(await owedInShort(world)).toEqual(['1002 unreadable, told', '1003 not-listed']);
      expect(await skipped()).toBe(1);
    }
  });

  it('goes down in the pass that reads one of them, while another one newly fails', async () => {
    await baselined();
    const [refusal] = await skippedAll('1002', '1004');
    refusal?.cancel();
    breakOff('1005');
    expect(await world.later()).toMatchObject({ skippedNoLonger: ['1002'] });
    expect(await skipped()).toBe(1);
    await world.later();
    expect(await skipped()).toBe(2);
  });

  it('stays when one fails for another cause than before', async () => {
    await baselined();
    const [refusal] = await skippedAll('1002');
    refusal?.cancel();
    refuse('1002', 404);
    expect(await world.later()).not.toHaveProperty('skippedNoLonger');
    expect(await owedInShort(world)).toEqual(['1002 no-task-list, told']);
    expect(await skipped()).toBe(1);
    expect(await told()).toEqual(['source.skipped 1002', 'project.updated 1002 budget: "" → "1"']);
  });
});

describe('a project that is told as skipped, for another cause than it first failed with,', () => {
  it('has its recheck written with what is told, and not once more', async () => {
    await baselined();
    const refusal = breakOff('1002');
    await world.later();
    refusal.cancel();
    refuse('1002', 404);
    const written: RecheckChange[] = [];
    const writeRechecks: Snapshots['writeRechecks'] = (process, changes) => {
      written.push(...changes);
      return world.snapshots.writeRechecks(process, changes);
    };
    world.pass(60_000);
    await world.run('changes', { poll: world.poller({ snapshots: { ...world.snapshots, writeRechecks } }) });
    expect(await told()).toContain('source.skipped 1002');
    expect(await owedInShort(world)).toEqual(['1002 no-task-list, told']);
    expect(written).toEqual([]);
  });
});

describe('skipped projects of which no transaction holds all', () => {
  /** They failed for a long time, but nobody was told yet. */
  const failing = async (count: number) => {
    await baselined(count);
    await world.run();
    const ids = Array.from({ length: count }, (_, index) => String(1001 + index));
    const after = {
      cause: 'unreadable',
      since: 0,
      foundAt: 0,
      reason: 'Refused.',
      isReported: false,
    } as const;
    await world.snapshots.writeRechecks(
      world.process,
      ids.map(projectId => ({ projectId, before: undefined, after })),
    );
    for (const id of ids) refuse(id);
    return ids;
  };

  it('fail the pass when not one of them fits: it doesn’t try for ever', async () => {
    await failing(5);
    const sizes: (number | undefined)[] = [];
    const announce: Snapshots['announce'] = async (_process, { rechecks }) => {
      if (sizes.push(rechecks?.length) > 9) throw new Error('It tries for ever.');
      return 'too-large';
    };
    const poll = world.poller({ snapshots: { ...world.snapshots, announce } });
    world.pass(60_000);
    await expect(world.run('changes', { poll })).rejects.toThrow(/not one of them fits/);
    expect(sizes).toEqual([5, 2, 1]);
    expect(await told()).toEqual([]);
  });

  it('invariant 3: are told in several announcements, each project once', async () => {
    const ids = await failing(150);
    expect(await world.later()).toMatchObject({ outcome: 'completed', events: 150 });
    const skips = ids.map(id => `source.skipped ${id}`);
    expect(await told()).toEqual(skips);
    expect(new Set((await world.events()).map(({ id }) => id)).size).toBe(150);
    expect(await owedInShort(world)).toEqual(ids.map(id => `${id} unreadable, told`));
    expect(await skipped()).toBe(150);
    expect(await world.later()).toMatchObject({ outcome: 'completed', events: 0 });
    expect(await told()).toEqual(skips);
  });
});
