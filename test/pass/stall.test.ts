import { describe, expect, it } from 'vitest';
import type { Snapshots } from '../../functions/store/store.ts';
import { ids, openStage } from '../kit/stage.ts';
import { iso, MINUTE } from '../kit/time.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
const { told, warned } = stage;
let world: World;

const settled = async (options: WorldOptions = {}) => {
  world = await stage.settled(options);
};
const isAsked = ({ path }: { path: string }) => path.includes('/processes/');
const down = () => world.service.fail({ when: isAsked, times: 1_000, fault: { status: 403 } });
const failing = async (passes: number, mode: 'changes' | 'sweep' = 'changes', ms = MINUTE) => {
  for (let pass = 0; pass < passes; pass++) await expect(world.later(mode, ms)).rejects.toThrow(/status 403/);
};
/** The reason in the `source.stalled` event. */
const reason = async () =>
  (await world.events()).flatMap(event => (event.type === 'source.stalled' ? [event.data.reason] : []));
/** The state as a run sees that read it first when it was as `changed` makes it. */
const oldLook = (changed: (state: Awaited<ReturnType<Snapshots['readState']>>) => unknown) => {
  let looks = 0;
  const readState: Snapshots['readState'] = async process => {
    const state = await world.snapshots.readState(process);
    return ++looks > 1 ? state : { ...state, ...((await changed(state)) as object) };
  };
  return readState;
};

it('why passes fail is kept from the first failure on, of each mode by itself, until a pass of that mode is completed', async () => {
  await settled();
  const failures = async () => {
    const { changesFailure, sweepFailure } = await stage.state();
    return [changesFailure, sweepFailure];
  };
  const because = expect.stringContaining('status 403');
  const fault = down();
  const began = world.clock.now;
  await failing(2);
  await failing(1, 'sweep');
  const ofSweep = { since: began + 3 * MINUTE, reason: because };
  expect(await failures()).toEqual([{ since: began + MINUTE, reason: because }, ofSweep]);
  fault.cancel();
  await world.later();
  expect(await failures()).toEqual([undefined, ofSweep]);
  await world.later('sweep');
  expect(await failures()).toEqual([undefined, undefined]);
});

describe('source.stalled', () => {
  it('is emitted once, by a failed pass, when none was completed for more than 5 intervals', async () => {
    await settled();
    const completed = world.clock.now;
    down();
    await failing(5);
    expect(await told()).toEqual([]);
    await failing(5);
    expect(await told()).toEqual(['source.stalled']);
    expect(warned(/is stalled; a source.stalled event was emitted/)).toEqual([
      { ...world.process, code: 'pass.stalled', reason: expect.stringMatching(/status 403/) },
    ]);
    const [event] = await world.events();
    expect(event).toMatchObject({
      id: `${PROCESS}..${completed + 6 * MINUTE}.0`,
      time: iso(completed + 6 * MINUTE),
      data: { since: iso(completed), reason: expect.stringMatching(/^GET .*projects.*status 403/) },
    });
  });

  it.each([
    ['counts the slowest interval', MINUTE, 10 * MINUTE, 50 * MINUTE],
    ['takes a minute at least, however short the interval', 100, 100, MINUTE],
  ])('%s', async (_, fastest, slowest, silence) => {
    await settled({ settings: { processes: [{ id: PROCESS, changes: { fastest, slowest } }] as never } });
    down();
    await failing(1, 'changes', silence);
    expect(await told()).toEqual([]);
    await failing(1, 'changes', 1);
    expect(await told()).toEqual(['source.stalled']);
  });

  it('is emitted by the pass during which it came true, and that has more to read', async () => {
    await settled({ settings: { concurrency: 1 } });
    stage.budget(ids(3));
    const slow = { onProgress: () => world.pass(3 * MINUTE), remaining: 6 * MINUTE };
    expect(await stage.runOver({}, 'changes', slow)).toMatchObject({ outcome: 'unfinished', events: 2 });
    expect(await told()).toEqual([expect.stringContaining('1001'), 'source.stalled']);
    expect(await reason()).toEqual([expect.stringMatching(/more to read than one run has time for/)]);
  });

  it.each([
    ['where there is something to commit', 'commit'],
    ['before they look at a project', 'withSnapshot'],
    ['at their end', 'finish'],
  ] as const)('is emitted by the run after those that are killed %s', async (_, call) => {
    await settled();
    if (call !== 'withSnapshot') stage.budget('1001');
    const killed = () => Promise.reject(new Error('killed'));
    const calls = { [call]: killed, release: killed, abandon: killed, announce: killed };
    for (let pass = 0; pass < 6; pass++) await stage.runOver(calls).catch(() => world.pass(1_000));
    expect(await told()).not.toContain('source.stalled');
    world.pass(61_000);
    await world.run();
    expect(await reason()).toEqual([expect.stringMatching(/did not come to its end/)]);
  });

  it('is not emitted before the baseline, nor by a sweep', async () => {
    world = await stage.create();
    const refusal = down();
    await failing(8);
    refusal.cancel();
    await world.later();
    down();
    await failing(8, 'sweep');
    expect(await told()).toEqual([]);
  });

  it('never hides the failure of the pass, and is emitted by the next one', async () => {
    await settled();
    down();
    const announce = () => Promise.reject(new Error('throttled'));
    world.pass(5 * MINUTE);
    await expect(stage.runOver({ announce })).rejects.toThrow(/status 403/);
    expect(warned(/^Could not emit the stall/)).toEqual([
      { ...world.process, code: 'pass.stall-not-emitted', error: 'throttled' },
    ]);
    await failing(1);
    expect(await told()).toEqual(['source.stalled']);
  });

  it('is not emitted by a run that took too old a look at the state', async () => {
    await settled();
    down();
    const readState = oldLook(({ completedAt }) => ({ completedAt: completedAt - 6 * MINUTE }));
    await expect(stage.runOver({ readState })).rejects.toThrow();
    expect([await told(), warned(/stalled/)]).toEqual([[], []]);
  });
});

describe('source.recovered', () => {
  const stalled = async () => {
    await settled();
    const refusal = down();
    await failing(7);
    refusal.cancel();
  };

  it('is emitted once, by the next completed `changes` pass, after what changed since', async () => {
    await stalled();
    const since = world.clock.now - 7 * MINUTE;
    stage.budget('1001');
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
    expect((await stage.state()).stalled).toBeUndefined();
  });

  it('is emitted by the very run that emitted the stall, when that one completes', async () => {
    await settled();
    stage.budget('1001');
    const killed = () => Promise.reject(new Error('killed'));
    await stage.runOver({ commit: killed, abandon: killed }).catch(() => undefined);
    world.pass(10 * MINUTE);
    expect(await world.run()).toMatchObject({ outcome: 'completed', events: 3 });
    expect((await told()).slice(0, 2)).toEqual(['source.stalled', 'source.recovered']);
  });

  it('is not emitted again by a run that took too old a look at the state', async () => {
    await stalled();
    const meanwhile = async () => {
      world.pass(61_000);
      await world.run();
    };
    expect(await stage.runOver({ readState: oldLook(meanwhile) })).toMatchObject({ outcome: 'busy' });
    expect(await told()).toEqual(['source.stalled', 'source.recovered']);
    expect(warned(/^Could not emit the stall/)).toEqual([]);
  });

  it('is not emitted again when another run did so while this one completed', async () => {
    await stalled();
    const finish: Snapshots['finish'] = async (...given) => {
      const result = await world.snapshots.finish(...given);
      await world.run();
      return result;
    };
    stage.budget('1001');
    await stage.runOver({ finish });
    expect((await told()).filter(line => line === 'source.recovered')).toHaveLength(1);
  });
});
