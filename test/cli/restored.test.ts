import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { restoreProcesses } from '../../cli/restore/restore.ts';
import type { OperationsContext } from '../../functions/operations/context.ts';
import { verifyProcess } from '../../functions/operations/verify/walk.ts';
import { verifySlice } from '../../functions/operations/verify.ts';
import { createRoster } from '../../functions/store/dynamo/processes.ts';
import { queryItems } from '../../functions/store/dynamo/requests.ts';
import { dynamoStore } from '../../functions/store/dynamo/store.ts';
import { partition, ROSTER } from '../../functions/store/keys.ts';
import { openStage } from '../kit/stage.ts';
import { openModel } from '../kit/table.ts';
import { inShort, type World } from '../kit/world.ts';

const stage = openStage();

/** A process of three projects that knows 1001 as `first`; what its table then was; and what it was told since. */
async function played() {
  const world = await stage.create();
  await createRoster(stage.table).remember([world.process]);
  await world.later();
  world.edit.updateProject('onboarding', '1001', { name: 'first' });
  await world.later();
  const then = await copyOf(world);
  const before = (await world.events()).length;
  world.edit.updateProject('onboarding', '1001', { name: 'second' });
  world.edit.deleteProject('onboarding', '1002');
  const made = world.edit.createProject('onboarding', { name: 'made since' });
  await world.later();
  await world.later('sweep');
  const told = await world.events();
  expect(inShort(told.slice(before))).toContain('project.updated 1001 name: "first" → "second"');
  const said: string[] = [];
  const restore = (sleep = async (_ms: number): Promise<void> => undefined, signal?: AbortSignal) => {
    const timing = { clock: () => world.clock.now, random: () => 0.5, sleep };
    const to = { ...stage.table, timing };
    const report = (text: string) => void said.push(text);
    return restoreProcesses({ to, from: then, report, who: 'ann', ...(signal && { signal }) });
  };
  const since = async () => (await world.events()).slice(told.length);
  return { world, restore, since, said, told, made };
}

async function copyOf({ process }: World) {
  const copy = openModel();
  for (const pk of [ROSTER, partition(process)])
    for await (const Item of queryItems(stage.table, pk, undefined))
      await copy.client.send(new PutItemCommand({ TableName: copy.tableName, Item }));
  return copy;
}

describe('a table that is restored in place', () => {
  it('tells again what changed since, from what it then knew, under ids that nobody has', async () => {
    const { world, restore, since, said, told, made } = await played();
    await restore();
    expect(said.filter(text => text.startsWith(world.process.workspace))).toEqual([
      `${world.process.workspace}/onboarding: restored 3 projects.`,
    ]);
    expect(await since()).toEqual([]);
    await world.later();
    await world.later('sweep');
    const again = await since();
    expect(inShort(again).toSorted()).toEqual([
      `project.created ${made}`,
      'project.deleted 1002',
      'project.updated 1001 name: "first" → "second"',
      ...['500003', '500004'].map(id => `task.deleted 1002/${id}`),
    ]);
    const ids = [...told, ...again].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await world.later();
    await world.later('sweep');
    expect((await since()).length).toBe(again.length);
  });

  it('is in the action log, so that `verify` compares only later events with the restored snapshots', async () => {
    const { world, restore } = await played();
    await restore();
    await world.later();
    await world.later('sweep');
    const store = dynamoStore(stage.table, [world.process]);
    const ports = { ...store, processes: async () => [world.process], clock: () => world.clock.now };
    const verify = (actions = store.actions) =>
      verifyProcess(asked => verifySlice({ ...ports, actions } as unknown as OperationsContext, asked), {
        process: world.process.processId,
      });
    expect(await verify()).toMatchObject({ isBaselined: true, mismatches: [] });
    const list = async () => ({ actions: [], position: undefined });
    const without = await verify({ ...store.actions, list });
    const mismatch = { field: 'name', expected: '"second"', found: '"first"' };
    expect(without.mismatches).toContainEqual(expect.objectContaining(mismatch));
    const { actions } = await store.actions.list({ process: world.process }, 10);
    expect(actions).toMatchObject([{ who: 'ann', operation: 'restore-table', details: '3 projects' }]);
  });

  it('waits for a pass that is under way, and lets none begin until it is done', async () => {
    const { world, restore, since } = await played();
    const { now } = world.clock;
    const request = { mode: 'sweep' as const, owner: 'pass', now, until: now + 60_000 };
    const lease = await world.snapshots.takeLease(world.process, request);
    if (!lease) throw new Error('no lease');
    const outcomes: unknown[] = [];
    await restore(async ms => {
      world.pass(ms);
      outcomes.push((await world.run()).outcome);
      if (outcomes.length === 3) await world.snapshots.abandon(world.process, lease);
    });
    expect(outcomes).toEqual(['busy', 'busy', 'busy']);
    await world.later();
    expect(inShort(await since())).toContain('project.updated 1001 name: "first" → "second"');
  });

  it('changes nothing of a process that a pass never lets go', async () => {
    const { world, restore } = await played();
    const { now } = world.clock;
    const request = { mode: 'sweep' as const, owner: 'x', now, until: now + 86_400_000 };
    await world.snapshots.takeLease(world.process, request);
    const known = await world.snapshots.load(world.process, '1001');
    await expect(restore(async ms => world.pass(ms))).rejects.toThrow('of onboarding is still running');
    expect(await world.snapshots.load(world.process, '1001')).toEqual(known);
    // The other mode goes on.
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
  });

  it('ends before the next process when somebody ends it, and holds none', async () => {
    const { world, restore, said } = await played();
    const known = await world.snapshots.load(world.process, '1001');
    await expect(restore(undefined, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(said).toEqual([]);
    expect(await world.snapshots.load(world.process, '1001')).toEqual(known);
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
  });

  it('leaves out a process that was forgotten since', async () => {
    const { world, said, restore } = await played();
    await createRoster(stage.table).forget(world.process, { now: world.clock.now, most: 99 });
    await restore();
    const leftOut = `${world.process.workspace}/onboarding: left out, because it is not in the table's list of processes: it was forgotten since, or`;
    expect(said).toContainEqual(expect.stringContaining(leftOut));
    expect((await world.snapshots.readState(world.process)).baselined).toBe(false);
  });

  it('leaves a process as it is that had no baseline then', async () => {
    const { world, said, restore, since } = await played();
    const added = { ...world.process, processId: 'added' };
    await createRoster(stage.table).remember([added]);
    const request = { mode: 'changes' as const, owner: 'pass', now: world.clock.now, until: world.clock.now };
    const lease = await world.snapshots.takeLease(added, request);
    if (lease) await world.snapshots.finish(added, lease, { baselined: true });
    await restore();
    expect(said).toContain(`${added.workspace}/added: unchanged, because it had no baseline at that time.`);
    expect((await world.snapshots.readState(added)).baselined).toBe(true);
    expect(await since()).toEqual([]);
  });
});
