import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { projectKey } from '../../functions/store/keys.ts';
import type { RecheckChange, Snapshots } from '../../functions/store/store.ts';
import { hide, isWholeListing } from '../kit/hide.ts';
import { owedIn } from '../kit/owed.ts';
import { ids, isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const MINUTE = 60_000;
const stage = openStage();
const { budget, owed, refuse, told, warned } = stage;
let world: World;

const settled = async (options: WorldOptions = {}) => {
  world = await stage.settled({ projects: 6, tasksPerProject: 1, ...options });
};
const skipped = async () => (await stage.state()).skipped;
/** From now on its task list is refused; its record changed, so that the next pass asks for it. */
const fail = (id: string) => {
  budget(id);
  return refuse(id);
};
/** All of these are skipped, and subscribers know. */
const skippedAll = async (...failing: string[]) => {
  const refusals = failing.map(fail);
  for (let pass = 0; pass < 2; pass++) await world.later();
  expect(await skipped()).toBe(failing.length);
  return refusals;
};
/** The project says that it has parts which are not there. */
const tear = (id: string) =>
  stage.table.client.send(
    new UpdateItemCommand({
      TableName: stage.table.tableName,
      Key: projectKey(world.process, id),
      UpdateExpression: 'SET parts = :two',
      ExpressionAttributeValues: { ':two': { N: '2' } },
    }),
  );

describe('source.skipped', () => {
  it('is emitted once, when a project failed in two passes; the passes complete, and all others are emitted', async () => {
    await settled();
    fail('1002');
    budget('1005');
    const { sweptAt, watermark } = await stage.state();
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
    expect((await stage.state()).watermark).toBeGreaterThan(watermark);
    expect((await world.figures()).withRechecks).toBe(1);
    const about = { ...world.process, projectId: '1002' };
    const why = expect.stringMatching(/status 403/);
    const failed = { ...about, code: 'pass.project-failed', error: why };
    expect(warned(/continues with the others/)).toEqual([failed]);
    const emitted = { ...about, code: 'project.skipped', reason: why };
    expect(warned(/a source.skipped event was emitted/)).toEqual([emitted]);
    expect(warned()).toHaveLength(2);
  });

  it('is emitted for a project whose requests get no answer while others do; with four such projects more, the pass fails', async () => {
    await settled();
    const silence = (...silent: string[]) => {
      for (const id of silent) world.service.fail({ when: isTasksOf(id), times: 1_000, fault: 'destroy' });
      budget([...silent, '1006']);
    };
    silence('1001');
    for (let pass = 0; pass < 2; pass++) expect(await world.later()).toMatchObject({ outcome: 'completed' });
    silence('1002', '1003', '1004', '1005');
    await expect(world.later()).rejects.toThrow('the connection failed');
    expect(await told()).toEqual(['project.updated 1006 budget: "" → "1"', 'source.skipped 1001']);
    // The first three are known then.
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
  });

  it('is emitted for all that a completed sweep could not read, more than a `changes` pass may newly meet', async () => {
    await settled({ projects: 60, tasksPerProject: 0 });
    for (const id of ids(12)) fail(id);
    for (const mode of ['sweep', 'changes'] as const)
      expect(await world.later(mode)).toMatchObject({ outcome: 'completed' });
    expect((await told()).filter(one => one.startsWith('source.skipped'))).toHaveLength(12);
  });

  it('is no outage to a `changes` pass that retries what a sweep met so far, which is not completed', async () => {
    await settled({ projects: 60, tasksPerProject: 0, settings: { concurrency: 1 } });
    for (const id of ids(12)) refuse(id);
    const before = () => world.pass(1_000);
    world.service.fail({ when: ({ path }) => /10[2-6]\d\/tasks/.test(path), times: 99, fault: { before } });
    expect(await world.run('sweep', { remaining: 60_000 })).toMatchObject({ outcome: 'unfinished' });
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
  });

  it('invariant 8: is emitted, and logged, by one of two passes that meet the failure at the same time', async () => {
    await settled();
    fail('1002');
    await world.later();
    let announcements = 0;
    const announce: Snapshots['announce'] = async (...given) => {
      announcements += 1;
      if (announcements === 1) await world.run('changes');
      return world.snapshots.announce(...given);
    };
    const sweep = await stage.runOver({ announce }, 'sweep');
    // The one that came too late: nothing was left to emit.
    expect(announcements).toBe(1);
    expect(sweep).toMatchObject({ outcome: 'completed', events: 0 });
    expect(sweep).not.toHaveProperty('skippedNoLonger');
    expect(await told()).toEqual(['source.skipped 1002']);
    expect(warned(/a source.skipped event was emitted/)).toHaveLength(1);
  });

  it('hides what went wrong in the poller itself: a torn snapshot, which stops no other project', async () => {
    await settled();
    await tear('1002');
    await tear('1001');
    budget(['1002', '1005']);
    const made = world.edit.createProject(PROCESS, { name: 'New' });
    for (let pass = 0; pass < 2; pass++) await world.later();
    expect((await told()).sort()).toEqual([
      `project.created ${made}`,
      'project.updated 1005 budget: "" → "1"',
      'source.skipped 1002',
    ]);
    const event = (await world.events()).find(({ type }) => type === 'source.skipped');
    expect(event?.data).toMatchObject({ reason: expect.stringMatching(/poller itself failed/) });
  });

  it('is emitted by sweeps, too, which emit what changed of its own fields, and what was deleted', async () => {
    await settled({ freedoms: { auditDenied: 403 } });
    const missing = refuse('1002', 404);
    budget('1002');
    await tear('1003');
    for (const id of ['1003', '1005']) world.edit.deleteProject(PROCESS, id);
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    expect(await owedIn(world)).toMatchObject([
      { id: '1002', reason: expect.stringMatching(/^Project 1002 is listed, .*answers 404\. Its tasks /) },
      { id: '1003', cause: 'unreadable' },
    ]);
    await world.later('sweep');
    expect((await told()).sort()).toEqual([
      'project.deleted 1005',
      'project.updated 1002 budget: "" → "1"',
      'source.skipped 1002',
      'source.skipped 1003',
      'task.deleted 1005/500005',
    ]);
    missing.cancel();
    await world.later('sweep');
    expect(await owed()).toEqual(['1003 unreadable, told']);
  });

  it('is emitted for another cause than the first, in the write of its recheck', async () => {
    await settled();
    const refusal = fail('1002');
    await world.later();
    refusal.cancel();
    refuse('1002', 404);
    const written: RecheckChange[] = [];
    const writeRechecks: Snapshots['writeRechecks'] = (process, changes) => {
      written.push(...changes);
      return world.snapshots.writeRechecks(process, changes);
    };
    await stage.runOver({ writeRechecks });
    expect(await told()).toContain('source.skipped 1002');
    expect(await owed()).toEqual(['1002 no-task-list, told']);
    expect(written).toEqual([]);
  });

  it('is not emitted by a pass that lost its lease after its walk; what it met is owed a look all the same', async () => {
    await settled();
    fail('1002');
    const takeOver: Snapshots['load'] = async (...given) => {
      const now = world.clock.now + 61_000;
      const request = { mode: 'changes', owner: 'other', now, until: now + MINUTE } as const;
      await world.snapshots.takeLease(world.process, request);
      return world.snapshots.load(...given);
    };
    expect(await stage.runOver({ load: takeOver })).toMatchObject({ outcome: 'busy' });
    expect([await told(), await owed()]).toEqual([[], ['1002 unreadable']]);
  });
});

it('the count of skipped projects has those that subscribers know of, and no other rechecks', async () => {
  await settled();
  hide(world, ['1003']);
  await world.later('sweep');
  fail('1002');
  for (const [count, recheck] of [
    [0, '1002 unreadable'],
    [1, '1002 unreadable, told'],
    [1, '1002 unreadable, told'],
  ] as const) {
    expect(await world.later()).not.toHaveProperty('skippedNoLonger');
    expect([await skipped(), await owed()]).toEqual([count, [recheck, '1003 not-listed']]);
  }
});

it('the count of skipped projects goes down in the pass that reads one of them, while another one newly fails', async () => {
  await settled();
  const [refusal] = await skippedAll('1002', '1004');
  refusal?.cancel();
  fail('1005');
  expect(await world.later()).toMatchObject({ skippedNoLonger: ['1002'] });
  expect(await skipped()).toBe(1);
  await world.later();
  expect(await skipped()).toBe(2);
});

it('a skipped project costs one request in a pass over unchanged data, and no write', async () => {
  await settled();
  fail('1002');
  for (let pass = 0; pass < 3; pass++) await world.later('changes', 10 * MINUTE);
  world.service.clearRequests();
  const { announced } = await stage.state();
  let saved = 0;
  const saveProgress: Snapshots['saveProgress'] = (...given) => {
    saved += 1;
    return world.snapshots.saveProgress(...given);
  };
  world.pass(-58_000);
  await stage.runOver({ saveProgress });
  // Not even what the pass began with.
  expect(saved).toBe(0);
  const last = world.service.requests.map(({ path }) => path.replace(/\?.*/, '').split('/').at(-1));
  expect(last.filter(one => one !== 'token').sort()).toEqual(['auditlog', 'projects', 'tasks']);
  expect((await stage.state()).announced).toBe(announced);
});

it('invariant 6: a skipped project whose task list stays missing costs no listing of all projects', async () => {
  await settled();
  refuse('1002', 404);
  world.edit.updateTask(PROCESS, '1002', '500002', { status: 'Done' });
  await world.later();
  world.service.clearRequests();
  for (let pass = 0; pass < 3; pass++) await world.later('changes', 10 * MINUTE);
  expect(world.service.requests.filter(isWholeListing)).toEqual([]);
  expect(await owed()).toEqual(['1002 no-task-list, told']);
});

/** They failed for a long time, but that was not emitted yet. */
const failing = async (count: number) => {
  await settled({ projects: count });
  const times = { since: 0, foundAt: 0 };
  const after = { cause: 'unreadable', ...times, reason: 'Refused.', isReported: false } as const;
  const changes = ids(count).map(projectId => ({ projectId, before: undefined, after }));
  await world.snapshots.writeRechecks(world.process, changes);
  for (const id of ids(count)) refuse(id);
};

it('invariant 3: skipped projects of which no transaction holds all are emitted in several announcements, each project once', async () => {
  await failing(150);
  expect(await world.later()).toMatchObject({ outcome: 'completed', events: 150 });
  const skips = ids(150).map(id => `source.skipped ${id}`);
  expect(await told()).toEqual(skips);
  expect(new Set((await world.events()).map(({ id }) => id)).size).toBe(150);
  expect(await skipped()).toBe(150);
  expect(await world.later()).toMatchObject({ outcome: 'completed', events: 0 });
});

it('too many projects that cannot be read are an outage: the pass fails, emits none of them, and the others still go on', async () => {
  await settled({ projects: 14 });
  const refusals = ids(11).map(fail);
  budget('1014');
  const outage = /11 project\(s\) cannot be read or committed.*10\d\d\/tasks.*403/;
  for (const mode of ['changes', 'changes', 'sweep'] as const)
    await expect(world.later(mode)).rejects.toThrow(outage);
  expect([await told(), await owed()]).toEqual([['project.updated 1014 budget: "" → "1"'], []]);
  // The sweep ended: the next one vouches for nothing before.
  expect(await stage.state()).toMatchObject({ isSweepUnfinished: false });
  for (const { cancel } of refusals) cancel();
  expect(await world.later()).toMatchObject({ outcome: 'completed', projects: 12 });
});
