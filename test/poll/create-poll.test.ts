import { beforeEach, describe, expect, it } from 'vitest';
import { createPoll, type PollDependencies } from '../../functions/create-poll.ts';
import type { Page, Service, ServiceRecord } from '../../functions/service/service.ts';
import { type WorkspaceSettings, workspaceSettings } from '../../functions/settings.ts';
import { createSnapshots } from '../../functions/snapshots/dynamo-snapshots.ts';
import type { Mode, Snapshots } from '../../functions/snapshots/snapshots.ts';
import type { ProcessState } from '../../functions/snapshots/state.ts';
import type { Values } from '../../functions/telemetry.ts';
import { openModel } from '../support/table.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

const workspace = (name: string, more: Partial<WorkspaceSettings> = {}): WorkspaceSettings =>
  workspaceSettings.parse({
    name,
    baseUrl: 'https://service.example',
    authUrl: 'https://service.example/token',
    audience: 'a',
    credentials: 'c',
    concurrency: 1,
    processes: [{ id: 'first' }, { id: 'onboarding' }],
    ...more,
  });

/** The same with and without a deadline: what a test replaces stays replaced. */
function untimed(snapshots: Snapshots): Snapshots {
  const same: Snapshots = { ...snapshots, until: () => same };
  return same;
}

/** The poller over the table's model and a service in memory, on one clock that only the test moves. */
function openPoll(more: Partial<PollDependencies> = {}) {
  const world = {
    now: AT,
    remaining: 15 * MINUTE,
    /** By id: the project's record, as the service shows it. */
    projects: new Map<string, object>(),
    /** Called when a project's tasks are asked for. */
    onTasks: (_id: string): void => {},
    asked: [] as string[],
  };
  const said: [string, string, object][] = [];
  const counts: Values[] = [];
  const connected: string[] = [];
  const deadlines: number[] = [];
  async function* pageOf<Item>(items: readonly Item[]): AsyncGenerator<Page<Item>> {
    yield { items, readAt: world.now, clock: 'service', after: undefined, hasNextPage: false };
  }
  const service: Service = {
    projects: processId => {
      world.asked.push(processId);
      const records = [...world.projects].map(([id, fields]) => ({ id, fields }) as ServiceRecord);
      return pageOf(records);
    },
    tasks: (_processId, id) => {
      world.onTasks(id);
      return pageOf<ServiceRecord>([]);
    },
    auditLog: () => pageOf([]),
    users: () => pageOf([]),
    user: async id => ({ id, fields: {} }),
    coverpage: async () => [],
    taskCustomFields: async () => [],
  };
  const say = (level: string) => (message: string, details: object) =>
    void said.push([level, message, details]);
  const snapshots = createSnapshots(openModel());
  const dependencies: PollDependencies = {
    workspaces: [workspace('us'), workspace('eu')],
    connect: ({ name }) => {
      connected.push(name);
      return {
        open: ({ deadline }) => {
          deadlines.push(deadline);
          return service;
        },
        close: async () => undefined,
      };
    },
    clock: () => world.now,
    random: () => 0.5,
    log: { info: say('info'), warn: say('warn'), error: say('error') },
    count: values => void counts.push(values),
    ...more,
    snapshots: untimed(more.snapshots ?? snapshots),
  };
  const poll = createPoll(dependencies);
  let runs = 0;
  return {
    ...{ world, said, counts, connected, deadlines, snapshots },
    run: (mode: Mode = 'changes', target = { workspace: 'eu', processId: 'onboarding' }) =>
      poll(
        { ...target, mode },
        { awsRequestId: `run-${++runs}`, getRemainingTimeInMillis: () => world.remaining },
      ),
    poll: (event: unknown) => poll(event, { awsRequestId: 'x', getRemainingTimeInMillis: () => 1e6 }),
    /** Forgets what was said and counted so far. */
    forget: () => {
      for (const list of [said, counts, deadlines, world.asked]) list.length = 0;
    },
    /** What was counted, by name. */
    counted: () => Object.assign({}, ...counts),
  };
}
type Poller = ReturnType<typeof openPoll>;

const process = { workspace: 'eu', processId: 'onboarding' };
const project = (version: number) => ({ id: 'p1', name: 'Acme', budget: `${version}` });

/** A process well behind its baseline, with projects `p1` to `p3`. */
async function baselined(more: Partial<PollDependencies> = {}): Promise<Poller> {
  const opened = openPoll(more);
  for (const id of ['p1', 'p2', 'p3']) opened.world.projects.set(id, { id, name: id });
  await opened.run();
  opened.world.now += 10 * MINUTE;
  opened.forget();
  return opened;
}

/** Snapshots whose state is another than the table's. */
const withState = (snapshots: Snapshots, state: Partial<ProcessState>): Snapshots => ({
  ...snapshots,
  readState: async key => ({ ...(await snapshots.readState(key)), ...state }),
});

describe('a run', () => {
  let opened: Poller;
  beforeEach(async () => {
    opened = await baselined();
  });

  it('walks the process that the schedule names, and says and counts what came of it', async () => {
    const { world, run, said, counts } = opened;
    world.projects.set('p1', project(1));
    world.onTasks = () => {
      world.now += 1_000;
    };
    const report = { mode: 'changes', outcome: 'completed', projects: 3, commits: 1, events: 1 };
    expect(await run()).toEqual(report);
    expect(world.asked).toEqual(['onboarding']);
    expect(said).toEqual([['info', 'Pass ended.', { ...process, ...report, ms: 3_000 }]]);
    expect(counts).toEqual([
      {
        ...{ PassCompleted: 1, PassFailed: 0, Commits: 1, Events: 1 },
        ...{ ProcessHeld: 0, ProcessStalled: 0, ProjectsSkipped: 0 },
      },
    ]);
  });

  it('connects each workspace once, however many runs there are', async () => {
    const { run, connected } = opened;
    await run('sweep');
    await run('changes', { workspace: 'eu', processId: 'first' });
    await run('changes', { workspace: 'us', processId: 'first' });
    await run('changes', { workspace: 'us', processId: 'first' });
    expect(connected).toEqual(['eu', 'us']);
  });

  it('that the configuration does not have tells which, and the remedy', async () => {
    const { poll, counts } = opened;
    const message =
      'The schedule asks for process onboarding of workspace asia, which the configuration does not have. ' +
      'Deploy again, so that schedules and configuration agree.';
    const event = { workspace: 'asia', processId: 'onboarding', mode: 'changes' };
    await expect(poll(event)).rejects.toThrow(new Error(message));
    await expect(poll({ ...event, workspace: 'eu', processId: 'other' })).rejects.toThrow('process other of');
    expect(counts).toEqual([]);
  });

  it.each([
    { workspace: 'eu', processId: 'onboarding', mode: 'baseline' },
    { workspace: 'eu', processId: 'onboarding' },
    { workspace: 'eu', processId: 'onboarding', mode: 'sweep', more: 1 },
    'sweep',
  ])('that is no run (%j) is refused', async event => {
    await expect(opened.poll(event)).rejects.toThrow(/Invalid|Unrecognized/);
  });
});

describe('the time of a run', () => {
  it.each([
    [15 * MINUTE, 15 * MINUTE - 5_000],
    [10_000, 5_000],
    [8_000, 4_000],
  ])(
    'of %i ms leaves 5 s, or half of it, to save what was done: no request waits after %i ms',
    async (remaining, latest) => {
      const { world, run, deadlines } = await baselined();
      world.remaining = remaining;
      await run();
      expect(deadlines).toEqual([world.now + latest]);
    },
  );

  it.each([
    [15 * MINUTE, 14 * MINUTE],
    [2 * MINUTE, MINUTE],
    [100_000, 50_000],
  ])(
    'of %i ms leaves a minute, or half of it, to end: no project is begun after %i ms',
    async (remaining, latest) => {
      for (const [ms, outcome] of [
        [latest - 1, 'completed'],
        [latest, 'unfinished'],
      ] as const) {
        const { world, run, counted } = await baselined();
        for (const id of ['p1', 'p2', 'p3']) world.projects.set(id, { id, name: 'New' });
        world.remaining = remaining;
        const end = world.now + ms;
        world.onTasks = () => {
          world.now = end;
        };
        expect(await run()).toMatchObject({ outcome, projects: outcome === 'completed' ? 3 : 1 });
        expect(counted()).toMatchObject({ PassCompleted: outcome === 'completed' ? 1 : 0, PassFailed: 0 });
      }
    },
  );
});

describe('a sweep that ran out of time', () => {
  /** Ends a sweep early. */
  async function cutOff(opened: Poller): Promise<void> {
    const { world, run } = opened;
    world.remaining = 2 * MINUTE;
    world.onTasks = () => {
      world.now += MINUTE;
    };
    expect(await run('sweep')).toMatchObject({ mode: 'sweep', outcome: 'unfinished' });
    world.onTasks = () => {};
    world.now += 10 * MINUTE;
    world.remaining = 15 * MINUTE;
    opened.forget();
  }

  it('is taken up by the next changes run, behind its own pass, whose report is told', async () => {
    const opened = await baselined();
    await cutOff(opened);
    expect(await opened.run()).toMatchObject({ mode: 'changes', outcome: 'completed' });
    expect(opened.said.map(([, , details]) => details)).toMatchObject([
      { mode: 'changes', outcome: 'completed' },
      { mode: 'sweep', outcome: 'completed' },
    ]);
    opened.forget();
    await opened.run();
    expect(opened.said).toHaveLength(1);
  });

  it('is not taken up behind a pass that has no time itself', async () => {
    const opened = await baselined();
    await cutOff(opened);
    opened.world.projects.set('p1', project(2));
    opened.world.onTasks = () => {
      opened.world.now += 20 * MINUTE;
    };
    expect(await opened.run()).toMatchObject({ mode: 'changes', outcome: 'unfinished' });
    expect(opened.said.filter(([, message]) => message === 'Pass ended.')).toHaveLength(1);
  });

  it('is not looked for behind another sweep', async () => {
    const isUnfinished = () => Promise.reject(new Error('asked'));
    const { snapshots } = openPoll();
    const opened = openPoll({ snapshots: { ...snapshots, isUnfinished } });
    expect(await opened.run('sweep')).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    expect(await opened.run('sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed' });
  });

  it('that another poller ended meanwhile is not begun anew', async () => {
    const { snapshots } = openPoll();
    const opened = await baselined({ snapshots: { ...snapshots, isUnfinished: async () => true } });
    await opened.run();
    expect(opened.said.map(([, , details]) => details)).toMatchObject([
      { mode: 'changes', outcome: 'completed' },
      { mode: 'sweep', outcome: 'busy' },
    ]);
  });
});

describe('what is counted for alarms', () => {
  it('of the process’s state: held and stalled, and the skipped projects that subscribers know of', async () => {
    const skip = (id: string, told: boolean) => ({ id, since: 0, reason: 'r', told, tasksMissing: false });
    const { snapshots } = openPoll();
    const state = {
      ...{ held: { since: AT, missing: 7 }, stalled: { since: AT } },
      skipped: [skip('p1', true), skip('p2', false), skip('p3', true)],
    };
    const { run, counts } = openPoll({ snapshots: withState(snapshots, state) });
    await run();
    expect(counts).toMatchObject([{ ProcessHeld: 1, ProcessStalled: 1, ProjectsSkipped: 2 }]);
  });

  it('a pass that is busy has neither completed nor failed', async () => {
    const { snapshots } = openPoll();
    const { run, counted } = openPoll({ snapshots: { ...snapshots, takeLease: async () => undefined } });
    expect(await run()).toMatchObject({ outcome: 'busy' });
    expect(counted()).toMatchObject({ PassCompleted: 0, PassFailed: 0, Commits: 0, Events: 0 });
  });

  it.each([
    [new TypeError('throttled'), 'throttled'],
    ['odd', 'odd'],
  ])(
    'a pass that fails (%s) is told and thrown; without a state, nothing is said of that',
    async (error, told) => {
      const { snapshots } = openPoll();
      const readState = () => Promise.reject(error);
      const { run, said, counts } = openPoll({ snapshots: { ...snapshots, readState } });
      await expect(run()).rejects.toBe(error);
      expect(said).toEqual([
        [
          'error',
          'Pass failed; the next schedule tries again.',
          { ...process, mode: 'changes', error: told },
        ],
      ]);
      expect(counts).toEqual([{ PassCompleted: 0, PassFailed: 1, Commits: 0, Events: 0 }]);
    },
  );
});

describe('what a pass is given', () => {
  it('is its process’s own settings: fields that are no change, and requests at once', async () => {
    const processes = [{ id: 'first' }, { id: 'onboarding', ignoreFields: ['budget'] }];
    const workspaces = [workspace('eu', { processes: processes as never, concurrency: 2 })];
    const { world, run } = await baselined({ workspaces });
    for (const id of ['p1', 'p2', 'p3']) world.projects.set(id, { id, name: id, budget: '7' });
    expect(await run()).toMatchObject({ outcome: 'completed', events: 0 });
  });

  it('tells its progress, and that it is a baseline while it is one', async () => {
    const told: object[] = [];
    const { world, run } = await baselined({ onProgress: progress => told.push(progress) });
    expect(told.at(-1)).toEqual({ ...process, mode: 'baseline', done: 3, total: 3 });
    world.projects.set('p1', project(1));
    await run('sweep');
    expect(told.at(-1)).toEqual({ ...process, mode: 'sweep', done: 3, total: 3 });
  });

  it('is a lease of its own: its owner is the request and a number by chance, or whom the caller names', async () => {
    const owners: string[] = [];
    const { snapshots } = openPoll();
    const takeLease: Snapshots['takeLease'] = async (key, request) => {
      owners.push(request.owner);
      return snapshots.takeLease(key, request);
    };
    await openPoll({ snapshots: { ...snapshots, takeLease } }).run();
    await openPoll({
      snapshots: { ...snapshots, takeLease },
      owner: ({ awsRequestId }) => `of ${awsRequestId}`,
    }).run();
    expect(owners).toEqual([`run-1/${(2 ** 47).toString(36)}`, 'of run-1']);
  });
});
