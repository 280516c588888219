import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { stateKey } from '../../functions/store/keys.ts';
import { hide } from '../kit/hide.ts';
import { owedIn, owedInShort } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create({ tasksPerProject: 0, ...options });
  await world.run();
  return world;
}
const { told } = stage;
const state = () => world.snapshots.readState(world.process);
/** The ids of the projects from 1001 to `last`. */
const idsTo = (last: number) => Array.from({ length: last - 1000 }, (_, index) => String(1001 + index));

/** A release by the operator, as the runbook has it. */
function release(): Promise<unknown> {
  return stage.table.client.send(
    new UpdateItemCommand({
      TableName: stage.table.tableName,
      Key: stateKey(world.process),
      UpdateExpression: 'SET released = :yes',
      ExpressionAttributeValues: { ':yes': { BOOL: true } },
    }),
  );
}

describe('deletions in bulk', () => {
  it('invariant 9: hold the process: nothing is deleted, it is told once, and the alarm’s metric is set', async () => {
    await baselined({ projects: 14 });
    for (let id = 1001; id <= 1012; id++) world.edit.deleteProject(PROCESS, String(id), { audit: false });
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed', events: 1 });
    const since = world.clock.now;
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed', events: 0 });
    expect(await told()).toEqual(['source.held']);
    expect((await world.events())[0]?.data).toMatchObject({ missing: 12, known: 14 });
    expect((await state()).hold).toEqual({ since, missing: 12 });
    const warned = {
      level: 'warn',
      message: expect.stringMatching(/^Too many projects .* until an operator releases the process\.$/),
      details: { ...world.process, code: 'process.on-hold', missing: 12, known: 14 },
    };
    expect(world.said.filter(({ level }) => level === 'warn')).toEqual([warned, warned]);
    await world.later();
    expect(await world.figures()).toMatchObject({ onHold: 1 });
  });

  it('invariant 1: that are held leave a recheck for each project that was found gone, in either way', async () => {
    await baselined({ projects: 14, settings: { concurrency: 1 } });
    hide(world, ['1001']);
    await world.later('sweep');
    expect(await owedInShort(world)).toEqual(['1001 not-listed']);
    // Missed for the second time, while its task list still answers; the others' answer 404.
    hide(world, ['1001']);
    for (const id of idsTo(1011).slice(1)) world.edit.deleteProject(PROCESS, id, { audit: false });
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    expect(await owedInShort(world)).toEqual(idsTo(1011).map(id => `${id} not-listed`));
    for (const { reason } of await owedIn(world)) expect(reason).toMatch(/waits for a release.*on hold/);
  });

  it('go ahead when the operator releases them, and the process is no longer on hold', async () => {
    await baselined({ projects: 14 });
    for (let id = 1001; id <= 1012; id++) world.edit.deleteProject(PROCESS, String(id), { audit: false });
    await world.later('sweep');
    await release();
    await world.later('sweep');
    expect(await told()).toHaveLength(13);
    expect(await state()).toMatchObject({
      hold: undefined,
      released: false,
    });
  });

  it('end by themselves when the projects are back', async () => {
    await baselined({ projects: 14 });
    hide(world, idsTo(1012));
    const failing = world.service.fail({
      when: request => request.path.includes('/tasks'),
      times: 99,
      fault: { status: 404 },
    });
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    failing.cancel();
    await world.later('sweep');
    expect(await state()).toMatchObject({ hold: undefined });
    expect(await told()).toEqual(['source.held']);
  });

  it('that hold the process leave most task lists alone: what they may show is left to later sweeps', async () => {
    await baselined({ projects: 20, settings: { concurrency: 1 } });
    hide(world, ['1020']);
    await world.later('sweep');
    for (let id = 1001; id <= 1012; id++) world.edit.deleteProject(PROCESS, String(id), { audit: false });
    hide(world, ['1019', '1020'], 4);
    world.service.clearRequests();
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    const asked = (id: string) => world.service.requests.some(isTasksOf(id));
    expect(['1011', '1012', '1019', '1020'].map(asked)).toEqual([true, false, false, false]);
    await release();
    await world.later('sweep');
    // Two sweeps missed 1020, and asked for it; only one asked for 1019.
    const deleted = [...idsTo(1012), '1020'].map(id => `project.deleted ${id}`);
    expect((await told()).sort()).toEqual([...deleted, 'source.held']);
  });

  it('that hold the process leave most task lists alone, too, if two sweeps missed the projects', async () => {
    await baselined({
      ...{ projects: 20, settings: { concurrency: 1 } },
      freedoms: { tasksOfDeletedProject: 200, auditDenied: 403 },
    });
    for (const id of idsTo(1014)) world.edit.deleteProject(PROCESS, id);
    await world.later('sweep');
    expect(await told()).toEqual([]);
    world.service.clearRequests();
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
    const asked = idsTo(1014).filter(id => world.service.requests.some(isTasksOf(id)));
    expect(asked).toEqual(idsTo(1011));
  });
});
