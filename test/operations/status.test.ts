import { afterEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { createOperations } from '../../functions/operations/create-operations.ts';
import type { ProcessState } from '../../functions/snapshots/state.ts';
import { AT, type OpenHouse, openHouse, PROCESSES, STORES } from './house.ts';
import { askOf } from './setting.ts';

const CALLER = { who: 'ann', isProven: true };
const [PROCESS] = PROCESSES as [ProcessKey, ProcessKey];
const iso = (at: number) => new Date(at).toISOString();
const skipped = (id: string, since: number) => ({
  id,
  since,
  reason: 'answered 500',
  told: true,
  tasksMissing: false,
});

describe.each(STORES)('over %s, the status', (_, open) => {
  let house: OpenHouse;
  afterEach(() => house.close());
  const ask = () => askOf({ operations: createOperations(house), caller: CALLER });
  const begun = async (mode: 'changes' | 'sweep' = 'changes', owner = 'run') => {
    const request = { mode, owner, now: AT, until: AT + 60_000 };
    const lease = await house.snapshots.takeLease(PROCESS, request);
    if (!lease) throw new Error('no lease');
    return lease;
  };
  const stateIs = async (state: Partial<ProcessState>) => {
    const lease = await begun();
    await house.snapshots.finish(PROCESS, lease, state);
  };
  const statusOf = async () => {
    const { processes } = await ask()('status');
    return processes.find(({ process }) => process === PROCESS.processId);
  };
  const well = { baselined: true, completedAt: AT - 60_000, sweptAt: AT - 3_600_000 };

  it.each<[string, Partial<ProcessState>, object]>([
    [
      'well',
      well,
      { completedAt: iso(AT - 60_000), sweptAt: iso(AT - 3_600_000), debts: { count: 0, first: [] } },
    ],
    ['stalled', { ...well, completedAt: AT - 300_001 }, {}],
    ['stalled', { ...well, stalled: { since: AT - 9_000 } }, { stalledSince: iso(AT - 9_000) }],
    ['well', { ...well, completedAt: AT - 300_000 }, {}],
    [
      'held',
      { ...well, held: { since: AT - 5, missing: 40 }, skipped: [skipped('p1', AT)] },
      { hold: { since: iso(AT - 5), projects: 40, isReleased: false } },
    ],
    [
      'owing',
      { ...well, skipped: [skipped('p1', AT - 7), skipped('p2', 0)] },
      {
        debts: {
          count: 2,
          first: [
            { project: 'p1', since: iso(AT - 7), reason: 'answered 500' },
            { project: 'p2', reason: 'answered 500' },
          ],
        },
      },
    ],
    ['stalled', { ...well, completedAt: AT - 400_000, held: { since: AT, missing: 1 } }, {}],
  ])('of a process is %s', async (state, known, more) => {
    house = openHouse(open);
    await stateIs(known);
    expect(await statusOf()).toMatchObject({
      ...{ workspace: PROCESS.workspace, process: PROCESS.processId, state, interval: 60_000, underWay: [] },
      ...more,
    });
  });

  it('is all that can be had of what nothing runs for: only a run knows which process is configured', async () => {
    house = openHouse(open);
    const operations = createOperations({ ...house, isRunning: false, processes: house.roster.list });
    await house.roster.remember([PROCESS]);
    const { processes } = await askOf({ operations, caller: CALLER })('status');
    expect(processes).toMatchObject([{ process: PROCESS.processId, state: 'unknown' }]);
    await expect(
      askOf({ operations, caller: CALLER })('forget', { process: PROCESS.processId }),
    ).rejects.toThrow('Nothing runs: only a run knows what is configured.');
  });

  it('of a process that nobody has polled is unknown, then that of its baseline', async () => {
    house = openHouse(open);
    expect(await statusOf()).toEqual({
      ...{ workspace: PROCESS.workspace, process: PROCESS.processId, state: 'unknown', interval: 60_000 },
      ...{ underWay: [], debts: { count: 0, first: [] } },
    });
    const lease = await begun('sweep');
    const walked = { ...lease, window: { startedAt: AT }, progress: 'p7' };
    await house.snapshots.saveProgress(PROCESS, walked, AT + 60_000);
    const status = await statusOf();
    expect(status).toMatchObject({ state: 'baseline', underWay: [{ mode: 'sweep', progress: 'p7' }] });
  });

  it('tells a pass that is under way: somebody walks it, or it is to go on', async () => {
    house = openHouse(open);
    await stateIs(well);
    const lease = await begun();
    expect((await statusOf())?.underWay).toEqual([{ mode: 'changes' }]);
    house.state.now = AT + 60_001;
    expect((await statusOf())?.underWay).toEqual([]);
    await house.snapshots.saveProgress(PROCESS, { ...lease, window: { startedAt: AT } }, AT + 60_000);
    await house.snapshots.release(PROCESS, lease);
    expect((await statusOf())?.underWay).toEqual([{ mode: 'changes' }]);
  });

  it('counts all debts, and tells the first ten, also where they are many', async () => {
    house = openHouse(open);
    const many = Array.from({ length: 3_000 }, (_, index) =>
      skipped(`project-${index}-${'x'.repeat(30)}`, AT),
    );
    await stateIs({ ...well, skipped: many });
    const debts = (await statusOf())?.debts;
    expect([debts?.count, debts?.first.length]).toEqual([3_000, 10]);
  });

  it('tells processes by workspace and identifier, then endpoints by name, over any pages', async () => {
    house = openHouse(
      open,
      ['c', 'a', 'b'].map(name => ({ name, kind: 'slack' as const })),
    );
    for (const limit of [1, 2, 3, 4, 5, 100]) {
      const found: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await ask()('status', { limit, ...(cursor !== undefined && { cursor }) });
        expect(page).toMatchObject({ at: iso(AT), house: 'run', isRunning: true });
        expect(page.processes.length + page.endpoints.length).toBeLessThanOrEqual(limit);
        found.push(
          ...page.processes.map(({ process }) => process),
          ...page.endpoints.map(({ name }) => name),
        );
        cursor = page.cursor;
        if (cursor === undefined) break;
      }
      expect(found).toEqual([...PROCESSES.map(({ processId }) => processId), 'a', 'b', 'c']);
    }
  });
});

describe('the status of an endpoint', () => {
  const [[, open]] = STORES.toReversed() as [(typeof STORES)[number]];
  let house: OpenHouse;
  afterEach(() => house.close());
  const waiting = { added: 1, due: AT + 9_000, first: true };

  it.each([
    [{}, { state: 'well' }],
    [{ waiting }, { state: 'well', nextTryAt: iso(AT + 9_000) }],
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
      { state: 'held', since: iso(AT - 3), nextTryAt: iso(AT + 60_000) },
    ],
    [{ notBefore: AT - 1, failures: { count: 1, since: AT - 3 } }, { state: 'well' }],
  ])('whose health is %j is as it should be', async (health, told) => {
    house = openHouse(open, [{ name: 'crm', kind: 'webhook' }]);
    await house.rows.change('crm', () => ({ name: 'crm', health }));
    const status = await askOf({ operations: createOperations(house), caller: CALLER })('endpoint', {
      endpoint: 'crm',
    });
    const { state, since, reason, nextTryAt } = status;
    expect(JSON.parse(JSON.stringify({ state, since, reason, nextTryAt }))).toEqual(told);
    expect(status).toMatchObject({ isConfigured: true, overrides: false, perSecond: 10 });
  });

  it('tells no more than a thousand of what waits, and that there is more', async () => {
    house = openHouse(open, [{ name: 'crm', kind: 'slack', keepSuccesses: false, perSecond: 2 }]);
    const delivery = { endpoint: 'crm', at: AT, body: '{}', attributes: {} };
    await house.deliveries.add(
      Array.from({ length: 1_001 }, (_, index) => ({ ...delivery, eventId: `e${index}` })),
    );
    const status = await askOf({ operations: createOperations(house), caller: CALLER })('endpoint', {
      endpoint: 'crm',
    });
    expect(status).toMatchObject({
      ...{ waiting: { atLeast: 1_000, isExact: false }, dead: { atLeast: 0, isExact: true } },
      ...{ oldestWaiting: iso(AT), keepSuccesses: false, perSecond: 2 },
    });
  });
});
