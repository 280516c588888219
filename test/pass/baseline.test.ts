import { describe, expect, it } from 'vitest';
import { ServiceStatusError } from '../../functions/service/errors.ts';
import { isWholeListing } from '../kit/hide.ts';
import { knownIn, owedIn } from '../kit/owed.ts';
import { ids, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const MINUTE = 60_000;
const DONE = { mode: 'baseline', outcome: 'completed' };
const stage = openStage();
const { owed, refuse, runOver, state, told, warned } = stage;
let world: World;

const create = async (options: WorldOptions = {}) => {
  world = await stage.create({ projects: 6, settings: { concurrency: 1 }, ...options });
};
/** Runs that each fail with this message. */
const failing = async (runs: number, message: RegExp, ms = MINUTE) => {
  for (let run = 0; run < runs; run++) await expect(world.later('changes', ms)).rejects.toThrow(message);
};
/** A run whose time is over in the midst of the projects. */
const interrupted = (progress: string[] = []) =>
  runOver({}, 'changes', {
    onProgress: ({ mode, done, total }) => {
      progress.push(`${mode} ${done}/${total}`);
      world.pass(200);
    },
    remaining: 700,
  });

describe('a baseline', () => {
  it('reads each thing once, though it takes several runs: only its list of projects is read in each', async () => {
    await create();
    const progress: string[] = [];
    expect(await interrupted(progress)).toMatchObject({ outcome: 'unfinished' });
    expect(stage.asked(/\/projects\?/)).toBe(1);
    const onProgress = ({ mode, done, total }: { mode: string; done: number; total: number }) =>
      progress.push(`${mode} ${done}/${total}`);
    expect(await runOver({}, 'changes', { onProgress })).toMatchObject(DONE);
    expect([progress[0], progress.at(-1)]).toEqual(['baseline 0/6', 'baseline 6/6']);
    const asked = world.service.requests.flatMap(({ path }) => path.match(/onboarding\/([^?]*)/)?.[1] ?? []);
    const tasks = ids(6).map(id => `projects/${id}/tasks`);
    expect(asked.filter(path => !/coverpage|fields/.test(path)).sort()).toEqual(
      ['auditlog', 'projects', 'projects', ...tasks].sort(),
    );
    expect(await knownIn(world)).toEqual(ids(6));
    expect(await told()).toEqual([]);
  });

  it('whose end could not be saved is not completed', async () => {
    await create();
    expect(await runOver({ finish: async () => false })).toMatchObject({
      outcome: 'unfinished',
      projects: 6,
    });
    expect((await state()).baselined).toBe(false);
    expect(await world.later()).toMatchObject(DONE);
  });

  it('commits one project after the other: transactions on one item refuse each other', async () => {
    await create({ settings: { concurrency: 4 } });
    let now = 0;
    let most = 0;
    await runOver({
      commit: async (process, request) => {
        most = Math.max(most, ++now);
        const result = await world.snapshots.commit(process, request);
        now -= 1;
        return result;
      },
    });
    expect(most).toBe(1);
  });
});

describe('a project that cannot be read in a baseline', () => {
  it('is what the failure of the run rests on', async () => {
    await create();
    refuse('1002');
    await expect(world.run()).rejects.toMatchObject({
      message: expect.stringMatching(/1002.* and then does without\.$/),
      cause: expect.any(ServiceStatusError),
    });
  });

  it('is not emitted as skipped, though it fails again in a run after a clock that was set back', async () => {
    await create();
    refuse('1002');
    expect(await interrupted()).toMatchObject({ outcome: 'unfinished' });
    // Now the project seems to have failed before the baseline began.
    world.pass(-3_600_000);
    await failing(3, /1 project\(s\) cannot be read.*1002.*403/);
    expect([await told(), await owed()]).toEqual([[], ['1002 unreadable']]);
  });

  it('is left out when it cannot be read for five minutes: all others are emitted', async () => {
    await create();
    refuse('1002');
    refuse('1004', 500);
    await failing(5, /^2 project\(s\) cannot be read\. The first, 1002: .*waits 5 minutes/);
    expect(await world.later()).toMatchObject(DONE);
    expect(await owedIn(world)).toMatchObject([
      { id: '1002', since: 0, reason: expect.stringMatching(/403/), isReported: false },
      { id: '1004', since: 0, reason: expect.stringMatching(/500/), isReported: false },
    ]);
    const code = 'baseline.project-left-out';
    const reason = expect.stringMatching(/status/);
    expect(warned(/^The baseline ends without a project/)).toEqual(
      ['1002', '1004'].map(projectId => ({ ...world.process, code, projectId, reason })),
    );
    expect(warned(/omitted/)).toEqual([]);
    stage.budget('1001');
    for (let pass = 0; pass < 2; pass++) await world.later();
    expect((await told()).sort()).toEqual([
      'project.updated 1001 budget: "" → "1"',
      'source.skipped 1002',
      'source.skipped 1004',
    ]);
  });

  it('invariant 2: is emitted as created once it can, since 1970: nobody knows when it was', async () => {
    await create();
    const refused = refuse('1002');
    await failing(5, /1002/);
    await world.later();
    await world.later('changes', 30 * 86_400_000);
    world.edit.createProject(PROCESS, { name: 'New' });
    const { sweptAt } = await state();
    refused.cancel();
    await world.later();
    const created = (await world.events()).filter(({ type }) => type.endsWith('.created'));
    const times = [0, 0, 0, sweptAt].map(time => new Date(time).toISOString());
    expect(created.map(({ data }) => 'observed' in data && data.observed.after)).toEqual(times);
    expect(await owed()).toEqual([]);
  });

  it('is not waited for during an outage: the five minutes begin when only a few cannot be read', async () => {
    await create({ projects: 14 });
    const refusals = ids(11).map(id => refuse(id));
    await failing(3, /^11 project\(s\) cannot be read/, 5 * MINUTE);
    for (const { cancel } of refusals.slice(1)) cancel();
    const waits = /^1 project\(s\) cannot be read.*waits 5 minutes/;
    await failing(1, waits);
    await failing(1, waits, 5 * MINUTE - 1);
    expect(await world.later('changes', 1)).toMatchObject(DONE);
    expect(await owed()).toEqual(['1001 unreadable']);
  });
});

describe('a listing that passed over a project', () => {
  /** Listings that there is time to read once only. Each page takes 15 s, and a project goes between the first and the second: 1003 is
   *  passed over. */
  const passOver1003 = (when: (request: { path: string }) => boolean) => {
    let pages = 0;
    const before = () => {
      pages += 1;
      if (pages === 2) world.edit.deleteProject(PROCESS, '1002');
      world.pass(15_000);
    };
    return world.service.fail({ when, times: 4, fault: { before } });
  };
  const isListing = ({ path }: { path: string }) => path.includes('/projects?');
  const SHORT = { remaining: 150_000 };
  /** A run whose time is over after the third project: 1003 would have been one of those. */
  const untilThird = {
    ...SHORT,
    onProgress: ({ done }: { done: number }) => done === 3 && world.pass(150_000),
  };
  const open = () => create({ projects: 8, pageSize: { projects: 2 }, freedoms: { cursors: 'offset' } });

  it('invariant 2: does not end a baseline, which reports that; the next run takes the project', async () => {
    await open();
    passOver1003(isListing);
    await expect(world.run('changes', SHORT)).rejects.toThrow(
      /^The list of projects changed each time that it was read.*\. The baseline waits 5 minutes/,
    );
    expect(await world.later()).toMatchObject(DONE);
    expect(await knownIn(world)).toContain('1003');
  });

  it('ends a baseline after five minutes all the same, with a warning of what that means', async () => {
    await open();
    world.service.fail({ when: isListing, times: 100, fault: { before: () => world.pass(15_000) } });
    const late = () => {
      world.pass(2 * MINUTE);
      return world.run('changes', SHORT);
    };
    for (let run = 0; run < 2; run++) await expect(late()).rejects.toThrow(/waits 5 minutes/);
    expect(await late()).toMatchObject(DONE);
    expect(warned(/omitted is emitted as created later; the baseline ends anyway/)).toEqual([
      { ...world.process, code: 'baseline.unstable-list' },
    ]);
    expect(await state()).toMatchObject({ sweptAt: 0, projects: undefined });
  });

  it('invariant 2: holds up a baseline for a project without a task list, of which the second listing lacks it', async () => {
    await open();
    for (const { id } of world.edit.tasks(PROCESS, '1003'))
      world.edit.deleteTask(PROCESS, '1003', String(id));
    refuse('1003', 404);
    let listings = 0;
    const isSecond = (request: { path: string }) => {
      if (isListing(request) && !request.path.includes('after=')) listings += 1;
      return isListing(request) && listings > 2;
    };
    const slow = passOver1003(isSecond);
    for (let run = 0; run < 4; run++) await runOver({}, 'changes', SHORT).catch(() => undefined);
    slow.cancel();
    await world.later();
    await world.later('sweep');
    expect((await told()).filter(line => line.includes('created'))).toEqual([]);
  });

  it('invariant 1: in an earlier run of a `changes` pass, leaves the watermark where it was', async () => {
    await open();
    await world.run();
    for (let pass = 0; pass < 2; pass++) await world.later('changes', 10 * MINUTE);
    stage.budget(ids(8), '7');
    world.pass(4 * MINUTE);
    const slow = passOver1003(({ path }) => path.includes('updatedAfter'));
    expect((await runOver({}, 'changes', untilThird)).outcome).toBe('unfinished');
    slow.cancel();
    for (let pass = 0; pass < 3; pass++) await world.later('changes', 10 * MINUTE);
    expect(await told()).toContain('project.updated 1003 budget: "" → "7"');
  });

  it('does not make its sweep the time since which everything was read', async () => {
    await open();
    await world.run();
    const { sweptAt } = await state();
    const slow = passOver1003(isWholeListing);
    world.pass(9 * MINUTE);
    await runOver({}, 'sweep', SHORT);
    slow.cancel();
    expect((await state()).sweptAt).toBe(sweptAt);
    await world.later('sweep');
    expect((await state()).sweptAt).toBeGreaterThan(sweptAt);
  });
});
