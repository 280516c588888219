import { describe, expect, it } from 'vitest';
import { Pass, type PassParts } from '../../functions/pass/pass.ts';
import { Reports } from '../../functions/pass/reports.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { sweepPass } from '../../functions/pass/sweep-pass.ts';
import { type ProcessState, UNKNOWN_PROCESS } from '../../functions/snapshots/state.ts';
import { tooManyRequests } from '../../local/simulated-service/server.ts';
import { hide } from '../support/hide.ts';
import { isTasksOf, openStage } from '../support/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../support/world.ts';

const stage = openStage();
let world: World;

async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create({ tasksPerProject: 0, ...options });
  await world.run();
  return world;
}
const { told } = stage;
const warnings = () => world.said.filter(({ level }) => level === 'warn');

describe('a sweep', () => {
  it('asks for the list of projects and for each task list once, not for the audit log, and warns of nothing', async () => {
    await baselined();
    world.service.clearRequests();
    const report = await world.later('sweep');
    expect(report).toEqual({ mode: 'sweep', outcome: 'completed', projects: 3, commits: 0, events: 0 });
    const asked = world.service.requests.flatMap(
      ({ path }) => path.match(/\/processes\/onboarding\/([^?]*)/)?.[1] ?? [],
    );
    const tasks = ['1001', '1002', '1003'].map(id => `projects/${id}/tasks`);
    expect(asked.sort()).toEqual(['coverpage', 'projects', ...tasks, 'task-custom-fields']);
    expect(warnings()).toEqual([]);
  });

  it('invariant 2: narrows down when a project was created that it did not find', async () => {
    await baselined();
    await world.later('sweep', 600_000);
    const swept = world.clock.now;
    world.pass(60_000);
    world.edit.createProject(PROCESS, { name: 'New' });
    await world.later();
    const [event] = await world.events();
    expect(event).toMatchObject({
      type: 'project.created',
      data: { observed: { after: new Date(swept).toISOString() } },
    });
  });

  it('invariant 2: does not narrow down when something happened to a project that its list lacked', async () => {
    await baselined();
    const { recordReadAt } = (await world.snapshots.load(world.process, '1002')) ?? {};
    world.pass(600_000);
    world.edit.updateProject(PROCESS, '1002', { budget: '1' });
    hide(world, ['1002']);
    await world.later('sweep');
    await world.later();
    const [event] = await world.events();
    expect(event?.data).toMatchObject({ observed: { after: new Date(recordReadAt ?? 0).toISOString() } });
  });

  it('whose end could not be saved is not completed', async () => {
    await baselined();
    const poll = world.poller({ snapshots: { ...world.snapshots, finish: async () => false } });
    const { sweptAt } = await world.snapshots.readState(world.process);
    world.pass(60_000);
    expect(await world.run('sweep', { poll })).toMatchObject({ outcome: 'unfinished' });
    expect((await world.snapshots.readState(world.process)).sweptAt).toBe(sweptAt);
  });

  it('is completed by our clock when it ends, also when it was not certain of all; the baseline is one', async () => {
    await baselined();
    const state = () => world.snapshots.readState(world.process);
    expect((await state()).sweepCompletedAt).toBe(world.clock.now);
    const { sweptAt } = await state();
    world.pass(600_000);
    world.service.fail({ when: isTasksOf('1002'), times: 99, fault: { status: 403 } });
    expect(await world.run('sweep')).toMatchObject({ outcome: 'completed' });
    expect(await state()).toMatchObject({ sweepCompletedAt: world.clock.now, sweptAt });
    await world.later();
    expect((await state()).sweepCompletedAt).toBe(world.clock.now - 60_000);
  });

  it('that could read next to nothing is not completed', async () => {
    await baselined({ projects: 30 });
    const { sweepCompletedAt } = await world.snapshots.readState(world.process);
    const when = ({ path }: { path: string }) => path.includes('/tasks');
    world.service.fail({ when, times: 9_999, fault: { status: 403 } });
    world.pass(600_000);
    await expect(world.run('sweep')).rejects.toThrow(/can not be read/);
    expect((await world.snapshots.readState(world.process)).sweepCompletedAt).toBe(sweepCompletedAt);
  });

  it('invariant 8: keeps its lease however long it asks after projects that no listing shows', async () => {
    await baselined({ projects: 12 });
    const ids = Array.from({ length: 8 }, (_, index) => String(1001 + index));
    hide(world, ids);
    let other: PassReport | undefined;
    for (const id of ids) {
      const before = async () => {
        world.pass(9_000);
        if (id === ids.at(-1)) other = await world.run('sweep');
      };
      world.service.fail({ when: isTasksOf(id), fault: { before } });
    }
    world.pass(60_000);
    expect(await world.run('sweep')).toMatchObject({ outcome: 'completed' });
    expect(other).toMatchObject({ outcome: 'busy' });
    expect((await world.snapshots.readState(world.process)).missing).toEqual(ids);
  });

  it('remembers only so many missing projects as one item of the table holds', async () => {
    const ids = Array.from({ length: 2_001 }, (_, index) => String(1001 + index));
    const page = { readAt: 0, clock: 'service', after: undefined, hasNextPage: false, items: [] };
    let saved: Partial<ProcessState> = {};
    const process = { workspace: 'eu', processId: 'p' };
    const state = { ...UNKNOWN_PROCESS, baselined: true };
    const silent = { info: () => {}, warn: () => {}, error: () => {} };
    const pages = async function* () {
      yield page;
    };
    const parts = {
      process,
      state,
      log: silent,
      reports: new Reports(process, silent, []),
      definitions: { fresh: async () => undefined },
      service: { projects: pages, tasks: pages },
      snapshots: {
        saveProgress: async () => true,
        readState: async () => state,
        held: async () => new Set(),
        projectIds: async function* () {
          yield* ids;
        },
        finish: async (_process: unknown, _lease: unknown, ended: Partial<ProcessState>) => {
          saved = ended;
          return true;
        },
      },
      clock: () => 0,
      concurrency: 1,
      stopAt: 60_000,
    } as unknown as PassParts;
    const pass = new Pass(parts, { mode: 'sweep', owner: 'me', window: undefined, progress: undefined });
    expect(await sweepPass(pass)).toBe('completed');
    expect(saved.missing).toEqual(ids.slice(0, 2_000));
  });
});

describe('a project that a sweep missed once', () => {
  const missed = async () => {
    await baselined();
    hide(world, ['1002'], 3);
    await world.later('sweep');
    expect((await world.snapshots.readState(world.process)).missing).toEqual(['1002']);
  };

  it.each([
    ['is refused', { status: 403 }],
    ['fails', { status: 500 }],
    ['is a page of HTML', { status: 200, body: '<html></html>' }],
  ])('invariant 9: is not deleted by the next one while its task list %s', async (_, fault) => {
    await missed();
    world.service.fail({ when: isTasksOf('1002'), times: 1_000, fault });
    expect(await world.later('sweep')).toMatchObject({ outcome: 'completed', events: 0 });
    expect(await world.snapshots.load(world.process, '1002')).toBeDefined();
  });

  it.each([
    ['its token is refused', { status: 401 }, /status 401/],
    ['it asks too often', tooManyRequests(1), /status 429/],
    ['the service can not be reached', 'destroy', /1002\/tasks/],
  ] as const)(
    'invariant 9: is left to the sweep after one that ends because %s',
    async (_, fault, message) => {
      await missed();
      const failing = world.service.fail({ when: isTasksOf('1002'), times: 1_000, fault });
      await expect(world.later('sweep')).rejects.toThrow(message);
      expect(await told()).toEqual([]);
      failing.cancel();
      expect(await world.later('sweep')).toMatchObject({ outcome: 'completed', events: 1 });
      expect(await told()).toEqual(['project.deleted 1002']);
    },
  );

  it('invariant 9: is not deleted because no token can be had, though the answer to that is 404', async () => {
    await missed();
    world.service.fail({ when: isTasksOf('1002'), fault: { status: 401 } });
    world.service.fail({ when: ({ path }) => path.includes('/oauth/token'), fault: { status: 404 } });
    await expect(world.later('sweep')).rejects.toThrow(/oauth\/token: status 404/);
    expect(await told()).toEqual([]);
  });

  it('invariant 9: is not counted as missed by a sweep that could not ask for its task list', async () => {
    await baselined();
    hide(world, ['1002'], 3);
    world.service.fail({ when: isTasksOf('1002'), fault: { status: 403 } });
    for (let sweep = 0; sweep < 2; sweep++) {
      await world.later('sweep');
      expect(await told()).toEqual([]);
    }
    await world.later('sweep');
    expect(await told()).toEqual(['project.deleted 1002']);
  });
});
