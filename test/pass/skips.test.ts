import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { projectKey } from '../../functions/store/keys.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { owedIn } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { applyEvents, servedState, snapshotState } from '../kit/told.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const MINUTE = 60_000;
const stage = openStage();
let world: World;

async function baselined(options: WorldOptions = {}): Promise<unknown> {
  world = await stage.create({ projects: 6, tasksPerProject: 1, ...options });
  await world.run();
  await world.later('changes', 10 * MINUTE);
  return snapshotState(world.snapshots, world.process);
}
const { told } = stage;
const refuse = (id: string, status = 403) =>
  world.service.fail({ when: isTasksOf(id), times: 1_000, fault: { status } });
const budget = (id: string, value: string) => world.edit.updateProject(PROCESS, id, { budget: value });
/** The project says that it has parts which are not there. */
const tear = async (id: string) => {
  await stage.table.client.send(
    new UpdateItemCommand({
      TableName: stage.table.tableName,
      Key: projectKey(world.process, id),
      UpdateExpression: 'SET parts = :two',
      ExpressionAttributeValues: { ':two': { N: '2' } },
    }),
  );
};
const owed = () => owedIn(world);
const owing = async () => (await world.figures()).withRechecks;
const expectConverged = async (baseline: unknown) => {
  const served = servedState(world.edit, PROCESS);
  expect(applyEvents(baseline, await world.events())).toEqual(served);
  expect(await snapshotState(world.snapshots, world.process)).toEqual(served);
};

describe('source.skipped', () => {
  it('is told once, when a project failed in two passes; the passes complete, and all others are told', async () => {
    await baselined();
    refuse('1002');
    budget('1002', '1');
    budget('1005', '1');
    const { sweptAt, watermark: before } = await world.snapshots.readState(world.process);
    for (const events of [1, 1, 0, 0])
      expect(await world.later()).toMatchObject({ outcome: 'completed', events });
    expect(await told()).toEqual(['project.updated 1005 budget: "" → "1"', 'source.skipped 1002']);
    const event = (await world.events()).find(({ type }) => type === 'source.skipped');
    expect(event?.subject).toBeUndefined();
    expect(event?.data).toEqual({
      process: { id: PROCESS },
      project: { id: '1002' },
      reason: expect.stringMatching(/^GET .*1002\/tasks.*status 403/),
      since: new Date(sweptAt).toISOString(),
    });
    expect((await world.snapshots.readState(world.process)).watermark).toBeGreaterThan(before);
    expect(await owing()).toBe(1);
    const warned = world.said.filter(({ level }) => level === 'warn');
    expect(warned).toMatchObject([
      { message: expect.stringMatching(/continues with the others/), details: { projectId: '1002' } },
      {
        message: expect.stringMatching(/a source.skipped event was emitted/),
        details: {
          ...world.process,
          code: 'project.skipped',
          projectId: '1002',
          reason: expect.stringMatching(/status 403/),
        },
      },
    ]);
  });

  it('invariant 8: is told by one of two passes that meet the failure at the same time', async () => {
    await baselined();
    refuse('1002');
    budget('1002', '1');
    await world.later();
    let announcements = 0;
    const announce: Snapshots['announce'] = async (...given) => {
      announcements += 1;
      if (announcements === 1) await world.run('changes');
      return world.snapshots.announce(...given);
    };
    world.pass(MINUTE);
    const sweep = await world.run('sweep', {
      poll: world.poller({ snapshots: { ...world.snapshots, announce } }),
    });
    // The one that came too late: nothing was left to say.
    expect(announcements).toBe(1);
    expect(sweep).toMatchObject({ outcome: 'completed', events: 0 });
    expect(sweep).not.toHaveProperty('skippedNoLonger');
    expect(await told()).toEqual(['source.skipped 1002']);
    expect(
      world.said.filter(({ message }) => message.includes('a source.skipped event was emitted')),
    ).toHaveLength(1);
  });
});

describe('a skipped project', () => {
  it('costs one request in a pass over unchanged data, and no write', async () => {
    await baselined();
    refuse('1002');
    budget('1002', '1');
    for (let pass = 0; pass < 3; pass++) await world.later('changes', 10 * MINUTE);
    const before = world.service.requests.length;
    const announced = (await world.snapshots.readState(world.process)).announced;
    let saved = 0;
    const saveProgress: Snapshots['saveProgress'] = (...given) => {
      saved += 1;
      return world.snapshots.saveProgress(...given);
    };
    world.pass(2_000);
    await world.run('changes', { poll: world.poller({ snapshots: { ...world.snapshots, saveProgress } }) });
    // Not even what the pass began with.
    expect(saved).toBe(0);
    const asked = world.service.requests
      .slice(before)
      .map(({ path }) => path.replace(/\?.*/, '').split('/').at(-1))
      .filter(last => last !== 'token');
    expect(asked.sort()).toEqual(['auditlog', 'projects', 'tasks']);
    expect((await world.snapshots.readState(world.process)).announced).toBe(announced);
  });

  it('whose snapshot is torn stops no other', async () => {
    await baselined();
    await tear('1002');
    budget('1002', '1');
    budget('1005', '1');
    await world.later();
    await world.later();
    expect(await told()).toEqual(['project.updated 1005 budget: "" → "1"', 'source.skipped 1002']);
    const event = (await world.events()).find(({ type }) => type === 'source.skipped');
    expect(event?.data).toMatchObject({ reason: expect.stringMatching(/poller itself failed/) });
  });

  it('whose snapshot is torn keeps no new project from being told', async () => {
    await baselined();
    await tear('1001');
    const made = world.edit.createProject(PROCESS, { name: 'New' });
    await world.later();
    await world.later();
    expect(await told()).toEqual([`project.created ${made}`]);
  });
});

describe('a sweep over a project that cannot be read', () => {
  it('tells of it as well where only its task list is missing, and tells what changed of its own fields', async () => {
    const baseline = await baselined();
    const missing = refuse('1002', 404);
    budget('1002', '1');
    await world.later('sweep');
    expect(await told()).toEqual(['project.updated 1002 budget: "" → "1"']);
    expect(await owed()).toMatchObject([{ id: '1002', cause: 'no-task-list' }]);
    await world.later('sweep');
    expect((await told()).at(-1)).toBe('source.skipped 1002');
    missing.cancel();
    await world.later('sweep');
    expect(await owed()).toEqual([]);
    await expectConverged(baseline);
  });

  it('goes on with deletions, though the snapshot of one that is gone is torn', async () => {
    await baselined({ freedoms: { auditDenied: 403 } });
    await tear('1002');
    for (const id of ['1002', '1005']) world.edit.deleteProject(PROCESS, id);
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    await world.later('sweep');
    expect(await told()).toEqual(['task.deleted 1005/500005', 'project.deleted 1005', 'source.skipped 1002']);
  });
});

describe('too many projects that cannot be read', () => {
  const outage = async () => {
    const baseline = await baselined({ projects: 14 });
    const ids = Array.from({ length: 11 }, (_, index) => String(1001 + index));
    const refusals = ids.map(id => refuse(id));
    for (const id of [...ids, '1014']) budget(id, '1');
    return { baseline, end: () => refusals.forEach(({ cancel }) => void cancel()) };
  };

  it('are an outage: the pass fails, tells of none of them, and the others still go on', async () => {
    const { baseline, end } = await outage();
    for (let pass = 0; pass < 3; pass++) {
      await expect(world.later()).rejects.toThrow(
        /11 project\(s\) cannot be read or committed.*10\d\d\/tasks.*403/,
      );
    }
    await expect(world.later('sweep')).rejects.toThrow(/11 project/);
    expect(await told()).toEqual(['project.updated 1014 budget: "" → "1"']);
    expect(await owed()).toEqual([]);
    end();
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    await expectConverged(baseline);
  });
});
