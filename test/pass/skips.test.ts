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
/** The projects as served, but one that nests too deep. */
const withDeep = (id: string, projects: readonly { id: string }[]) => {
  const deep = Array.from({ length: 2_000 }).reduce<object>(inner => ({ inner }), {});
  return projects.map(project => (project.id === id ? { ...project, deep } : project));
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

  it('is not told of a failure that the next pass does not meet', async () => {
    const baseline = await baselined();
    const refusal = refuse('1002', 500);
    budget('1002', '1');
    await world.later();
    refusal.cancel();
    await world.later();
    expect(await told()).toEqual(['project.updated 1002 budget: "" → "1"']);
    expect(await owed()).toEqual([]);
    await expectConverged(baseline);
  });

  it.each(['before', 'after'] as const)(
    'invariant 3: is told once when the run dies %s telling it',
    async when => {
      await baselined();
      refuse('1002');
      budget('1002', '1');
      await world.later();
      const announce: Snapshots['announce'] = async (...given) => {
        if (when === 'after') await world.snapshots.announce(...given);
        throw new Error('died');
      };
      const poll = world.poller({ snapshots: { ...world.snapshots, announce } });
      world.pass(MINUTE);
      await expect(world.run('changes', { poll })).rejects.toThrow('died');
      for (let pass = 0; pass < 3; pass++) await world.later('changes', 61_000);
      expect(await told()).toEqual(['source.skipped 1002']);
    },
  );

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

  it('is told of several in one announcement, each with an id of its own', async () => {
    await baselined();
    for (const id of ['1001', '1004']) {
      refuse(id);
      budget(id, '1');
    }
    await world.later();
    await world.later();
    const events = await world.events();
    expect(await told()).toEqual(['source.skipped 1001', 'source.skipped 1004']);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  });
});

describe('a skipped project', () => {
  it('invariant 1: is told whole once it can be read, however long that was ago, and its record, too', async () => {
    const baseline = await baselined();
    const refusal = refuse('1002');
    budget('1002', '1');
    world.edit.updateTask(PROCESS, '1002', '500002', { status: 'Done' });
    const made = world.edit.createProject(PROCESS, { name: 'New' });
    const unreadable = refuse(made);
    for (let pass = 0; pass < 5; pass++) await world.later('changes', 86_400_000);
    refusal.cancel();
    unreadable.cancel();
    expect(await world.later()).toMatchObject({ skippedNoLonger: ['1002', made] });
    expect(await owed()).toEqual([]);
    await expectConverged(baseline);
    expect(await world.later()).not.toHaveProperty('skippedNoLonger');
    expect(await owing()).toBe(0);
  });

  it('invariant 1: is told whole beside one that was skipped much later', async () => {
    const baseline = await baselined();
    const refusals = [];
    for (const id of ['1002', '1004']) {
      refusals.push(refuse(id));
      budget(id, '1');
      await world.later('changes', 86_400_000);
    }
    for (const { cancel } of refusals) cancel();
    await world.later();
    await expectConverged(baseline);
  });

  it('invariant 1: that only the audit log named is read again, though its record is the one last read', async () => {
    const baseline = await baselined({ freedoms: { taskEditsTouchProject: false } });
    budget('1002', '1');
    await world.later();
    const refusal = refuse('1002');
    world.edit.updateTask(PROCESS, '1002', '500002', { status: 'Done' });
    await world.later('changes', 6_000);
    refusal.cancel();
    await world.later('changes', 6_000);
    await expectConverged(baseline);
  });

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

  it('that was deleted meanwhile is told as deleted', async () => {
    const baseline = await baselined();
    const refusal = refuse('1002');
    budget('1002', '1');
    await world.later();
    await world.later();
    world.edit.deleteProject(PROCESS, '1002', { audit: false });
    refusal.cancel();
    await world.later();
    expect((await told()).at(-1)).toBe('project.deleted 1002');
    expect(await owed()).toEqual([]);
    await expectConverged(baseline);
  });

  it('that nobody ever saw again is forgotten', async () => {
    const baseline = await baselined();
    const made = world.edit.createProject(PROCESS, { name: 'New' });
    const refusal = refuse(made);
    await world.later();
    world.edit.deleteProject(PROCESS, made);
    refusal.cancel();
    await world.later();
    expect(await owed()).toEqual([]);
    await expectConverged(baseline);
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

  it('whose task list is missing, and whose record cannot be used, stops no other', async () => {
    await baselined();
    world.service.fail({ when: isTasksOf('1002'), times: 100, fault: { status: 404 } });
    world.service.fail({
      when: ({ path }) => /\/projects\?/.test(path) && !path.includes('updatedAfter'),
      times: 100,
      fault: { change: body => ({ ...body, projects: withDeep('1002', body.projects as never) as never }) },
    });
    world.edit.updateTask(PROCESS, '1002', '500002', { status: 'Done' }, { touch: false });
    world.pass(10 * MINUTE);
    budget('1005', '1');
    for (let pass = 0; pass < 3; pass++) expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(await told()).toContain('project.updated 1005 budget: "" → "1"');
    expect((await owed()).map(({ id }) => id)).toEqual(['1002']);
  });

  it('invariant 1: whose task list is missing stays skipped, though only the audit log named it', async () => {
    const baseline = await baselined({ freedoms: { taskEditsTouchProject: false } });
    const missing = refuse('1002', 404);
    world.edit.updateTask(PROCESS, '1002', '500002', { status: 'Done' });
    for (let pass = 0; pass < 3; pass++) await world.later('changes', 10 * MINUTE);
    const [{ id, reason } = {}] = await owed();
    expect(id).toBe('1002');
    expect(reason).toMatch(/^Project 1002 is listed, .*answers 404\. Its tasks .* can be opened there\.$/);
    missing.cancel();
    await world.later();
    expect(await told()).toEqual([
      'source.skipped 1002',
      'task.updated 1002/500002 status: "To do" → "Done"',
    ]);
    await expectConverged(baseline);
  });

  it('of a task that cannot be used is told as soon as it can', async () => {
    const baseline = await baselined();
    const wrong = world.service.fail({
      when: isTasksOf('1002'),
      times: 100,
      fault: { change: body => ({ ...body, tasks: [{ name: 'no identifier' }] as never }) },
    });
    budget('1002', '1');
    await world.later();
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(await told()).toEqual(['source.skipped 1002']);
    wrong.cancel();
    await world.later();
    await expectConverged(baseline);
  });
});

describe('a sweep over a project that cannot be read', () => {
  it('completes, tells of it when it meets it again, and tells what was deleted', async () => {
    await baselined({ freedoms: { auditDenied: 403 } });
    const refusal = refuse('1002');
    world.edit.deleteProject(PROCESS, '1005');
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    await world.later('sweep');
    expect(await told()).toEqual(['task.deleted 1005/500005', 'project.deleted 1005', 'source.skipped 1002']);
    refusal.cancel();
    world.edit.updateTask(PROCESS, '1002', '500002', { status: 'Done' });
    await world.later();
    expect((await told()).at(-1)).toBe('task.updated 1002/500002 status: "To do" → "Done"');
    expect(await owed()).toEqual([]);
  });

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

  it('invariant 8: beside a `changes` pass forgets no project that the other one found', async () => {
    await baselined();
    refuse('1002');
    refuse('1004');
    budget('1004', '1');
    const announce: Snapshots['announce'] = async (...given) => {
      await world.run('changes');
      return world.snapshots.announce(...given);
    };
    world.pass(MINUTE);
    await world.run('sweep', { poll: world.poller({ snapshots: { ...world.snapshots, announce } }) });
    expect((await owed()).map(({ id }) => id).sort()).toEqual(['1002', '1004']);
  });

  it('goes on with deletions, though the snapshot of one that is gone is torn', async () => {
    await baselined({ freedoms: { auditDenied: 403 } });
    await tear('1002');
    for (const id of ['1002', '1005']) world.edit.deleteProject(PROCESS, id);
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    await world.later('sweep');
    expect(await told()).toEqual(['task.deleted 1005/500005', 'project.deleted 1005', 'source.skipped 1002']);
  });

  it('goes on with deletions, though the task list of one unlisted project fails', async () => {
    await baselined({ freedoms: { auditDenied: 403 } });
    for (const id of ['1002', '1005']) world.edit.deleteProject(PROCESS, id);
    refuse('1002', 500);
    await world.later('sweep');
    expect(await told()).toEqual(['task.deleted 1005/500005', 'project.deleted 1005']);
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

  it('are no outage when they are known: ten more may fail', async () => {
    await baselined({ projects: 14 });
    for (let id = 1001; id <= 1012; id++) {
      refuse(String(id));
      budget(String(id), '1');
      await world.later();
    }
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(await owed()).toHaveLength(12);
  });
});

describe('a pass that runs out of time behind a project that cannot be read', () => {
  it.each(['changes', 'sweep'] as const)('comes to its end, run by run: %s', async mode => {
    const baseline = await baselined({ projects: 8, settings: { concurrency: 1 } });
    const refusal = refuse('1001');
    for (let id = 1001; id <= 1008; id++) budget(String(id), '1');
    const poll = world.poller({ onProgress: () => world.pass(3_000) });
    world.pass(MINUTE);
    const outcomes: string[] = [];
    while (outcomes.at(-1) !== 'completed' && outcomes.length < 9) {
      world.pass(MINUTE);
      outcomes.push((await world.run(mode, { poll, remaining: 20_000 })).outcome);
    }
    expect(outcomes.length).toBeGreaterThan(1);
    expect(outcomes.at(-1)).toBe('completed');
    expect((await owed()).map(({ id }) => id)).toEqual(['1001']);
    refusal.cancel();
    await world.later();
    await expectConverged(baseline);
  });
});
