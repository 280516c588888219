import { cloneProgress, completeAll } from './rows.ts';
import { start } from './runner.ts';
import type { Size } from './sizes.ts';
import type { FunctionFacts, Stack } from './stack.ts';
import { meanOf, type Used } from './used.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;

/** What a tick uses each minute, while each process has just been walked. */
export async function measureTick(
  stack: Stack & { size: Size },
  world: World,
  inits: Record<string, number>,
): Promise<Used> {
  const began = Date.now();
  await cloneProgress(stack.size, world);
  // Turns the clock back by the minutes that writing thousands of rows takes, in which nothing is polled.
  world.later(began - Date.now());
  const running = await start('tick', stack.functions.tick as FunctionFacts, world.forRunning);
  inits.tick = running.init;
  const runs: Used[] = [];
  try {
    const warming = stack.size.name === 'large' ? 3 : 10;
    for (let run = 0; run < warming; run++) {
      world.later(1_000);
      await completeAll(stack.size, world);
      await running.run({}, world.ahead());
    }
    for (let run = 0; run < 3; run++) {
      world.later(MINUTE);
      await completeAll(stack.size, world);
      runs.push((await running.run({}, world.ahead())).used);
      world.aws.takeSent();
    }
  } finally {
    await running.stop();
  }
  return meanOf(runs);
}
