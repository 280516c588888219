import { jsonEqual } from '../../functions/changes/equal.ts';
import { isAdaptive } from '../../functions/schedule/scheduled.ts';
import { Violation } from './oracle/violation.ts';
import { areClose } from './plan/clocks.ts';
import type { Plan } from './plan.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
/** Longer than a lease lasts. */
const LEASE_MS = 65_000;
/** The time that a message and its pass take. */
const PASS_MS = 30_000;
/** How long it watches whether passes begin when they are due. */
const WATCHED_MS = 120_000;
/** By how much a pass may begin late or early: delays are whole seconds, and messages take time. */
const SLACK_MS = 3_000;
/** How far clocks are ahead that are then set right. */
const AHEAD_MS = 3_600_000;
/** Longer than a message is kept, or stays invisible. */
const EMPTY_MS = 2 * 3_600_000;

/** After the last fault, tick alone must start passes: within two of its minutes and the longest time
 *  between two passes, it has the process polled. */
export async function checkStarted(world: World, { schedule, skew, steps }: Plan): Promise<void> {
  if (!schedule) return;
  const { changes } = schedule;
  const areRight = areClose(skew, steps);
  // Until the leases of runs that died have ended.
  await world.pass(LEASE_MS + (areRight ? 0 : world.clocks.spread));
  if (!areRight) world.agreeOnTime(0);
  // A time that a wrong clock wrote must not be waited for longer than this.
  const limit = changes.slowest + 2 * MINUTE_MS + PASS_MS;
  const patience = changes.slowest + 2 * MINUTE_MS;
  world.ticker.isOn = true;
  await polled(world, areRight ? limit : limit + patience);
  if (!areRight) {
    // Then the times of claims and of due passes are ahead of the clock.
    world.agreeOnTime(AHEAD_MS);
    await polled(world, limit + patience);
  }
  if (!isAdaptive(changes)) await checkPace(world, changes.fastest);
  await turnOff(world);
}

async function polled(world: World, limit: number): Promise<void> {
  const { scheduler, paces } = world;
  const began = scheduler.wall;
  const isPolled = () => paces.completed.some(({ mode, at }) => mode === 'changes' && at >= began);
  await world.until(() => isPolled() || scheduler.wall > began + limit, 'tick has the process polled');
  if (!isPolled()) throw new Violation(1, `tick did not have the process polled within ${limit} ms`);
  // Until the first tick after that, messages that were sent before are worked off.
  await world.pass(Math.max(0, began + MINUTE_MS + SLACK_MS - scheduler.wall));
}

/** Checks that, while nothing goes wrong, a pass begins each time that one is due. */
async function checkPace(world: World, interval: number): Promise<void> {
  const { paces, scheduler } = world;
  const began = scheduler.wall;
  await world.pass(Math.max(WATCHED_MS, 2 * interval));
  const times = paces.begun.filter(({ mode, at }) => mode === 'changes' && at >= began).map(({ at }) => at);
  const longest = interval + Math.max(SLACK_MS, 0.9 * interval);
  for (const [index, at] of [...times, scheduler.wall].entries()) {
    const gap = at - (times[index - 1] ?? began);
    if (gap > longest)
      throw new Violation(1, `no changes pass began for ${gap} ms: one each ${interval} ms is due`);
  }
}

/** Checks that passes that tick starts over unchanged data make as few requests as others, and write no
 *  snapshot. */
export async function checkStartedIdle(world: World, { schedule }: Plan, most: number): Promise<void> {
  if (!schedule) return;
  const { paces, scheduler, ticker, commits } = world;
  const began = scheduler.wall;
  const before = { writes: commits.writes, events: commits.events.length };
  ticker.isOn = true;
  await world.pass(WATCHED_MS);
  await turnOff(world);
  const after = { writes: commits.writes, events: commits.events.length };
  if (!jsonEqual(before, after))
    throw new Violation(5, `idle passes that tick started wrote: ${JSON.stringify({ before, after })}`);
  for (const { mode, at, requests } of paces.completed)
    if (mode === 'changes' && at >= began && requests > most)
      throw new Violation(5, `an idle pass that tick started asked ${requests} requests, not ${most}`);
}

/** Switches tick off, and checks that the queue becomes empty: nothing is retried for ever. */
async function turnOff(world: World): Promise<void> {
  const { scheduler, passes, ticker } = world;
  ticker.isOn = false;
  const end = scheduler.now + EMPTY_MS;
  // A tick that is under way may still send messages.
  const isOver = () => ticker.isIdle && passes.isIdle;
  await world.until(() => isOver() || scheduler.now > end, 'the queue of passes is empty');
  if (!passes.isIdle) throw new Violation(1, 'messages stay in the queue of passes');
}
