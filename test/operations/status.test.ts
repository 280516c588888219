import { afterEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import type { Recheck, SavedState } from '../../functions/model/process-state.ts';
import { AT, type OpenContext, openContext, PROCESSES, STORES } from '../kit/operations/context.ts';
import { askIn, pagesOf } from '../kit/operations/setting.ts';
import { leaseOf, recheckOf } from '../kit/store/subject.ts';

const [PROCESS] = PROCESSES as [ProcessKey];
const iso = (at: number) => new Date(at).toISOString();
const NONE = { count: 0, skipped: 0, unread: 0, first: [] as { project: string }[] };
const recheck = (projectId: string, more: Partial<Recheck> = {}) => ({
  projectId,
  before: undefined,
  after: recheckOf({ since: AT - 7, foundAt: AT - 3, isReported: true, ...more }),
});

describe.each(STORES)('over %s, the status', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());
  const ask = () => askIn(context);
  const begun = (mode: 'changes' | 'sweep' = 'changes') => leaseOf(context.snapshots, PROCESS, { mode });
  const stateIs = async (state: Partial<SavedState>, ...rechecks: ReturnType<typeof recheck>[]) => {
    const lease = await begun();
    await context.snapshots.finish(PROCESS, lease, state);
    await context.snapshots.writeRechecks(PROCESS, rechecks);
  };
  const statusOf = async () => {
    const { processes } = await ask()('status');
    return processes.find(({ process }) => process === PROCESS.processId);
  };
  const skipped = { cause: 'unreadable', isSkipped: true, reason: 'answered 500' };
  const well = { baselined: true, completedAt: AT - 60_000, sweptAt: AT - 3_600_000 };

  it.each<[string, Partial<SavedState>, object, ...ReturnType<typeof recheck>[]]>([
    ['healthy', well, { completedAt: iso(AT - 60_000), sweptAt: iso(AT - 3_600_000), rechecks: NONE }],
    ['healthy', { ...well, projects: 40 }, { projects: 40 }],
    ['healthy', { ...well, baselinedAt: AT - 7_200_000 }, { watchedSince: iso(AT - 7_200_000) }],
    ['stalled', { ...well, completedAt: AT - 300_001 }, {}],
    // Written by a clock that was set back since: when it was is not known.
    ['stalled', { ...well, completedAt: AT + 3_600_000 }, {}],
    ['stalled', { ...well, stalled: { since: AT - 9_000 } }, { stalledSince: iso(AT - 9_000) }],
    ['healthy', { ...well, completedAt: AT - 300_000 }, {}],
    ...[{}, well].flatMap(before =>
      (['changesFailure', 'sweepFailure'] as const).map((name): [string, Partial<SavedState>, object] => [
        'failing',
        {
          ...before,
          hold: { since: AT - 5, missing: 40 },
          [name]: { since: AT - 9, reason: 'answered 401' },
        },
        {
          failure: { since: iso(AT - 9), reason: 'answered 401' },
          failures: {
            [name === 'sweepFailure' ? 'sweep' : 'changes']: { since: iso(AT - 9), reason: 'answered 401' },
          },
        },
      ]),
    ),
    [
      'stalled',
      { ...well, stalled: { since: AT - 9_000 }, changesFailure: { since: AT - 9, reason: 'answered 500' } },
      { failure: { since: iso(AT - 9), reason: 'answered 500' } },
    ],
    [
      'on-hold',
      { ...well, hold: { since: AT - 5, missing: 40 } },
      { hold: { since: iso(AT - 5), projects: 40, isReleased: false } },
      recheck('p1'),
    ],
    [
      'degraded',
      well,
      {
        rechecks: {
          ...{ count: 5, skipped: 2, unread: 3 },
          first: [
            { project: 'p4', foundAt: iso(AT - 9), ...skipped },
            { project: 'p1', since: iso(AT - 7), foundAt: iso(AT - 3), ...skipped },
            { project: 'p3', cause: 'no-task-list', foundAt: iso(AT - 3), isSkipped: false, reason: '404' },
            { project: 'p5', cause: 'uncertain', foundAt: iso(AT - 9), isSkipped: false, reason: 'older' },
            { project: 'p2', cause: 'not-listed', foundAt: iso(AT - 8), isSkipped: false, reason: 'missing' },
          ],
        },
      },
      recheck('p1'),
      recheck('p2', { cause: 'not-listed', reason: 'missing', foundAt: AT - 8, isReported: false }),
      recheck('p3', { cause: 'no-task-list', reason: '404', since: 0, isReported: false }),
      recheck('p4', { since: 0, foundAt: AT - 9 }),
      recheck('p5', { cause: 'uncertain', foundAt: AT - 9, reason: 'older', isReported: false }),
    ],
    [
      'healthy',
      well,
      { rechecks: { count: 1, skipped: 0, unread: 0 } },
      recheck('p', { cause: 'not-listed', isReported: false }),
    ],
    ['stalled', { ...well, completedAt: AT - 400_000, hold: { since: AT, missing: 1 } }, {}],
  ])('of a process is %s', async (state, known, more, ...rechecks) => {
    context = openContext(open);
    await stateIs(known, ...rechecks);
    expect(await statusOf()).toMatchObject({
      ...{ workspace: PROCESS.workspace, process: PROCESS.processId, state, interval: 60_000, underWay: [] },
      ...more,
    });
  });

  it('is all that can be had of what nothing runs for: only a run knows which process is configured', async () => {
    context = openContext(open);
    const asked = askIn({ ...context, isRunning: false, processes: context.roster.list });
    await context.roster.remember([PROCESS]);
    const { processes } = await asked('status');
    expect(processes).toMatchObject([{ process: PROCESS.processId, state: 'unknown' }]);
    const stopped = 'Changewire is not running';
    await expect(asked('forget', { process: PROCESS.processId })).rejects.toThrow(
      `${stopped}, and only a run knows the configuration.`,
    );
    await expect(asked('reload')).rejects.toThrow(`${stopped}. The next start reads the configuration.`);
    await expect(ask()('reload')).rejects.toThrow('A stack takes up its configuration when it is deployed');
  });

  it('shows the process to forget that is removed, not one of its id that another workspace has', async () => {
    context = openContext(open);
    await context.roster.remember([PROCESS, { ...PROCESS, workspace: 'removed' }]);
    const asked = { process: PROCESS.processId, dryRun: true };
    expect(await ask()('forget', asked)).toMatchObject({ workspace: 'removed' });
  });

  it('of a process that nobody has polled is unknown, then that of its baseline', async () => {
    context = openContext(open);
    expect(await statusOf()).toEqual({
      ...{ workspace: PROCESS.workspace, process: PROCESS.processId, state: 'unknown', interval: 60_000 },
      ...{ underWay: [], rechecks: NONE },
    });
    const lease = await begun('sweep');
    const walked = { ...lease, window: { startedAt: AT, begunAt: AT }, progress: 'p7' };
    await context.snapshots.saveProgress(PROCESS, walked, AT + 60_000);
    const status = await statusOf();
    expect(status).toMatchObject({ state: 'baseline', underWay: [{ mode: 'sweep', progress: 'p7' }] });
  });

  it('tells a pass that is under way: somebody walks it, or it is to go on', async () => {
    context = openContext(open);
    await stateIs(well);
    const lease = await begun();
    expect((await statusOf())?.underWay).toEqual([{ mode: 'changes' }]);
    context.state.now = AT + 60_001;
    expect((await statusOf())?.underWay).toEqual([]);
    const walked = { ...lease, window: { startedAt: AT, begunAt: AT } };
    await context.snapshots.saveProgress(PROCESS, walked, AT + 60_000);
    await context.snapshots.release(PROCESS, lease);
    expect((await statusOf())?.underWay).toEqual([{ mode: 'changes' }]);
  });

  it('tells rechecks that subscribers know of before any other, also one that only a sweep misses by now', async () => {
    context = openContext(open);
    const since = { foundAt: AT - 9, isReported: false };
    const untold = Array.from({ length: 10 }, (_, index) => recheck(`p${index}`, since));
    await stateIs(well, ...untold, recheck('gone', { cause: 'not-listed' }));
    const { count, first: told } = (await statusOf())?.rechecks ?? NONE;
    const first = told.map(({ project }) => project);
    expect(count).toBe(11);
    expect(first).toEqual(['gone', ...untold.slice(0, 9).map(({ projectId }) => projectId)]);
  });

  it('tells processes by workspace and identifier, then endpoints by name, over any pages', async () => {
    const configured = ['c', 'a', 'b'].map(name => ({ name, kind: 'slack' as const }));
    context = openContext(open, configured);
    for (const limit of [1, 2, 3, 4, 5, 100]) {
      const pages = await pagesOf(ask(), 'status', { limit });
      for (const page of pages) {
        expect(page).toMatchObject({ at: iso(AT), deployment: 'run', isRunning: true });
        expect(page.processes.length + page.endpoints.length).toBeLessThanOrEqual(limit);
      }
      const found = pages.flatMap(({ processes, endpoints }) => [
        ...processes.map(({ process }) => process),
        ...endpoints.map(({ name }) => name),
      ]);
      expect(found).toEqual([...PROCESSES.map(({ processId }) => processId), 'a', 'b', 'c']);
    }
  });
});

describe('the status of an endpoint', () => {
  const [[, open]] = STORES.toReversed() as [(typeof STORES)[number]];
  let context: OpenContext;
  afterEach(() => context.close());

  it('has the time of the next message of a chat that gathers changes, also after its settings were changed', async () => {
    context = openContext(open);
    const ask = askIn(context);
    const chat = { endpoint: 'team', kind: 'slack', url: 'https://hooks.slack.com/services/x' } as const;
    await ask('add-endpoint', { ...chat, window: '15m', quiet: '22:00-07:00 Europe/Berlin' });
    const health = {
      waiting: { ...waiting, first: false },
      window: { since: AT - 60_000, holds: true as const },
    };
    await context.endpoints.change('team', row => row && { ...row, health });
    const next = iso(AT + 14 * 60_000);
    expect(await ask('endpoint', { endpoint: 'team' })).toMatchObject({
      ...{ window: '15m', quiet: '22:00-07:00 Europe/Berlin', state: 'healthy', nextMessageAt: next },
    });
    const update = { window: null, quiet: null, digest: 'mon-sun 23:00 UTC' };
    const after = await ask('update-endpoint', { endpoint: 'team', ...update });
    expect(after).toMatchObject({ digest: update.digest, nextMessageAt: iso(Date.UTC(2026, 10, 21, 23)) });
    expect(after.window).toBeUndefined();
  });

  const waiting = { added: 1, due: AT + 9_000, first: true };

  it.each([
    [{}, { state: 'healthy' }],
    [{ waiting }, { state: 'healthy', nextTryAt: iso(AT + 9_000) }],
    [
      { paused: { at: AT - 5 }, failing: { since: AT - 9, probes: 1 }, waiting },
      { state: 'paused', since: iso(AT - 5) },
    ],
    [
      { stopped: { at: AT - 5, reason: 'it said 410' } },
      { state: 'stopped', since: iso(AT - 5), reason: 'it said 410' },
    ],
    [
      { failing: { since: AT - 9, probes: 1 }, notBefore: AT + 60_000, waiting },
      { state: 'failing', since: iso(AT - 9), nextTryAt: iso(AT + 60_000) },
    ],
    [
      { notBefore: AT + 60_000, failures: { count: 1, since: AT - 3 } },
      { state: 'throttled', since: iso(AT - 3), nextTryAt: iso(AT + 60_000) },
    ],
    [
      { notBefore: AT - 1, failures: { count: 1, since: AT - 3 } },
      { state: 'retrying', since: iso(AT - 3) },
    ],
  ])('whose health is %j is as it should be', async (health, told) => {
    context = openContext(open, [{ name: 'crm', kind: 'webhook' }]);
    await context.endpoints.change('crm', () => ({ name: 'crm', health }));
    const status = await askIn(context)('endpoint', { endpoint: 'crm' });
    const { state, since, reason, nextTryAt } = status;
    expect(JSON.parse(JSON.stringify({ state, since, reason, nextTryAt }))).toEqual(told);
    expect(status).toMatchObject({ isConfigured: true, overrides: false, perSecond: 10 });
  });

  it.each([
    ['none of its attempts succeeded, and some wait', ['failed'], 'waits', true, 'retrying'],
    ['none of its attempts succeeded, and none is to come', ['failed'], 'dead', true, 'failing'],
    ['an attempt succeeded', ['succeeded', 'failed'], 'waits', true, 'healthy'],
    ['its successes are not kept', ['failed'], 'waits', false, 'healthy'],
    ['nothing was tried', [], 'waits', true, 'healthy'],
  ] as const)('of which nothing else is known, where %s', async (_, made, rest, keepSuccesses, state) => {
    context = openContext(open, [{ name: 'crm', kind: 'webhook', keepSuccesses }]);
    const one = { endpoint: 'crm', at: AT, eventId: 'e1', body: '{}', attributes: {} };
    if (rest === 'waits') await context.deliveries.add([one]);
    else await context.deliveries.addDead(one, { at: AT, reason: 'answered 400' });
    await context.deliveries.note(
      made.map((outcome, index) => ({
        ...{ endpoint: 'crm', at: AT + index, events: [{ id: 'e1', type: 'task.created' }], took: 5 },
        ...(outcome === 'failed' ? { status: 400, failure: 'answered 400' } : { status: 200 }),
      })),
    );
    expect(await askIn(context)('endpoint', { endpoint: 'crm' })).toMatchObject({ state });
  });

  it('tells no more than a thousand of what waits, and that there is more', async () => {
    context = openContext(open, [{ name: 'crm', kind: 'slack', keepSuccesses: false, perSecond: 2 }]);
    const delivery = { endpoint: 'crm', at: AT, body: '{}', attributes: {} };
    const many = Array.from({ length: 1_001 }, (_, index) => ({ ...delivery, eventId: `e${index}` }));
    await context.deliveries.add(many);
    expect(await askIn(context)('endpoint', { endpoint: 'crm' })).toMatchObject({
      ...{ waiting: { atLeast: 1_000, isExact: false }, dead: { atLeast: 0, isExact: true } },
      ...{ oldestWaiting: iso(AT), keepSuccesses: false, perSecond: 2 },
    });
  });
});
