import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { stateKey } from '../../functions/store/keys.ts';
import { hide } from '../kit/hide.ts';
import { owedIn } from '../kit/owed.ts';
import { ids, isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { owed, state, told, warned } = stage;
let world: World;

const settled = async (options: WorldOptions = {}) => {
  world = await stage.settled({ projects: 14, tasksPerProject: 0, ...options });
};
const deleteAll = (gone: readonly string[], audit = false) => {
  for (const id of gone) world.edit.deleteProject(PROCESS, id, { audit });
};
/** A release by the operator, as the runbook has it. */
const release = () =>
  stage.table.client.send(
    new UpdateItemCommand({
      TableName: stage.table.tableName,
      Key: stateKey(world.process),
      UpdateExpression: 'SET released = :yes',
      ExpressionAttributeValues: { ':yes': { BOOL: true } },
    }),
  );

describe('more deletions at once than are plausible', () => {
  it('invariant 9: put the process on hold: nothing is deleted, it is emitted once, and the alarm’s metric is set', async () => {
    await settled();
    deleteAll(ids(12));
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed', events: 1 });
    const since = world.clock.now;
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed', events: 0 });
    expect(await told()).toEqual(['source.held']);
    expect((await world.events())[0]?.data).toMatchObject({ missing: 12, known: 14 });
    expect((await state()).hold).toEqual({ since, missing: 12 });
    const details = { ...world.process, code: 'process.on-hold', missing: 12, known: 14 };
    expect(warned(/^Too many projects .* until an operator releases the process\.$/)).toEqual([
      details,
      details,
    ]);
    await world.later();
    expect(await world.figures()).toMatchObject({ onHold: 1 });
  });

  it('invariant 1: leave a recheck for each project that was found gone, in either way', async () => {
    await settled({ settings: { concurrency: 1 } });
    hide(world, ['1001']);
    await world.later('sweep');
    expect(await owed()).toEqual(['1001 not-listed']);
    // Missed for the second time, while its task list still answers; the others' answer 404.
    hide(world, ['1001']);
    deleteAll(ids(11).slice(1));
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    expect(await owed()).toEqual(ids(11).map(id => `${id} not-listed`));
    for (const { reason } of await owedIn(world)) expect(reason).toMatch(/waits for a release.*on hold/);
  });

  it('are emitted after the release, of which nothing is left then', async () => {
    await settled();
    deleteAll(ids(12));
    await world.later('sweep');
    await release();
    await world.later('sweep');
    expect(await told()).toHaveLength(13);
    expect(await state()).toMatchObject({ hold: undefined, released: false });
  });

  it('are emitted by later runs where the time of one does not suffice, for which they stay released', async () => {
    await settled();
    deleteAll(ids(12));
    await world.later('sweep');
    await release();
    const commit: World['snapshots']['commit'] = async (...given) => {
      world.pass(8_000);
      return world.snapshots.commit(...given);
    };
    const first = await stage.runOver({ commit }, 'sweep', { remaining: 30_000 });
    expect(first).toMatchObject({ outcome: 'unfinished', events: 2 });
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed', events: 10 });
  });

  it('are confirmed by few task lists: what the others may show is left to later sweeps', async () => {
    await settled({ projects: 20, settings: { concurrency: 1 } });
    hide(world, ['1020']);
    await world.later('sweep');
    deleteAll(ids(12));
    hide(world, ['1019', '1020'], 4);
    world.service.clearRequests();
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    const isAsked = (id: string) => world.service.requests.some(isTasksOf(id));
    expect(['1011', '1012', '1019', '1020'].map(isAsked)).toEqual([true, false, false, false]);
    await release();
    await world.later('sweep');
    // Two sweeps missed 1020, and asked for it; only one asked for 1019.
    const deleted = [...ids(12), '1020'].map(id => `project.deleted ${id}`);
    expect((await told()).sort()).toEqual([...deleted, 'source.held']);
  });

  it('are confirmed by few task lists, too, if two sweeps missed the projects', async () => {
    await settled({
      ...{ projects: 20, settings: { concurrency: 1 } },
      freedoms: { tasksOfDeletedProject: 200, auditDenied: 403 },
    });
    deleteAll(ids(14));
    await world.later('sweep');
    expect(await told()).toEqual([]);
    world.service.clearRequests();
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    expect(ids(14).filter(id => world.service.requests.some(isTasksOf(id)))).toEqual(ids(11));
  });

  it('invariant 9: are not emitted once another pass has put the process on hold', async () => {
    await settled({ tasksPerProject: 1 });
    deleteAll(ids(12), true);
    let reads = 0;
    const readState: World['snapshots']['readState'] = async process => {
      const read = await world.snapshots.readState(process);
      if (++reads > 1) return read;
      // The other pass finds all twelve gone. Then only one of them can be found gone.
      await world.run('changes');
      for (const id of ids(11)) stage.refuse(id);
      return read;
    };
    expect(await stage.runOver({ readState }, 'sweep')).toMatchObject({ outcome: 'completed', events: 0 });
    expect(await told()).toEqual(['source.held']);
    expect(await state()).toMatchObject({ hold: { missing: 12 } });
  });
});
