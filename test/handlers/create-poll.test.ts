import { beforeEach, describe, expect, it } from 'vitest';
import type { Mode } from '../../functions/basics/process.ts';
import { workspaceSettings } from '../../functions/config/read.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import { createPoll, type PassRequest, type PollDependencies } from '../../functions/handlers/create-poll.ts';
import type { ProcessState } from '../../functions/model/process-state.ts';
import type { Page, Service, ServiceRecord } from '../../functions/service/service.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { openModel } from '../kit/table.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

const workspace = (name: string, more: Partial<WorkspaceSettings> = {}): WorkspaceSettings =>
  workspaceSettings({
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
    clock: 'service' as 'service' | 'local',
    /** By id: the project's record, as the service shows it. */
    projects: new Map<string, object>(),
    /** Called when a project's tasks are asked for. */
    onTasks: (_id: string): void => {},
    asked: [] as string[],
  };
  const said: [string, string, object][] = [];
  const connected: string[] = [];
  const deadlines: number[] = [];
  async function* pageOf<Item>(items: readonly Item[]): AsyncGenerator<Page<Item>> {
    yield { items, digest: '', readAt: world.now, clock: world.clock, after: undefined, hasNextPage: false };
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
    ...more,
    snapshots: untimed(more.snapshots ?? snapshots),
  };
  const poll = createPoll(dependencies);
  let runs = 0;
  return {
    ...{ world, said, connected, deadlines, snapshots },
    run: (mode: Mode = 'changes', target = { workspace: 'eu', processId: 'onboarding' }) =>
      poll(
        { ...target, mode },
        { awsRequestId: `run-${++runs}`, getRemainingTimeInMillis: () => world.remaining },
      ),
    poll: (request: PassRequest) => poll(request, { awsRequestId: 'x', getRemainingTimeInMillis: () => 1e6 }),
    /** Forgets what was said so far. */
    forget: () => {
      for (const list of [said, deadlines, world.asked]) list.length = 0;
    },
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

  it('walks the process that the message names, and says what came of it, with the ids of its events', async () => {
    const { world, run, said } = opened;
    world.projects.set('p1', project(1));
    world.onTasks = () => {
      world.now += 1_000;
    };
    const report = { mode: 'changes', outcome: 'completed', projects: 3, commits: 1, events: 1 };
    expect(await run()).toEqual(report);
    expect(world.asked).toEqual(['onboarding']);
    const events = [expect.stringMatching(/^onboarding\.p1\./)];
    expect(said).toEqual([['info', 'Pass ended.', { ...process, ...report, ms: 3_000, events }]]);
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
    const { poll, said } = opened;
    const error =
      'A message asks for process onboarding of workspace asia, which the configuration does not have. ' +
      'Deploy again, so that all functions have one configuration.';
    const asked = { workspace: 'asia', processId: 'onboarding', mode: 'changes' } as const;
    await expect(poll(asked)).rejects.toThrow(new Error(error));
    expect(said).toEqual([['error', 'Pass failed; the next one tries again.', { ...asked, error }]]);
    await expect(poll({ ...asked, workspace: 'eu', processId: 'other' })).rejects.toThrow('process other of');
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
        const { world, run } = await baselined();
        for (const id of ['p1', 'p2', 'p3']) world.projects.set(id, { id, name: 'New' });
        world.remaining = remaining;
        const end = world.now + ms;
        world.onTasks = () => {
          world.now = end;
        };
        expect(await run()).toMatchObject({ outcome, projects: outcome === 'completed' ? 3 : 1 });
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

  it('is ended by the next sweep, which takes nothing up behind it', async () => {
    const opened = await baselined();
    await cutOff(opened);
    expect(await opened.run('sweep')).toMatchObject({ mode: 'sweep', outcome: 'completed' });
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

  it('that another poller ended meanwhile is not begun anew', async () => {
    const { snapshots } = openPoll();
    const opened = await baselined({
      snapshots: { ...snapshots, readState: withUnfinishedSweep(snapshots) },
    });
    await opened.run();
    expect(opened.said.map(([, , details]) => details)).toMatchObject([
      { mode: 'changes', outcome: 'completed' },
      { mode: 'sweep', outcome: 'busy' },
    ]);
  });
});

describe('a pass that fails', () => {
  it.each([
    [new TypeError('throttled'), 'throttled'],
    ['odd', 'odd'],
  ])('is told and thrown: %s', async (error, told) => {
    const { snapshots } = openPoll();
    const { run, said } = openPoll({ snapshots: { ...snapshots, readState: () => Promise.reject(error) } });
    await expect(run()).rejects.toBe(error);
    const details = { ...process, mode: 'changes', error: told };
    expect(said).toEqual([['error', 'Pass failed; the next one tries again.', details]]);
  });

  it('is told by what it was at: a sweep that it went on with', async () => {
    const { snapshots } = openPoll();
    const takeLease: Snapshots['takeLease'] = (key, request) =>
      request.mode === 'sweep' && request.now > AT
        ? Promise.reject(new Error('table down'))
        : snapshots.takeLease(key, request);
    const readState = withUnfinishedSweep(snapshots);
    const { run, said } = await baselined({ snapshots: { ...snapshots, readState, takeLease } });
    await expect(run()).rejects.toThrow('table down');
    expect(said.map(([level, , details]) => [level, details])).toMatchObject([
      ['info', { mode: 'changes' }],
      ['error', { mode: 'sweep', error: 'table down' }],
    ]);
  });

  it('tells which events it committed before', async () => {
    const { world, run, said, forget } = await baselined();
    await run();
    forget();
    for (const id of ['p1', 'p2', 'p3']) world.projects.set(id, { id, name: 'New' });
    world.onTasks = id => {
      if (id === 'p2') throw new Error('broken');
    };
    await expect(run()).rejects.toThrow('broken');
    expect(said).toMatchObject([
      ['info', 'Pass committed.', { ...process, events: [expect.stringMatching(/^onboarding\.p1\./)] }],
      ['error', 'Pass failed; the next one tries again.', {}],
    ]);
  });
});

describe('a message', () => {
  it.each([
    [-1, 'expired'],
    [0, 'expired'],
    [1, 'completed'],
  ])('that expires in %i ms is %s; of one that expired nobody is asked', async (ms, outcome) => {
    const { world, poll, said } = await baselined();
    expect(await poll({ ...process, mode: 'changes', expiresAt: world.now + ms })).toMatchObject({ outcome });
    expect(world.asked).toHaveLength(outcome === 'expired' ? 0 : 1);
    expect(said).toHaveLength(outcome === 'expired' ? 0 : 1);
  });

  const adaptive = { processes: [{ id: 'onboarding', changes: { fastest: 10_000, slowest: 40_000 } }] };
  const workspaces = [workspace('eu', adaptive as never)];
  const paced = (dueAt: number) => async () => {
    const { snapshots } = openPoll();
    return baselined({ workspaces, snapshots: withState(snapshots, { pace: { wait: 40_000, dueAt } }) });
  };
  const NOW = AT + 10 * MINUTE;

  it.each([
    ['is due', NOW, 'completed'],
    ['is nearest to the moment at which it is due', NOW + 5_000, 'completed'],
    ['is not due', NOW + 5_001, 'not-due'],
  ])('for a pass that %s (%i) is %s; of one that is not due nobody is asked', async (_, dueAt, outcome) => {
    const { world, run, said } = await paced(dueAt)();
    expect(await run()).toMatchObject({ mode: 'changes', outcome });
    expect([world.asked.length, said.length]).toEqual(outcome === 'completed' ? [1, 1] : [0, 0]);
  });

  it('that an operator sent is worked off, and so is a sweep, and one where the time is fixed', async () => {
    const message = { ...process, mode: 'changes', isAsked: true } as const;
    expect(await (await paced(NOW + MINUTE)()).poll(message)).toMatchObject({ outcome: 'completed' });
    expect(await (await paced(NOW + MINUTE)()).run('sweep')).toMatchObject({ outcome: 'completed' });
    const { snapshots } = openPoll();
    const state = { pace: { wait: 40_000, dueAt: NOW + 5_001 } };
    const fixed = await baselined({ snapshots: withState(snapshots, state) });
    expect(await fixed.run()).toMatchObject({ outcome: 'completed' });
  });
});

describe('a process whose passes adapt', () => {
  const changes = { fastest: 10_000, slowest: 40_000 };
  const workspaces = [workspace('eu', { processes: [{ id: 'onboarding', changes }] as never })];

  it('is due soon behind a pass that found something, and twice as late behind each that did not', async () => {
    const { world, poll, snapshots } = await baselined({ workspaces });
    const waits: (number | undefined)[] = [];
    const pass = async () => {
      const began = world.now;
      await poll({ ...process, mode: 'changes' });
      const { pace } = await snapshots.readState(process);
      expect(pace?.dueAt).toBe(began + (pace?.wait ?? 0));
      waits.push(pace?.wait);
      world.now = (pace?.dueAt ?? 0) + 1;
    };
    for (let count = 0; count < 4; count++) await pass();
    world.projects.set('p1', project(1));
    await pass();
    await pass();
    expect(waits).toEqual([10_000, 20_000, 40_000, 40_000, 10_000, 20_000]);
  });

  it('is paced by no sweep', async () => {
    const { run, snapshots } = await baselined({ workspaces });
    await run('sweep');
    expect((await snapshots.readState(process)).pace).toBeUndefined();
  });
});

it('invariant 5: a pass writes as much where the time between passes is fixed as where it adapts: the lease, and what moved with it', async () => {
  const rhythms = [
    { fastest: 60_000, slowest: 60_000 },
    { fastest: 10_000, slowest: 60_000 },
  ];
  for (const changes of rhythms) {
    const model = openModel();
    const workspaces = [workspace('eu', { processes: [{ id: 'onboarding', changes }] as never })];
    const opened = await baselined({ workspaces, snapshots: createSnapshots(model) });
    opened.world.now += MINUTE;
    // What is new is read once more.
    await opened.run();
    opened.world.now += 10 * MINUTE;
    const sent: string[] = [];
    const send = model.client.send.bind(model.client);
    model.client.send = ((command: object) => {
      sent.push(command.constructor.name);
      return send(command as never);
    }) as never;
    expect(await opened.run()).toMatchObject({ outcome: 'completed', commits: 0 });
    const written = sent.filter(name => !/^(Get|Query|BatchGet)/.test(name));
    expect(written).toEqual(['UpdateItemCommand', 'TransactWriteItemsCommand']);
  }
});

describe('what a pass is given', () => {
  it('is its process’s own settings: fields that are no change, and requests at once', async () => {
    const processes = [{ id: 'first' }, { id: 'onboarding', ignoreFields: ['budget'] }];
    const workspaces = [workspace('eu', { processes: processes as never, concurrency: 2 })];
    const { world, run } = await baselined({ workspaces });
    for (const id of ['p1', 'p2', 'p3']) world.projects.set(id, { id, name: id, budget: '7' });
    expect(await run()).toMatchObject({ outcome: 'completed', events: 0 });
  });

  it.each([
    [false, []],
    [true, ['warn']],
    [undefined, ['warn']],
  ])(
    'is that its service sends no Date, if that is configured (%s): then it is not told',
    async (dateHeader, levels) => {
      const processes = [{ id: 'onboarding' }] as never;
      const workspaces = [workspace('eu', { processes, ...(dateHeader !== undefined && { dateHeader }) })];
      const { world, run, said } = openPoll({ workspaces });
      world.clock = 'local';
      await run();
      expect(said.map(([level]) => level).filter(level => level !== 'info')).toEqual(levels);
    },
  );

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
    const first = `run-1/${(2 ** 47).toString(36)}`;
    // A baseline is walked by the lease of sweeps.
    expect(owners).toEqual([first, first, 'of run-1']);
  });
});

/** The state of a process with a sweep under way, whatever became of it. */
function withUnfinishedSweep({ readState }: Snapshots): Snapshots['readState'] {
  return async process => ({ ...(await readState(process)), isSweepUnfinished: true });
}
