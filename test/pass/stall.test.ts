import { describe, expect, it } from 'vitest';
import type { Snapshots } from '../../functions/store/store.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const MINUTE = 60_000;
const stage = openStage();
let world: World;

/** A world well behind its baseline, with a completed pass at its present time. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create(options);
  await world.run();
  await world.later('changes', 10 * MINUTE);
  return world;
}
const isAsked = ({ path }: { path: string }) => path.includes('/processes/');
const down = () => world.service.fail({ when: isAsked, times: 1_000, fault: { status: 403 } });
const saidOf = (level: 'warn', message: RegExp) =>
  world.said.flatMap(one => (one.level === level && message.test(one.message) ? [one.details] : []));
const iso = (time: number) => new Date(time).toISOString();
const { told } = stage;

/** The port, but what is named dies: it and everything after it fails, as when the process is killed. */
function killedAt(
  call: 'commit' | 'withSnapshot' | 'announce' | 'finish',
  when: 'before' | 'after',
): Partial<Snapshots> {
  let dead = false;
  const kill = () => {
    dead = true;
    throw new Error('killed');
  };
  const { until, ...calls } = world.snapshots;
  return Object.fromEntries(
    Object.entries(calls).map(([name, method]) => [
      name,
      async (...given: unknown[]) => {
        if (dead || (name === call && when === 'before')) return kill();
        const result = await (method as (...given: unknown[]) => unknown)(...given);
        return name === call ? kill() : result;
      },
    ]),
  );
}
const runKilled = (call: Parameters<typeof killedAt>[0], when: 'before' | 'after') => {
  const snapshots = { ...world.snapshots, ...killedAt(call, when) };
  return world.run('changes', { poll: world.poller({ snapshots }) }).catch(() => undefined);
};

describe('why passes fail', () => {
  const failures = async () => {
    const { changesFailure, sweepFailure } = await world.snapshots.readState(world.process);
    return [changesFailure, sweepFailure];
  };
  const failed = async (mode: 'changes' | 'sweep') =>
    void (await expect(world.later(mode, MINUTE)).rejects.toThrow(/status 403/));
  const reason = expect.stringContaining('status 403');

  it('is kept from the first failure on, of each mode by itself, until a pass of that mode is completed', async () => {
    await baselined();
    const fault = down();
    const began = world.clock.now;
    for (let pass = 0; pass < 2; pass++) await failed('changes');
    await failed('sweep');
    expect(await failures()).toEqual([
      { since: began + MINUTE, reason },
      { since: began + 3 * MINUTE, reason },
    ]);
    fault.cancel();
    await world.later('changes', MINUTE);
    expect(await failures()).toEqual([undefined, { since: began + 3 * MINUTE, reason }]);
    await world.later('sweep', MINUTE);
    expect(await failures()).toEqual([undefined, undefined]);
  });
});

describe('source.stalled', () => {
  it('is told once, by a failed pass, when none was completed for more than 5 intervals', async () => {
    await baselined();
    const completed = world.clock.now;
    down();
    for (let pass = 0; pass < 5; pass++) await expect(world.later()).rejects.toThrow(/status 403/);
    expect(await told()).toEqual([]);
    for (let pass = 0; pass < 5; pass++) await expect(world.later()).rejects.toThrow(/status 403/);
    expect(await told()).toEqual(['source.stalled']);
    expect(saidOf('warn', /is stalled; a source.stalled event was emitted/)).toEqual([
      {
        ...{ workspace: world.process.workspace, processId: PROCESS },
        ...{ code: 'pass.stalled', reason: expect.stringMatching(/status 403/) },
      },
    ]);
    const [event] = await world.events();
    expect(event).toMatchObject({
      id: `${PROCESS}..${completed + 6 * MINUTE}.0`,
      time: iso(completed + 6 * MINUTE),
      data: { since: iso(completed), reason: expect.stringMatching(/^GET .*projects.*status 403/) },
    });
  });

  it('counts the intervals of the process', async () => {
    await baselined({
      settings: { processes: [{ id: PROCESS, changes: { fastest: MINUTE, slowest: 10 * MINUTE } }] as never },
    });
    down();
    await expect(world.later('changes', 50 * MINUTE)).rejects.toThrow();
    expect(await told()).toEqual([]);
    await expect(world.later()).rejects.toThrow();
    expect(await told()).toEqual(['source.stalled']);
  });

  it('takes a minute at least, however short the interval', async () => {
    await baselined({
      settings: { processes: [{ id: PROCESS, changes: { fastest: 100, slowest: 100 } }] as never },
    });
    down();
    await expect(world.later('changes', MINUTE)).rejects.toThrow();
    expect(await told()).toEqual([]);
    await expect(world.later('changes', 1)).rejects.toThrow();
    expect(await told()).toEqual(['source.stalled']);
  });

  it('is told by the pass during which it came true, and that has more to read', async () => {
    await baselined({ settings: { concurrency: 1 } });
    for (const id of ['1001', '1002', '1003']) world.edit.updateProject(PROCESS, id, { budget: '1' });
    const poll = world.poller({ onProgress: () => world.pass(3 * MINUTE) });
    world.pass(MINUTE);
    expect(await world.run('changes', { poll, remaining: 6 * MINUTE })).toMatchObject({
      outcome: 'unfinished',
      events: 2,
    });
    expect(await told()).toEqual([expect.stringContaining('1001'), 'source.stalled']);
    expect((await world.events()).at(-1)?.data).toMatchObject({
      reason: expect.stringMatching(/more to read than one run has time for/),
    });
  });

  it.each([
    ['where there is something to commit', 'commit', 'before'],
    ['before they walk', 'withSnapshot', 'before'],
    ['at its end', 'finish', 'before'],
  ] as const)('is told by the run after those that die %s', async (_, call, when) => {
    await baselined();
    if (call !== 'withSnapshot') world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Done' });
    for (let pass = 0; pass < 6; pass++) {
      world.pass(61_000);
      await runKilled(call, when);
    }
    expect((await told()).at(-1)).toBe('source.stalled');
    expect((await world.events()).at(-1)?.data).toMatchObject({
      reason: expect.stringMatching(/did not come to its end/),
    });
  });

  it('is not told before the baseline, nor by a sweep', async () => {
    world = await stage.create();
    const refusal = down();
    for (let pass = 0; pass < 8; pass++) await expect(world.later()).rejects.toThrow();
    refusal.cancel();
    await world.later();
    down();
    for (let pass = 0; pass < 8; pass++) await expect(world.later('sweep')).rejects.toThrow();
    expect(await told()).toEqual([]);
  });

  it('never hides the failure of the pass, and is told by the next one', async () => {
    await baselined();
    down();
    const announce = async () => {
      throw new Error('throttled');
    };
    const poll = world.poller({ snapshots: { ...world.snapshots, announce } });
    world.pass(6 * MINUTE);
    await expect(world.run('changes', { poll })).rejects.toThrow(/status 403/);
    expect(saidOf('warn', /^Could not emit the stall/)).toEqual([
      expect.objectContaining({ error: 'throttled' }),
    ]);
    await expect(world.later()).rejects.toThrow(/status 403/);
    expect(await told()).toEqual(['source.stalled']);
  });

  it('is not told by a run that took too old a look at the state', async () => {
    await baselined();
    down();
    let looks = 0;
    const readState: Snapshots['readState'] = async process => {
      const state = await world.snapshots.readState(process);
      return ++looks > 1 ? state : { ...state, completedAt: state.completedAt - 6 * MINUTE };
    };
    const poll = world.poller({ snapshots: { ...world.snapshots, readState } });
    await expect(world.run('changes', { poll })).rejects.toThrow();
    expect(await told()).toEqual([]);
    expect(saidOf('warn', /stalled/)).toEqual([]);
  });
});

describe('source.recovered', () => {
  const stalled = async () => {
    await baselined();
    const since = world.clock.now;
    const refusal = down();
    for (let pass = 0; pass < 7; pass++) await world.later().catch(() => undefined);
    refusal.cancel();
    return since;
  };

  it('is told once, by the next completed pass, after what changed meanwhile', async () => {
    const since = await stalled();
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await world.later('sweep');
    expect((await told()).at(-1)).not.toBe('source.recovered');
    await world.later();
    const until = world.clock.now;
    await world.later();
    expect(await told()).toEqual([
      'source.stalled',
      'project.updated 1001 budget: "" → "1"',
      'source.recovered',
    ]);
    expect((await world.events()).at(-1)?.data).toMatchObject({ since: iso(since), until: iso(until) });
    expect((await world.snapshots.readState(world.process)).stalled).toBeUndefined();
  });

  it('is told by the very run that called the process stalled, when that one completes', async () => {
    await baselined();
    world.pass(60_000);
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await runKilled('commit', 'before');
    world.pass(600_000);
    expect(await world.run()).toMatchObject({ outcome: 'completed', events: 3 });
    expect(await told()).toEqual([
      'source.stalled',
      'source.recovered',
      'project.updated 1001 budget: "" → "1"',
    ]);
  });

  it('is not told again by a run that took too old a look at the state', async () => {
    await stalled();
    world.pass(MINUTE);
    let looks = 0;
    const readState: Snapshots['readState'] = async process => {
      const state = await world.snapshots.readState(process);
      if (++looks > 1) return state;
      world.pass(61_000);
      await world.run();
      return state;
    };
    const poll = world.poller({ snapshots: { ...world.snapshots, readState } });
    expect(await world.run('changes', { poll })).toMatchObject({ outcome: 'busy', events: 0 });
    expect(await told()).toEqual(['source.stalled', 'source.recovered']);
    expect(saidOf('warn', /^Could not emit the stall/)).toEqual([]);
  });
});
