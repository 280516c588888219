import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTick, type TickPasses } from '../../functions/handlers/create-tick.ts';
import type { Completion, ProcessState } from '../../functions/model/process-state.ts';
import type { WorkspacePause } from '../../functions/model/workspace-row.ts';
import { type PassMessage, passMessage } from '../../functions/schedule/pass-message.ts';
import type { ScheduledProcess } from '../../functions/schedule/scheduled.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import { createTickProgresses } from '../../functions/store/dynamo/tick.ts';
import { createWorkspaceRows } from '../../functions/store/dynamo/workspaces.ts';
import type { Lease } from '../../functions/store/store.ts';
import { TABLES } from '../kit/store/tables.ts';
import { AT, HOUR, MINUTE, SECOND } from '../kit/time.ts';

type TickDependencies = Parameters<typeof createTick>[0];

const processOf = (processId: string, fastest = MINUTE, slowest = fastest): ScheduledProcess => ({
  ...{ workspace: 'eu', processId, changes: { fastest, slowest }, sweep: 6 * HOUR },
});
const [first, second] = [processOf('first'), processOf('second', 10 * SECOND, 5 * MINUTE)];
const WELL = { baselined: true, completedAt: AT - 30 * SECOND, sweepCompletedAt: AT };

describe.each(TABLES)('a tick over %s', (_, openTable) => {
  const opened = openTable();
  let names = 0;
  let world: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    world = await open();
  });
  afterAll(async () => (await opened).stop());

  /** A stack of these processes, in a workspace of its own. */
  async function open() {
    const table = await opened;
    const workspace = `w${++names}`;
    const processes = [first, second].map(each => ({ ...each, workspace }));
    const state = { now: AT, replayed: 0 };
    const sent: PassMessage[] = [];
    const said: [level: string, message: string, details: Record<string, unknown>][] = [];
    const counts: object[] = [];
    const say = (level: string) => (message: string, details?: object) =>
      void said.push([level, message, { ...details }]);
    const queue: TickPasses['queue'] = {
      send: async messages => {
        sent.push(...messages.map(({ body }) => passMessage.parse(JSON.parse(body))));
        return { indexes: [] };
      },
    };
    const rows = createWorkspaceRows(table);
    const pause = async (ms: number) => {
      const { until, ...more }: WorkspacePause = {
        until: AT + ms,
        since: AT - HOUR,
        reason: 'down',
        failures: 3,
      };
      await rows.change(workspace, row => ({ ...row, pause: { until, ...more } }));
    };
    const complete = (...all: (Partial<Completion> & { readonly place: number })[]) => {
      const entries = all.map(
        ({ place, ...more }) =>
          [(processes[place] as ScheduledProcess).processId, { ...IDLE, ...more }] as const,
      );
      return rows.complete(workspace, 0, () => new Map(entries));
    };
    let claimed: number | undefined;
    const passes: TickPasses = {
      processes,
      // The row is one for the whole table; each of these worlds has its own.
      claims: {
        claim: async ({ now, to }) => {
          const from = claimed ?? now;
          claimed = to;
          return from;
        },
      },
      progress: createTickProgresses(table),
      // Those of the other worlds are in the same table.
      rows: { all: async () => new Map([...(await rows.all())].filter(([name]) => name === workspace)) },
      queue,
    };
    const dependencies: TickDependencies = {
      passes,
      registry: { all: async () => [] },
      queues: { wake: async () => undefined },
      clock: () => state.now,
      log: { info: say('info'), warn: say('warn'), error: say('error') },
      count: values => void counts.push(values),
      jobs: async () => void state.replayed++,
    };
    const finish = async (place: number, more: Partial<ProcessState>) => {
      const process = processes[place] as ScheduledProcess;
      const request = { mode: 'sweep', owner: 'o', now: AT, until: AT } as const;
      const lease = (await createSnapshots(table).takeLease(process, request)) as Lease;
      await createSnapshots(table).finish(process, lease, { ...WELL, ...more });
    };
    const tick = (
      more: Partial<TickDependencies> = {},
      of: Partial<TickPasses> = {},
      remaining?: () => number,
    ) => createTick({ ...dependencies, passes: { ...passes, ...of }, ...more })(remaining);
    return {
      ...{ table, workspace, processes, dependencies, state, passes },
      ...{ sent, said, counts, finish, pause, complete, tick },
    };
  }
  const levels = () => world.said.map(([level, message]) => [level, message]);
  const failed = (message: string) => () => Promise.reject(new Error(message));

  it('starts what is due, and tells in one line how everything is', async () => {
    const { finish, tick, sent, said, counts, state } = world;
    await finish(0, { completedAt: AT - 50 * SECOND });
    await finish(1, { pace: { wait: 10 * SECOND, dueAt: AT + 35 * SECOND } });
    await tick();
    expect(sent.map(({ processes, mode }) => `${processes.join(' ')} ${mode}`)).toEqual([
      'first changes',
      ...Array.from({ length: 3 }, () => 'second changes'),
    ]);
    expect(said).toEqual([
      [
        'info',
        'Tick ended.',
        {
          code: 'tick.ended',
          passes: { sent: 4, unsent: 0 },
          processes: {
            late: 0,
            stalled: 0,
            onHold: 0,
            withRechecks: 0,
            unbaselined: 0,
            oldestPassAgeMs: 50 * SECOND,
          },
          endpoints: { woken: 0, failing: 0, stopped: 0 },
          subscriptions: { unconfirmed: 0, undelivered: 0 },
          readingStopped: 0,
          failedMessages: {},
          ms: 0,
        },
      ],
    ]);
    // All that is 0 costs nothing; that there is an age says that ticks come.
    expect(counts).toEqual([{ OldestPassAge: 50 }]);
    expect(state.replayed).toBe(1);
  });

  it('tells and counts what is not well, and names it', async () => {
    const { finish, tick, said, counts } = world;
    await finish(0, { completedAt: AT - HOUR, hold: { since: AT, missing: 7 } });
    await finish(1, {
      skipped: 1,
      stalled: { since: AT },
    });
    await tick({
      watch: {
        subscriptions: async () => [
          { name: 'a', url: 'https://a.example/', state: 'pending' },
          { name: 'b', url: 'https://b.example/', state: 'missing' },
          { name: 'c', url: 'https://c.example/', state: 'undelivered', messages: 3 },
        ],
        mappings: async () => [{ name: 'publish', reason: 'Disabled.' }],
        failedMessages: async () => ({ rejected: 2, unpublished: 0, unsettled: 3 }),
      },
    });
    expect(counts).toEqual([
      {
        ...{ ProcessesLate: 1, ProcessesOnHold: 1, ProcessesWithRechecks: 1, OldestPassAge: 3_600 },
        ...{ SubscriptionsUnconfirmed: 2, SubscriptionsUndelivered: 1, ReadingStopped: 1, FailedMessages: 5 },
      },
    ]);
    expect(said.map(([level, , { code }]) => [level, code])).toEqual([
      ['warn', 'processes.late'],
      ['warn', 'subscriptions.unconfirmed'],
      ['warn', 'subscriptions.undelivered'],
      ['warn', 'mappings.stopped'],
      ['info', 'tick.ended'],
    ]);
  });

  it.each<[string, Partial<TickDependencies>, Partial<TickPasses>, RegExp]>([
    ['progress', {}, { progress: { ofAll: failed('table down') } }, /progress of the processes/],
    ['pauses', {}, { rows: { all: failed('table down') } }, /rows of the workspaces/],
    ['endpoints', { registry: { all: failed('table down') } }, {}, /endpoints/],
    ['the roster', {}, { remember: failed('table down') }, /list of processes/],
    ['subscriptions', { watch: { subscriptions: failed('SNS down') } }, {}, /native subscriptions/],
    ['mappings', { watch: { mappings: failed('Lambda down') } }, {}, /event source mappings/],
    ['what is set aside', { watch: { failedMessages: failed('SQS down') } }, {}, /failed messages/],
    ['replays', { jobs: failed('broken') }, {}, /replays/],
  ])('starts passes and does all else though one part fails: %s', async (_part, more, of, message) => {
    const { finish, tick, sent, said, counts } = world;
    await finish(0, { hold: { since: AT, missing: 3 } });
    await tick(more, of);
    expect(sent.map(({ processes }) => processes[0])).toContain('first');
    expect(said.filter(([level]) => level === 'error')).toEqual([
      [
        'error',
        expect.stringMatching(message),
        { code: expect.stringMatching(/^tick\.[a-z-]+$/), error: expect.stringMatching(/down|broken/) },
      ],
    ]);
    expect(levels()).toContainEqual(['info', 'Tick ended.']);
    expect(world.state.replayed).toBe(/endpoints|replays/.test(_part) ? 0 : 1);
    // An age that nobody knows is none: that none is told is heard. Without the rows of the workspaces, that of a
    // process whose last passes found nothing is not known: a 0 still shows that ticks run, and holds are counted.
    const age = _part === 'pauses' ? { OldestPassAge: 0 } : { OldestPassAge: 30 };
    expect(counts).toEqual([_part === 'progress' ? {} : { ...age, ProcessesOnHold: 1 }]);
  });

  it('fails at its end, behind all else, when no pass could be started', async () => {
    const { tick, said, state } = world;
    await expect(tick({}, { claims: { claim: failed('table down') } })).rejects.toThrow(
      /No pass could be started/,
    );
    expect(said).toMatchObject([
      [
        'error',
        expect.stringMatching(/Could not start passes/),
        { code: 'tick.passes-not-started', error: 'Error: table down' },
      ],
      ['info', 'Tick ended.', { processes: { unbaselined: 2 } }],
    ]);
    expect(state.replayed).toBe(1);
    const refusing: TickPasses['queue'] = {
      send: async messages => ({ indexes: [...messages.keys()], reason: 'down' }),
    };
    await expect(tick({}, { queue: refusing })).rejects.toThrow(/No pass could be started/);
    const sparing: TickPasses['queue'] = {
      send: async messages => ({
        indexes: [...messages.keys()].filter(index => messages[index]?.body.includes('"second"')),
        reason: 'down',
      }),
    };
    world.state.now += MINUTE;
    said.length = 0;
    await tick({}, { queue: sparing });
    expect(said.at(-1)).toMatchObject(['info', 'Tick ended.', { passes: { sent: 1, unsent: 1 } }]);
  });

  it('that fails by a defect names the assertion', async () => {
    const claims = { claim: async () => AT + MINUTE };
    await expect(world.tick({}, { claims })).rejects.toThrow();
    expect(world.said.slice(0, 2).map(([level, , { code, assertion }]) => [level, code, assertion])).toEqual([
      ['error', 'assertion.failed', 'schedule.claim-has-time'],
      ['error', 'tick.passes-not-started', undefined],
    ]);
  });

  it.each<[string, Partial<TickPasses>]>([
    [
      'progress',
      { rows: { all: async () => new Map() }, progress: { ofAll: () => new Promise(() => undefined) } },
    ],
    [
      'pauses',
      {
        rows: { all: () => new Promise(() => undefined) },
        progress: { ofAll: async () => new Map() as never },
      },
    ],
  ])('that could not read %s for long starts passes all the same', async (_part, of) => {
    const { tick, sent, said } = world;
    vi.useFakeTimers();
    try {
      const ticking = tick({}, of);
      await vi.advanceTimersByTimeAsync(15_000);
      vi.useRealTimers();
      await ticking;
    } finally {
      vi.useRealTimers();
    }
    expect(sent.map(({ processes }) => processes[0])).toContain('first');
    expect(said[0]?.[2]).toEqual({
      code: expect.stringMatching(/^tick\.(progress|workspaces)-unreadable$/),
      error: 'Error: It took longer than 15000 ms.',
    });
  });

  it('wakes a run for what waits, and works off replays until 15 s are left', async () => {
    const { tick, said, state } = world;
    const endpoint = { name: 'crm', kind: 'webhook' } as const;
    const row = { name: 'crm', health: { waiting: { added: 1, due: AT + 7 * SECOND, first: true } } };
    const woken: [string, number][] = [];
    const hadTime: boolean[] = [];
    const more: Partial<TickDependencies> = {
      registry: { all: async () => [{ endpoint, row }] },
      queues: { wake: async ({ name }, seconds) => void woken.push([name, seconds]) },
      jobs: async (all, hasTime) => {
        expect(all).toEqual([{ endpoint, row }]);
        for (const ms of [29_999, 1]) {
          state.now += ms;
          hadTime.push(hasTime());
        }
      },
    };
    await tick(more);
    expect([woken, hadTime]).toEqual([[['crm', 7]], [true, false]]);
    expect(said).toMatchObject([['info', 'Tick ended.', { endpoints: { woken: 1 } }]]);
    const left = [15_001, 15_000];
    const asked: boolean[] = [];
    const jobs = async (_all: unknown, hasTime: () => boolean) => void asked.push(hasTime(), hasTime());
    await world.tick({ ...more, jobs }, {}, () => left.shift() ?? 0);
    expect(asked).toEqual([true, false]);
  });

  it('does all else where there are no processes, and sends nothing for time that is another’s', async () => {
    const { dependencies, said, sent, counts, tick } = world;
    const { passes: _none, ...without } = dependencies;
    await createTick(without)();
    expect([said, counts]).toMatchObject([[['info', 'Tick ended.', { passes: undefined }]], [{}]]);
    said.length = 0;
    await tick({}, { claims: { claim: async () => undefined } });
    expect(sent).toEqual([]);
    expect(said).toMatchObject([['info', 'Tick ended.', { passes: { sent: 0, unsent: 0 } }]]);
  });

  it('tells a baseline that does not come about by when its process was written down', async () => {
    const { processes, tick, counts } = world;
    const [one, other] = processes as [ScheduledProcess, ScheduledProcess];
    const known = new Map([
      [one, AT - 2 * HOUR],
      [other, AT - HOUR],
    ]);
    await tick({}, { remember: async () => known });
    expect(counts).toMatchObject([{ ProcessesLate: 1 }]);
  });

  /** Whose rows are read. */
  function readOf({ passes }: typeof world) {
    const read: string[] = [];
    const ofAll: TickPasses['progress']['ofAll'] = of => {
      read.push(...of.map(({ processId }) => processId));
      return passes.progress.ofAll(of);
    };
    return { read, progress: { ofAll } };
  }

  it('knows those whose last pass found nothing by the row of their group, and reads the rows of the others', async () => {
    const { finish, complete, tick, sent, counts, said } = world;
    await finish(0, { completedAt: AT - HOUR });
    await finish(1, { completedAt: AT - 20 * SECOND, pace: { wait: 5 * MINUTE, dueAt: AT + 280 * SECOND } });
    await complete({ place: 0, completedAt: AT - 45 * SECOND, skipped: 1, hold: { since: AT, missing: 1 } });
    const { read, progress } = readOf(world);
    await tick({}, { progress });
    expect(read).toEqual(['second']);
    expect(sent.map(({ processes, mode }) => `${processes.join(' ')} ${mode}`)).toEqual(['first changes']);
    expect(counts).toEqual([{ OldestPassAge: 45, ProcessesWithRechecks: 1, ProcessesOnHold: 1 }]);
    expect(said).toHaveLength(1);
  });

  it('reads the rows of one whose last idle pass is older than its interval and two minutes', async () => {
    const { finish, complete, tick, counts } = world;
    for (const place of [0, 1]) await finish(place, {});
    const { slowest } = second.changes;
    await complete(
      { place: 0, completedAt: AT - 3 * MINUTE - 1 },
      { place: 1, completedAt: AT - slowest - 2 * MINUTE, pace: { wait: slowest, dueAt: AT + MINUTE } },
    );
    const { read, progress } = readOf(world);
    await tick({}, { progress });
    expect(read).toEqual(['first']);
    expect(counts).toMatchObject([{ OldestPassAge: 420 }]);
  });

  it('starts sweeps by what the row of the group says of them', async () => {
    const { complete, tick, sent } = world;
    const due = { sweepCompletedAt: AT - 7 * HOUR };
    await complete(
      { place: 0, ...due },
      { place: 1, ...due, sweepLeasedUntil: AT + MINUTE, pace: { wait: 5 * MINUTE, dueAt: AT + 4 * MINUTE } },
    );
    await tick();
    const sweeps = sent.filter(({ mode }) => mode === 'sweep');
    expect(sweeps.map(({ processes }) => processes)).toEqual([['first']]);
  });

  it('leaves a workspace out that is paused, tells of it and counts it', async () => {
    const { workspace, finish, complete, pause, tick, sent, counts, said } = world;
    for (const place of [0, 1]) await finish(place, {});
    // Nothing changes meanwhile: their rows need not be read.
    await complete({ place: 0, completedAt: AT - 4 * MINUTE }, { place: 1, completedAt: AT - 20 * MINUTE });
    await pause(MINUTE + 1);
    const { read, progress } = readOf(world);
    await tick({}, { progress });
    expect([sent, read]).toEqual([[], []]);
    expect(counts).toMatchObject([{ WorkspacesPaused: 1 }]);
    const which = [{ workspace, until: AT + MINUTE + 1, since: AT - HOUR, reason: 'down', failures: 3 }];
    expect(said).toMatchObject([
      ['warn', expect.stringMatching(/^Workspaces are paused/), { count: 1, which }],
      ['info', 'Tick ended.', { passes: { sent: 0, unsent: 0 } }],
    ]);
    world.state.now += MINUTE;
    // Once it is no longer configured, nothing ends its pause.
    await tick({}, { processes: [first] });
    expect(counts.at(-1)).not.toHaveProperty('WorkspacesPaused');
  });
});

const IDLE: Completion = {
  ...{ completedAt: AT - 30 * SECOND, pace: undefined, hold: undefined, released: false, skipped: 0 },
  ...{ sweepCompletedAt: AT, isSweepUnfinished: false, sweepLeasedUntil: undefined },
};
