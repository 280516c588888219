import { rmSync } from 'node:fs';
import { record } from './record.ts';
import { type Running, start } from './runner.ts';
import { configOf, SIZES, type Size, SWEEP, TASKS_PER_PROJECT } from './sizes.ts';
import { type FunctionFacts, type Stack, synthesise } from './stack.ts';
import { meanOf, NOTHING, plus, type Used } from './used.ts';
import { PROCESS, type World } from './world.ts';

const MINUTE = 60_000;

/** Makes each kind of pass over one process, one after the other, a minute apart. `later` makes one more. */
export async function measurePasses(
  poll: Running,
  { facts }: Stack,
  world: World,
  say: (text: string) => void,
) {
  const isQueued = facts.mappings.some(({ target }) => target === 'poll');
  let peak = 0;
  const pass = async (mode: 'changes' | 'sweep') => {
    const message = { workspace: 'w1', processId: PROCESS, mode };
    const expiresAt = Date.now() + world.ahead() + MINUTE;
    const event = isQueued ? { Records: [record({ ...message, expiresAt })] } : message;
    const { used, peakMb } = await poll.run(event, world.ahead());
    peak = Math.max(peak, Math.round(peakMb));
    return used;
  };
  const later = async (mode: 'changes' | 'sweep' = 'changes') => {
    world.later(MINUTE);
    return pass(mode);
  };
  say('a baseline');
  const baseline = await pass('changes');
  say(`idle passes; the baseline waited ${Math.round(baseline.waited)} ms`);
  for (let warming = 0; warming < 15; warming++) await later();
  const idle: Used[] = [];
  for (let run = 0; run < 15; run++) idle.push(await later());
  const idlePass = meanOf(idle);
  say('changes');
  const changed: Used[] = [];
  for (let run = 0; run < 10; run++) {
    world.service.workspace.updateTask(
      PROCESS,
      String(1001 + run),
      String(500_001 + run * TASKS_PER_PROJECT),
      {
        status: 'Done',
      },
    );
    const three = [await later(), await later(), await later()].reduce(
      (sum, used) => plus(sum, used),
      NOTHING,
    );
    changed.push(plus(three, idlePass, -3));
  }
  say('a sweep');
  world.later(SWEEP.seconds * 1000);
  const sweep = await later('sweep');
  const measured = { baseline, idlePass, change: meanOf(changed), sweep, pollPeakMb: peak };
  return { measured, later };
}

/** What a message uses that comes before the pass is due, and is dropped: a process whose interval adapts
 *  has more of these than passes. Null for a checkout where intervals don't adapt. */
export async function measureDropped(checkout: string, world: World): Promise<Used | null> {
  const config = configOf({ ...SIZES[0], processes: 1 } as Size) as object;
  const changes = { fastest: '10s', slowest: '5m' };
  let stack: Stack;
  try {
    stack = synthesise(checkout, { ...config, changes }, world.queueUrl);
  } catch {
    return null;
  }
  const poll = await start('poll', stack.functions.poll as FunctionFacts, world.forRunning);
  const message = async (later: number) => {
    world.later(later);
    const expiresAt = Date.now() + world.ahead() + MINUTE;
    const body = { workspace: 'w1', processId: PROCESS, mode: 'changes', expiresAt };
    return (await poll.run({ Records: [record(body)] }, world.ahead())).used;
  };
  try {
    // These two make passes, which write when the next is due; each further message comes far too early.
    await message(5 * MINUTE);
    await message(5 * MINUTE);
    const runs: Used[] = [];
    for (let run = 0; run < 8; run++) runs.push(await message(100));
    return meanOf(runs.slice(3));
  } finally {
    await poll.stop();
    rmSync(stack.directory, { recursive: true, force: true });
  }
}
