import { beforeEach, describe, expect, it } from 'vitest';
import { AssertionError } from '../../functions/basics/assert.ts';
import type { Mode } from '../../functions/basics/process.ts';
import { workspaceSettings } from '../../functions/config/read.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import { createPoll } from '../../functions/handlers/create-poll.ts';
import {
  type CompletionChange,
  complete,
  type PassRequest,
  type PollDependencies,
} from '../../functions/handlers/workspace-run.ts';
import type { Completion, ProcessState } from '../../functions/model/process-state.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import {
  ServiceAnswerError,
  type ServiceError,
  ServiceStatusError,
  ServiceUnreachableError,
  TokenError,
} from '../../functions/service/errors.ts';
import type { Page, RequestShare, Service, ServiceRecord } from '../../functions/service/service.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import { createWorkspaceRows } from '../../functions/store/dynamo/workspaces.ts';
import type { Completions, Snapshots, WorkspaceRows } from '../../functions/store/store.ts';
import { openModel } from '../kit/table.ts';
import { AT, MINUTE } from '../kit/time.ts';

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
function openPoll(more: Partial<PollDependencies> = {}, model = openModel()) {
  const world = {
    now: AT,
    remaining: 15 * MINUTE,
    clock: 'service' as 'service' | 'local',
    /** By id: the project's record, as the service shows it. */
    projects: new Map<string, object>(),
    /** Awaited before a process's projects are asked for, as a turn is. */
    turnOf: async (_processId: string): Promise<void> => {},
    /** Called when a process's projects are asked for. */
    onProjects: (_processId: string): void | Promise<void> => {},
    /** Called when a project's tasks are asked for. */
    onTasks: (_id: string): void => {},
    /** Called when a run asks whether the service answers. */
    onProbe: (_processId: string): void => {},
    /** The processes whose projects were asked for; of a probe `probe` before its process. */
    asked: [] as string[],
  };
  const said: [string, string, object][] = [];
  const connected: string[] = [];
  const deadlines: number[] = [];
  async function* pageOf<Item>(
    items: readonly Item[],
    before: () => void | Promise<void> = () => undefined,
  ): AsyncGenerator<Page<Item>> {
    await before();
    yield { items, digest: '', readAt: world.now, clock: world.clock, after: undefined, hasNextPage: false };
  }
  const serviceOf = (share: RequestShare | undefined): Service => ({
    projects: processId => {
      const records = [...world.projects].map(([id, fields]) => ({ id, fields }) as ServiceRecord);
      return pageOf(records, async () => {
        await world.turnOf(processId);
        await share?.hold();
        world.asked.push(processId);
        await world.onProjects(processId);
      });
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
  });
  const say = (level: string) => (message: string, details: object) =>
    void said.push([level, message, details]);
  const snapshots = createSnapshots(model);
  const rows: WorkspaceRows = more.rows ?? createWorkspaceRows(model);
  const dependencies: PollDependencies = {
    workspaces: [workspace('us'), workspace('eu')],
    connect: ({ name }) => {
      connected.push(name);
      return {
        open: ({ deadline, share }) => {
          deadlines.push(deadline);
          return serviceOf(share);
        },
        probe: async processId => {
          world.asked.push(`probe ${processId}`);
          world.onProbe(processId);
        },
        close: async () => undefined,
      };
    },
    clock: () => world.now,
    random: () => 0.5,
    log: { info: say('info'), warn: say('warn'), error: say('error') },
    ...more,
    rows,
    snapshots: untimed(more.snapshots ?? snapshots),
  };
  const poll = createPoll(dependencies);
  let runs = 0;
  /** Serves one message. */
  const serve = (request: PassRequest) =>
    poll(request, { awsRequestId: `run-${++runs}`, getRemainingTimeInMillis: () => world.remaining });
  return {
    ...{ world, said, connected, deadlines, snapshots, rows, serve },
    /** Makes a pass over one process. @throws why it failed */
    run: async (
      mode: Mode = 'changes',
      { workspace: name, processId } = process,
      how: Partial<PassRequest> = {},
    ): Promise<PassReport> => {
      const { processes } = await serve({ workspace: name, processes: [processId], mode, ...how });
      const polled = processes.get(processId);
      if (!polled) throw new Error('no pass was made');
      if ('error' in polled) throw polled.error;
      return polled.report;
    },
    /** Forgets what was said so far. */
    forget: () => {
      for (const list of [said, deadlines, world.asked]) list.length = 0;
    },
  };
}
type Poller = ReturnType<typeof openPoll>;

const process = { workspace: 'eu', processId: 'onboarding' };
const project = (version: number) => ({ id: 'p1', name: 'Acme', budget: `${version}` });

/** Processes of one workspace well behind their baselines, each with projects `p1` to `p3`; by default one process. */
async function baselined(
  more: Partial<PollDependencies> = {},
  processIds: readonly string[] = [process.processId],
  model = openModel(),
): Promise<Poller> {
  const opened = openPoll(more, model);
  for (const id of ['p1', 'p2', 'p3']) opened.world.projects.set(id, { id, name: id });
  for (const processId of processIds) await opened.run('sweep', { ...process, processId });
  opened.world.now += 10 * MINUTE;
  opened.forget();
  return opened;
}

/** The same, whose service has nothing that was updated since: the next passes find nothing. */
async function idle(more: Partial<PollDependencies> = {}, processIds = ['onboarding'], model = openModel()) {
  const opened = await baselined(more, processIds, model);
  opened.world.projects.clear();
  for (let pass = 0; pass < 3; pass++) {
    for (const processId of processIds) await opened.run('changes', { ...process, processId });
    opened.world.now += MINUTE;
  }
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
    expect(said).toEqual([
      ['info', 'Pass ended.', { code: 'pass.ended', ...process, ...report, ms: 3_000, events }],
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

  it.each([
    ['sweep', true],
    ['changes', false],
  ] as const)('has a share of the workspace while it asks, that of a %s', async (mode, isBulk) => {
    const { world, rows, run } = opened;
    const shares: unknown[] = [];
    world.onProjects = async () => {
      shares.push(...Object.values((await rows.all()).get('eu')?.shares ?? {}));
    };
    await run(mode);
    expect(shares).toEqual([expect.objectContaining({ isBulk })]);
  });

  it('says which passes a defect has ended', async () => {
    const failing: WorkspaceRows['change'] = async () => {
      throw new AssertionError('share.within-ceiling');
    };
    Object.assign(opened.rows, { change: failing });
    await expect(opened.run()).rejects.toThrow('assertion.failed');
    const passes = { workspace: 'eu', processes: ['onboarding'], mode: 'changes' };
    expect(opened.said).toMatchObject([
      ['error', expect.stringContaining('Defect'), passes],
      ['error', expect.any(String), { code: 'passes.failed' }],
    ]);
  });

  it('that the configuration does not have tells which, and the remedy', async () => {
    const { serve, said } = opened;
    const error =
      'Process onboarding of workspace asia is not configured. ' +
      'Redeploy, so that all functions have the same configuration.';
    const asked: PassRequest = { workspace: 'asia', processes: ['onboarding'], mode: 'changes' };
    await expect(serve(asked)).rejects.toThrow(new Error(error));
    expect(said).toEqual([
      ['error', 'Passes failed; the next ones retry.', { code: 'passes.failed', ...asked, error }],
    ]);
    const others = ['first', 'other'];
    await expect(serve({ ...asked, workspace: 'eu', processes: others })).rejects.toThrow('Process other of');
  });
});

it.each([
  [15 * MINUTE, 5_000, MINUTE],
  [2 * MINUTE, 5_000, MINUTE],
  [100_000, 5_000, 50_000],
  [10_000, 5_000, 5_000],
  [8_000, 4_000, 4_000],
])('a run of %i ms: no request waits in its last %i ms, no project begins in its last %i', async (...row) => {
  const [remaining, toSave, toEnd] = row;
  for (const [ms, outcome, projects] of [
    [remaining - toEnd - 1, 'completed', 3],
    [remaining - toEnd, 'unfinished', 1],
  ] as const) {
    const { world, run, deadlines } = await baselined();
    for (const id of ['p1', 'p2', 'p3']) world.projects.set(id, { id, name: 'New' });
    world.remaining = remaining;
    const began = world.now;
    world.onTasks = () => {
      world.now = began + ms;
    };
    expect(await run()).toMatchObject({ outcome, projects });
    expect(deadlines).toEqual([began + remaining - toSave]);
  }
});

it('a sweep that ran out of time is gone on with by the next sweep, though it was due before that', async () => {
  const { world, run, said, forget } = await baselined();
  const how = { dueAt: AT - 1 };
  world.remaining = 2 * MINUTE;
  world.onTasks = () => {
    world.now += MINUTE;
  };
  expect(await run('sweep')).toMatchObject({ mode: 'sweep', outcome: 'unfinished' });
  world.onTasks = () => {};
  world.remaining = 15 * MINUTE;
  forget();
  const rest = { mode: 'sweep', outcome: 'completed', projects: 2 };
  expect(await run('sweep', process, how)).toMatchObject(rest);
  expect(said).toHaveLength(1);
  expect(await run('sweep', process, how)).toMatchObject({ outcome: 'not-due' });
});

it.each([
  [new TypeError('throttled'), 'throttled'],
  ['odd', 'odd'],
])('a pass that fails is logged, and its error is handed back: %s', async (error, told) => {
  const { snapshots } = openPoll();
  const { run, said } = openPoll({ snapshots: { ...snapshots, readState: () => Promise.reject(error) } });
  await expect(run()).rejects.toEqual(typeof error === 'string' ? new Error(error) : error);
  const details = { code: 'pass.failed', ...process, mode: 'changes', error: told };
  expect(said).toEqual([['error', 'Pass failed; the next one retries.', details]]);
});

it('a pass that fails tells which events it committed before', async () => {
  const { world, run, said, forget } = await baselined();
  await run();
  forget();
  for (const id of ['p1', 'p2', 'p3']) world.projects.set(id, { id, name: 'New' });
  world.onTasks = id => {
    if (id === 'p2') throw new Error('broken');
  };
  await expect(run()).rejects.toThrow('broken');
  const events = [expect.stringMatching(/^onboarding\.p1\./)];
  expect(said).toMatchObject([
    ['info', 'Pass committed.', { code: 'pass.committed', ...process, events }],
    ['error', 'Pass failed; the next one retries.', {}],
  ]);
});

describe('a message', () => {
  it.each([
    [-1, 'expired'],
    [0, 'expired'],
    [1, 'polled'],
  ])('that expires in %i ms is %s; of one that expired nothing is asked', async (ms, outcome) => {
    const { world, serve, said } = await baselined();
    const message: PassRequest = { workspace: 'eu', processes: ['onboarding'], mode: 'changes' };
    const report = await serve({ ...message, expiresAt: world.now + ms });
    expect(report.outcome).toBe(outcome);
    expect(report.processes.size).toBe(outcome === 'expired' ? 0 : 1);
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

  it('takes no share where none of its passes is due, but where the workspace is paused: then it may have to ask whether the service answers', async () => {
    const { run, serve, rows, world } = await paced(NOW + MINUTE)();
    const changed: string[] = [];
    const change = rows.change.bind(rows);
    Object.assign(rows, {
      change: (name: string, decide: Parameters<WorkspaceRows['change']>[1]) =>
        change(name, row => {
          const after = decide(row);
          if (after) changed.push(name);
          return after;
        }),
    });
    expect(await run()).toMatchObject({ outcome: 'not-due' });
    expect(await serve({ ...process, processes: [process.processId], mode: 'changes' })).toMatchObject({
      outcome: 'polled',
    });
    expect([changed, world.asked]).toEqual([[], []]);
    await change('eu', row => ({ ...row, pause: { until: NOW, since: AT, reason: 'r', failures: 1 } }));
    await run();
    expect(world.asked[0]).toBe('probe onboarding');
  });

  it('that an operator sent is worked off, and so is a sweep, and one where the time is fixed', async () => {
    const asked = { isAsked: true } as const;
    const completed = { outcome: 'completed' };
    expect(await (await paced(NOW + MINUTE)()).run('changes', process, asked)).toMatchObject(completed);
    expect(await (await paced(NOW + MINUTE)()).run('sweep')).toMatchObject(completed);
    const { snapshots } = openPoll();
    const state = { pace: { wait: 40_000, dueAt: NOW + 5_001 } };
    const fixed = await baselined({ snapshots: withState(snapshots, state) });
    expect(await fixed.run()).toMatchObject({ outcome: 'completed' });
  });
});

it('invariant 5: a pass that finds nothing writes nothing about its process, where the time between passes is fixed and where it adapts', async () => {
  const rhythms = [
    { fastest: 60_000, slowest: 60_000 },
    { fastest: 10_000, slowest: 60_000 },
  ];
  for (const changes of rhythms) {
    const model = openModel();
    const ids = ['onboarding', 'sales', 'support'];
    const processes = ids.map(id => ({ id, changes })) as never;
    const opened = await idle({ workspaces: [workspace('eu', { processes })] }, ids, model);
    const written: string[] = [];
    const send = model.client.send.bind(model.client);
    model.client.send = ((command: { input: { Item?: { pk: { S: string }; sk: { S: string } } } }) => {
      const { pk, sk } = command.input.Item ?? {};
      if (!/^(Get|Query|BatchGet)/.test(command.constructor.name)) written.push(`${pk?.S} ${sk?.S}`);
      return send(command as never);
    }) as never;
    await opened.serve({ workspace: 'eu', processes: ids, mode: 'changes' });
    expect(opened.said.map(([, , details]) => details)).toMatchObject(
      ids.map(() => ({ outcome: 'completed', commits: 0 })),
    );
    expect(written).toEqual(['WORKSPACES eu', 'WORKSPACES eu#0', 'WORKSPACES eu']);
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
  ])('is that its service sends no Date: not told if that is configured (%s)', async (dateHeader, levels) => {
    const processes = [{ id: 'onboarding' }] as never;
    const workspaces = [workspace('eu', { processes, ...(dateHeader !== undefined && { dateHeader }) })];
    const { world, run, said } = openPoll({ workspaces });
    world.clock = 'local';
    await run('sweep');
    expect(said.map(([level]) => level).filter(level => level !== 'info')).toEqual(levels);
  });

  it('is a lease of its own: its owner is the request and a number by chance, or whom the caller names', async () => {
    const owners: string[] = [];
    const { snapshots } = openPoll();
    const takeLease: Snapshots['takeLease'] = async (key, request) => {
      owners.push(request.owner);
      return snapshots.takeLease(key, request);
    };
    await openPoll({ snapshots: { ...snapshots, takeLease } }).run('sweep');
    await openPoll({
      snapshots: { ...snapshots, takeLease },
      owner: ({ awsRequestId }) => `of ${awsRequestId}`,
    }).run('sweep');
    expect(owners).toEqual([`run-1/${(2 ** 47).toString(36)}`, 'of run-1']);
  });
});

describe('a message of several processes', () => {
  const IDS = ['a', 'b', 'c', 'd'];
  const workspaces = [workspace('eu', { processes: IDS.map(id => ({ id })) as never, concurrency: 4 })];
  const message: PassRequest = { workspace: 'eu', processes: IDS, mode: 'changes' };
  const outcomesOf = ({ processes }: Awaited<ReturnType<Poller['serve']>>) =>
    Object.fromEntries(
      [...processes].map(([id, one]) => [id, 'error' in one ? one.error.message : one.report.outcome]),
    );
  const failing = (id: string) =>
    new ServiceAnswerError(`GET /${id}`, { path: '$', expected: 'a', found: 'b' }, 'process');

  it('has each polled, side by side: one that fails does not touch the others', async () => {
    const { world, serve, said } = await idle({ workspaces }, IDS);
    const met = Promise.withResolvers<void>();
    world.onProjects = async id => {
      if (id === 'd') met.resolve();
      // The others wait for the last one: they are under way together.
      await met.promise;
      if (id === 'b') throw failing('b');
    };
    const report = await serve(message);
    expect(report.outcome).toBe('polled');
    expect(outcomesOf(report)).toEqual({
      ...{ a: 'completed', c: 'completed', d: 'completed' },
      b: 'GET /b: at $: expected a, found b',
    });
    const lines = said.map(
      ([level, , details]) => `${level} ${(details as { processId: string }).processId}`,
    );
    expect(lines.toSorted()).toEqual(['error b', 'info a', 'info c', 'info d']);
  });

  it('has those that found nothing kept in one row at its end, and leaves what it knows of the others', async () => {
    const model = openModel();
    const real = createWorkspaceRows(model);
    const completed: [group: number, ids: string[]][] = [];
    const complete: WorkspaceRows['complete'] = (name, group, merge) =>
      real.complete(name, group, before => {
        const after = merge(before);
        completed.push([group, [...after.keys()]]);
        return after;
      });
    const { world, serve, rows } = await idle({ workspaces, rows: { ...real, complete } }, IDS, model);
    const before = await rows.completions('eu');
    completed.length = 0;
    world.onProjects = id => {
      if (id === 'b') throw failing('b');
    };
    await serve({ ...message, processes: ['a', 'b', 'c'] });
    expect(completed).toEqual([[0, IDS]]);
    const after = await rows.completions('eu');
    expect(IDS.map(id => after.get(id)?.completedAt === world.now)).toEqual([true, false, true, false]);
    for (const id of ['b', 'd']) expect(after.get(id)).toEqual(before.get(id));
  });

  it('keeps what it knows of one that a new process moved to the next group, until that group has its pass', async () => {
    const rows = createWorkspaceRows(openModel());
    const [added = '', ...old] = Array.from({ length: 26 }, (_, index) => `p${index + 10}`);
    const ends = async (
      ids: readonly string[],
      completed: readonly string[],
      by: number | CompletionChange,
    ) => {
      const change: CompletionChange =
        typeof by === 'number' ? () => ({ completedAt: by }) as Completion : by;
      const changes = new Map(completed.map(id => [id, change]));
      const settings = workspace('eu', { processes: ids.map(id => ({ id })) as never });
      await complete(rows, settings, changes, await rows.completions('eu'));
      let row: Completions = new Map();
      await rows.complete('eu', 0, before => {
        row = before;
        return before;
      });
      return row.get('p35')?.completedAt;
    };
    const all = [added, ...old];
    expect(await ends(old, old, 1)).toBe(1);
    expect(await ends(all, [added], 2)).toBe(1);
    await ends(all, ['p35'], 3);
    expect(await ends(all, [added], 4)).toBeUndefined();
    expect((await rows.completions('eu')).get('p35')?.completedAt).toBe(3);
    await ends(old, ['p35'], 5);
    expect(await ends(old.slice(0, -1), ['p11'], 6)).toBeUndefined();
    await ends(old, old, 7);
    // A sweep, then a pass that found something.
    expect(await ends(all, ['p35'], latest => latest && { ...latest, skipped: 1 })).toBe(7);
    expect((await rows.completions('eu')).get('p35')).toEqual({ completedAt: 7, skipped: 1 });
    await ends(all, ['p35'], () => undefined);
    expect((await rows.completions('eu')).get('p35')).toBeUndefined();
  });

  it('forgets of one that found something what idle passes left: its own rows say more', async () => {
    const { world, serve, rows, snapshots } = await idle({ workspaces }, IDS);
    world.projects.set('p1', project(7));
    await serve({ ...message, processes: ['b'] });
    expect([...(await rows.completions('eu')).keys()]).toEqual(['a', 'c', 'd']);
    expect((await snapshots.readState({ workspace: 'eu', processId: 'b' })).completedAt).toBe(world.now);
  });

  it('keeps of one that was swept when its last `changes` pass was completed, and that its sweep was', async () => {
    const { world, run, rows } = await idle({ workspaces }, IDS);
    const before = (await rows.completions('eu')).get('b');
    world.now += MINUTE;
    await run('sweep', { workspace: 'eu', processId: 'b' });
    expect((await rows.completions('eu')).get('b')).toEqual({ ...before, sweepCompletedAt: world.now });
  });

  it('announces no stall of one that fails after a long time, where other runs completed its passes', async () => {
    const { world, run, said } = await idle({ workspaces }, IDS);
    const of = { workspace: 'eu', processId: 'b' };
    world.onProjects = async () => {
      world.onProjects = () => undefined;
      for (let pass = 0; pass < 6; pass++, world.now += MINUTE) await run('changes', of);
      throw failing('b');
    };
    await expect(run('changes', of)).rejects.toThrow('GET /b');
    expect(said.filter(([, text]) => text.includes('source.stalled'))).toEqual([]);
  });

  it('makes no pass over one that has no baseline, unless an operator asks for it', async () => {
    const { world, serve, said } = await baselined({ workspaces }, ['a', 'b']);
    const outcomes = outcomesOf(await serve(message));
    expect(outcomes).toEqual({ a: 'completed', b: 'completed', c: 'not-due', d: 'not-due' });
    expect(world.asked.toSorted()).toEqual(['a', 'b']);
    expect(said).toHaveLength(2);
    const asked = await serve({ ...message, processes: ['c'], isAsked: true });
    expect(asked.processes.get('c')).toMatchObject({ report: { mode: 'baseline', outcome: 'completed' } });
  });

  it('makes the baseline of one by a sweep, once', async () => {
    const { run } = await baselined({ workspaces }, []);
    const of = { workspace: 'eu', processId: 'c' };
    expect(await run('sweep', of, { dueAt: 1 })).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    expect(await run('sweep', of, { dueAt: 1 })).toMatchObject({ outcome: 'not-due' });
  });

  describe('of a workspace whose service fails', () => {
    const overloaded = () => new ServiceStatusError('GET /a', 503, 'the service failed', 'process', 600_000);
    const refused = () => new TokenError(new ServiceStatusError('POST /oauth/token', 401, 'refused'));
    const silent = () => new ServiceUnreachableError('GET /a', 'no answer within 30000 ms');
    const pauseOf = async ({ rows }: Poller) => (await rows.all()).get('eu')?.pause;
    /** Serves a message in a workspace that is paused for so long. */
    const servePaused = async (ms: number, asked = message, prepare = (_: Poller): void => {}) => {
      const opened = await idle({ workspaces }, IDS);
      await pausedFor(opened, ms);
      prepare(opened);
      const report = await opened.serve(asked);
      return { ...opened, report, pause: await pauseOf(opened) };
    };

    it.each<[string, () => ServiceError, number, string[]]>([
      ['asks for a pause', overloaded, 600_000, []],
      ['refuses the credentials', refused, 10_000, []],
      ['does not answer, not even a small request', silent, 10_000, ['probe b']],
    ])('which %s: ends all passes, and pauses it once', async (_, failure, ms, probes) => {
      const opened = await idle({ workspaces }, IDS);
      const { world, serve, said } = opened;
      const met = Promise.withResolvers<void>();
      world.onProjects = async id => {
        // The last one asks only after the first has failed.
        if (id === 'a') throw failure();
        await met.promise;
      };
      world.onProbe = () => {
        throw failure();
      };
      setImmediate(() => met.resolve());
      const report = await serve(message);
      expect(report.processes.get('a')).toMatchObject({ error: { message: failure().message } });
      expect(world.asked.filter(what => what.startsWith('probe'))).toEqual(probes);
      const pause = { since: world.now, until: world.now + ms, failures: 1 };
      expect(await pauseOf(opened)).toEqual({ ...pause, reason: failure().message });
      const details = { code: 'workspace.paused', workspace: 'eu', error: failure().message };
      expect(said.filter(([level]) => level === 'warn')).toEqual([
        ['warn', expect.stringContaining('Workspace paused'), details],
      ]);
      expect(Object.keys((await opened.rows.all()).get('eu')?.shares ?? {})).toEqual([]);
    });

    it('asks no more for those that wait for their turn', async () => {
      const opened = await idle({ workspaces }, IDS);
      const { world, serve } = opened;
      world.onProjects = () => {
        throw overloaded();
      };
      const isOver = Promise.withResolvers<void>();
      world.turnOf = async id => {
        if (id === 'a') setTimeout(isOver.resolve, 20);
        else await isOver.promise;
      };
      const { processes } = await serve(message);
      expect(world.asked).toEqual(['a']);
      expect([...processes.values()].map(one => 'error' in one && one.error.message)).toEqual(
        Array(4).fill(overloaded().message),
      );
    });

    it('goes on where one request alone has failed: the service answers a small one', async () => {
      const opened = await idle({ workspaces }, IDS);
      const { world, serve } = opened;
      world.onProjects = id => {
        if (id !== 'd') throw silent();
      };
      world.onProbe = () => void world.now++;
      const report = outcomesOf(await serve(message));
      expect(report.d).toBe('completed');
      expect(await pauseOf(opened)).toBeUndefined();
      // One answer is enough for all that failed before it.
      expect(world.asked.filter(what => what.startsWith('probe'))).toHaveLength(1);
    });

    it('asks nothing during a pause', async () => {
      const { report, world, said } = await servePaused(30_000);
      expect(report).toEqual({ outcome: 'paused', processes: new Map() });
      expect([world.asked, said]).toEqual([[], []]);
    });

    it('asks one small thing after a pause, and goes on with all once that is answered; the pause is over by then', async () => {
      const pauses: unknown[] = [];
      const { report, world } = await servePaused(0, message, opened => {
        opened.world.onProjects = async () => void pauses.push(await pauseOf(opened));
      });
      expect(world.asked[0]).toBe('probe a');
      expect(Object.values(outcomesOf(report))).toEqual(Array(4).fill('completed'));
      expect(pauses).toEqual(Array(4).fill(undefined));
    });

    it('asks nothing after a pause where it learns of its share so late that another run has it', async () => {
      const { report, pause, world } = await servePaused(0, message, ({ rows, world }) => {
        const { change } = rows;
        const changeLate: typeof change = async (...asked) => {
          const row = await change(...asked);
          Object.assign(rows, { change });
          world.now += 71_000;
          const share = { count: 4, until: world.now + MINUTE, isBulk: false };
          await change('eu', before => ({ ...before, shares: { other: share } }));
          return row;
        };
        Object.assign(rows, { change: changeLate });
      });
      expect(world.asked).toEqual([]);
      expect(outcomesOf(report)).toMatchObject({ a: 'unfinished', d: 'unfinished' });
      expect(pause).toMatchObject({ failures: 1 });
    });

    it('makes no pass after a pause where that is not answered, and pauses twice as long', async () => {
      const { report, pause, world } = await servePaused(0, message, opened => {
        opened.world.onProbe = () => {
          throw silent();
        };
      });
      expect(world.asked).toEqual(['probe a']);
      expect(Object.values(outcomesOf(report))).toEqual(Array(4).fill(silent().message));
      expect(pause).toMatchObject({ failures: 2, until: world.now + 20_000 });
    });

    it('makes during a pause the pass that an operator asks for, and ends the pause with it', async () => {
      const asked = { ...message, processes: ['b'], isAsked: true as const };
      const { report, pause, world } = await servePaused(10 * MINUTE, asked);
      expect([outcomesOf(report), pause]).toEqual([{ b: 'completed' }, undefined]);
      expect(world.asked).toEqual(['probe b', 'b']);
    });

    it('announces during a pause, once, which processes were silent for too long, and keeps that in the row of their group', async () => {
      const opened = await idle({ workspaces }, IDS);
      const { world, serve, rows, snapshots } = opened;
      await pausedFor(opened, 10 * MINUTE);
      world.now += 6 * MINUTE;
      await serve(message);
      await serve(message);
      expect(world.asked).toEqual([]);
      const stalls = opened.said.filter(([, text]) => text.includes('source.stalled'));
      expect(stalls.map(([, , details]) => details)).toEqual(
        IDS.map(processId => ({ workspace: 'eu', processId, code: 'pass.stalled', reason: 'It is down.' })),
      );
      for (const processId of IDS) {
        const completion = (await rows.completions('eu')).get(processId);
        const { stalled } = await snapshots.readState({ workspace: 'eu', processId });
        expect(stalled).toEqual({ since: completion?.completedAt });
        expect(completion?.stalled).toEqual(stalled);
      }
    });
  });

  it('is full where other runs have all shares, and asks nothing', async () => {
    const { world, serve, rows } = await idle({ workspaces }, IDS);
    const share = { count: 4, until: world.now + MINUTE, isBulk: false };
    await rows.change('eu', row => ({ ...row, shares: { other: share } }));
    expect(await serve(message)).toEqual({ outcome: 'full', processes: new Map() });
    expect(world.asked).toEqual([]);
    world.now += MINUTE;
    expect(await serve(message)).toMatchObject({ outcome: 'polled' });
    expect((await rows.all()).get('eu')?.shares).toEqual({});
  });

  async function pausedFor({ rows, world }: Poller, ms: number): Promise<void> {
    const pause = { since: world.now, until: world.now + ms, reason: 'It is down.', failures: 1 };
    await rows.change('eu', row => ({ ...row, pause }));
  }
});
