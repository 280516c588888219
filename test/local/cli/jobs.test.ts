import { describe, expect, test } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import { workspaceSettings } from '../../../functions/config/read.ts';
import { type ProcessState, UNKNOWN_PROCESS } from '../../../functions/model/process-state.ts';
import type { PassReport } from '../../../functions/pass/run-pass.ts';
import { jobsOf } from '../../../local/cli/jobs.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AT = Date.UTC(2026, 10, 21, 12);
const KEY = { workspace: 'w', processId: 'p' };

function open(settings: object = {}, { fails, ...ended }: Partial<PassReport> & { fails?: boolean } = {}) {
  const world = { now: AT, state: { ...UNKNOWN_PROCESS } as ProcessState };
  const workspace = workspaceSettings({
    ...{ name: 'w', baseUrl: 'http://127.0.0.1', authUrl: 'http://127.0.0.1', audience: 'a' },
    ...{ credentials: 'c', processes: [{ id: 'p', ...settings }] },
  });
  const passes: [ProcessKey, string, boolean][] = [];
  const [changes, sweep] = jobsOf([{ workspace, credentials: { clientId: 'i', clientSecret: 's' } }], {
    runPass: async (process, mode, isAsked) => {
      passes.push([process, mode, isAsked]);
      if (fails) throw new Error('no service');
      return { mode, outcome: 'completed', projects: 0, commits: 0, events: 0, ...ended };
    },
    snapshots: { readState: async () => world.state },
    clock: () => world.now,
  });
  if (changes === undefined || sweep === undefined) throw new Error('There are two jobs for one process.');
  const knows = (state: Partial<ProcessState>) => {
    world.state = { ...UNKNOWN_PROCESS, baselined: true, ...state };
  };
  return { changes, sweep, world, passes, knows };
}

describe('looking for changes', () => {
  test('begins at the start, whatever the schedule says; a sweep does not', () => {
    const { changes, sweep } = open();
    expect([changes.isDueAtStart, sweep.isDueAtStart]).toEqual([true, false]);
  });

  test('goes on by a grid of its interval, also below 5 s, and at once where a pass took longer', async () => {
    const { changes, knows, world } = open({ changes: { fastest: 2_000, slowest: 2_000 } });
    knows({});
    const first = (await changes.due(AT)) as number;
    expect(first).toBeGreaterThan(AT);
    expect(first).toBeLessThanOrEqual(AT + 2_000);
    world.now = first;
    expect(await changes.due(first)).toBe(first + 2_000);
    world.now = first + 7_000;
    expect(await changes.due(first)).toBe(first + 6_000);
  });

  test('of an adaptive process goes on when the last pass said so', async () => {
    const { changes, knows, world } = open({ changes: { fastest: 10_000, slowest: 5 * MINUTE } });
    knows({ pace: { wait: 40_000, dueAt: AT + 40_000 } });
    expect(await changes.due(AT)).toBe(AT + 40_000);
    knows({ pace: { wait: 3 * MINUTE, dueAt: AT + 3 * MINUTE } });
    expect(await changes.due(AT)).toBeUndefined();
    world.now = AT + 2.5 * MINUTE;
    expect(await changes.due(AT)).toBe(AT + 3 * MINUTE);
  });

  test('goes on, within a minute, though the clock was ahead when the last pass began', async () => {
    const { changes, knows } = open();
    knows({});
    expect(await changes.due(AT + 24 * HOUR)).toBeLessThanOrEqual(AT + MINUTE);
  });

  test('tells the pass whether somebody asks for it, and goes on at once with one that is unfinished', async () => {
    const { changes, passes } = open();
    expect([await changes.run(true), await changes.run(false)]).toEqual(['done', 'done']);
    expect(passes).toEqual([
      [KEY, 'changes', true],
      [KEY, 'changes', false],
    ]);
    expect(await open({}, { outcome: 'unfinished' }).changes.run(false)).toBe('again');
  });

  test('follows a baseline at once: much may have changed while it was made', async () => {
    const made = open({}, { mode: 'baseline' });
    expect([await made.changes.run(true), await made.sweep.run(true)]).toEqual(['again', 'done']);
    expect(await open({}, { mode: 'baseline', outcome: 'busy' }).changes.run(true)).toBe('done');
  });
});

describe('a sweep', () => {
  test('is not due before the baseline is done', async () => {
    const { changes, sweep, world } = open({ sweep: MINUTE });
    await changes.run(true);
    expect(await sweep.due(undefined)).toBeUndefined();
    world.state = { ...world.state, baselined: true, sweepCompletedAt: AT };
    expect(await sweep.due(undefined)).toBeGreaterThan(AT);
  });

  test.each([
    ['sweepCompletedAt', {}],
    // Of a store of a version before.
    ['sweptAt', { sweepCompletedAt: 0 }],
  ])('is one in each interval, however often the run is started again (by %s)', async (name, older) => {
    const { changes, sweep, knows, world } = open({ sweep: 6 * HOUR });
    await changes.run(true);
    knows({ sweepCompletedAt: AT, [name]: AT, ...older });
    const dues: number[] = [];
    for (let restart = 0; restart < 6 * 24; restart++) {
      world.now = AT + restart * 10 * MINUTE;
      const due = await sweep.due(undefined);
      if (due === undefined || due > world.now) continue;
      dues.push(due);
      knows({ sweepCompletedAt: world.now, [name]: world.now, ...older });
    }
    expect(dues).toHaveLength(4);
    const [first = 0] = dues;
    expect(dues).toEqual([0, 6, 12, 18].map(hours => first + hours * HOUR));
  });

  test('that was due while nothing ran is made up for at once, and once', async () => {
    const { changes, sweep, knows, world } = open({ sweep: 6 * HOUR });
    await changes.run(true);
    knows({ sweepCompletedAt: AT - 30 * HOUR });
    expect(await sweep.due(undefined)).toBeLessThanOrEqual(AT);
    world.now = AT + MINUTE;
    const next = await sweep.due(AT);
    if (next !== undefined) expect(next).toBeGreaterThan(AT);
  });

  test('that is due at the start waits until a first pass has looked for changes, whose authors it does not know', async () => {
    const { changes, sweep, knows } = open({ sweep: 6 * HOUR });
    knows({ sweepCompletedAt: AT - 30 * HOUR });
    expect(await sweep.due(undefined)).toBeUndefined();
    await changes.run(true);
    expect(await sweep.due(undefined)).toBeLessThanOrEqual(AT);
    const failing = open({ sweep: 6 * HOUR }, { fails: true });
    failing.knows({ sweepCompletedAt: AT - 30 * HOUR });
    await expect(failing.changes.run(true)).rejects.toThrow('no service');
    expect(await failing.sweep.due(undefined)).toBeLessThanOrEqual(AT);
  });
});
