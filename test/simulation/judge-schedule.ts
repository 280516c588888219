import { maxSilenceMs } from '../../functions/config/workspace.ts';
import { isAdaptive } from '../../functions/schedule/scheduled.ts';
import { Violation } from './oracle/violation.ts';
import { areClose } from './plan/clocks.ts';
import { OUTAGES, type Outage } from './plan/service.ts';
import type { Plan } from './plan.ts';
import { PROCESS } from './shared.ts';
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
/** Where one request at once is allowed, a pass waits until another ends, or gives way, and then until its message is looked at again. */
const ALONE_MS = 25_000;
/** How long a service asks to wait that is out of order, in s, and how much later than the longest silence subscribers are told of that. */
const OUTAGE_S = 240;
const SILENCE_MS = 3 * MINUTE_MS;
/** How far clocks are ahead that are then set right. */
const AHEAD_MS = 3_600_000;
/** Longer than a message is kept, or stays invisible. */
const EMPTY_MS = 2 * 3_600_000;

/** A pause that ends later than this was written by a wrong clock, in ms. */
const LATEST_MS = 20 * MINUTE_MS;

/** After the last fault, tick alone must start passes: within two of its minutes and the longest time
 *  between two passes, it has each process polled; of a workspace that is paused, so long after its pause. */
export async function checkStarted(
  world: World,
  { seed, schedule, skew, steps, concurrency }: Plan,
): Promise<void> {
  if (!schedule) return;
  const { changes } = schedule;
  const areRight = areClose({ skew, steps });
  // Until the leases of runs that died have ended.
  await world.pass(LEASE_MS + (areRight ? 0 : world.clocks.spread));
  if (!areRight) world.agreeOnTime(0);
  // A time that a wrong clock wrote must not be waited for longer than this.
  const limit = changes.slowest + 2 * MINUTE_MS + PASS_MS + pauseLeft(world) + baselinesLeft(world);
  const margin = changes.slowest + 2 * MINUTE_MS;
  world.ticker.isOn = true;
  await polled(world, areRight ? limit : limit + margin);
  if (!areRight) {
    // Then the times of claims and of due passes are ahead of the clock.
    world.agreeOnTime(AHEAD_MS);
    await polled(world, limit + margin);
  }
  if (!isAdaptive(changes)) await checkPace(world, changes.fastest, concurrency === 1 ? ALONE_MS : 0);
  // Rare, because the silence is long.
  if (seed % 4 === 0)
    await checkSilence(world, changes.slowest, OUTAGES[(seed >> 2) % OUTAGES.length] ?? '503');
  await turnOff(world);
}

/** How long the workspace is paused still, in ms. */
function pauseLeft({ shares, clocks }: World): number {
  const left = Math.max(0, (shares.pause?.until ?? 0) - clocks.of(0)());
  return left > LATEST_MS ? 0 : left;
}

/** How much longer it takes where baselines are to be made first, in ms: each is started by a tick, and the next tick starts what follows. */
function baselinesLeft({ processes, paces }: World): number {
  const areMade = processes.every(({ id }) => paces.isBaselined(id));
  return areMade ? 0 : 2 * MINUTE_MS + PASS_MS;
}

/** @param limit ms that it may take; a pause comes on top that the first passes met, or requests of before */
async function polled(world: World, limit: number): Promise<void> {
  const { scheduler, paces, processes, shares } = world;
  const began = scheduler.wall;
  let since = began;
  let end = began + limit;
  const unpolled = () =>
    processes.find(
      ({ id }) =>
        !paces.completed.some(one => one.processId === id && one.mode === 'changes' && one.at >= began),
    );
  const isOver = () => {
    // Behind a pause, only the next tick starts more than one pass.
    if (shares.pause) since = scheduler.wall;
    if (scheduler.wall <= began + MINUTE_MS + PASS_MS) end = Math.max(end, began + limit + pauseLeft(world));
    return unpolled() === undefined || scheduler.wall > end;
  };
  await world.until(isOver, 'tick has the processes polled');
  const left = unpolled();
  if (left) throw new Violation(1, `tick did not have ${left.id} polled within ${end - began} ms`);
  // Until the first tick after that, messages that were sent before are worked off.
  await world.pass(Math.max(0, since + MINUTE_MS + SLACK_MS - scheduler.wall));
}

/** Checks that, while nothing goes wrong, a pass begins each time that one is due.
 *  @param more ms that it may wait for others */
async function checkPace(world: World, interval: number, more: number): Promise<void> {
  const { paces, scheduler, shares } = world;
  const began = scheduler.wall;
  let isPaused = false;
  const isOver = () => {
    isPaused ||= shares.pause !== undefined;
    return scheduler.wall >= began + Math.max(WATCHED_MS, 2 * interval);
  };
  await world.until(isOver, 'passes are watched');
  // The service itself may ask to wait.
  if (isPaused) return;
  const begun = paces.begun.filter(({ processId, mode }) => processId === PROCESS && mode === 'changes');
  const times = begun.map(({ at }) => at).filter(at => at >= began);
  const longest = interval + Math.max(SLACK_MS, 0.9 * interval) + more;
  for (const [index, at] of [...times, scheduler.wall].entries()) {
    const gap = at - (times[index - 1] ?? began);
    if (gap > longest)
      throw new Violation(1, `no changes pass began for ${gap} ms: one each ${interval} ms is due`);
  }
}

/** Checks that, while the whole service does not work, subscribers are told that nothing is read; and that all is polled again after it. */
async function checkSilence(world: World, interval: number, how: Outage['how']): Promise<void> {
  const { service, scheduler, processes } = world;
  const end = scheduler.now + maxSilenceMs(interval) + SILENCE_MS;
  const silent = () => processes.find(({ commits }) => !commits.source.isStalled);
  service.breakDown(how, OUTAGE_S);
  await world.until(() => silent() === undefined || scheduler.now > end, 'subscribers are told of a stall');
  service.heal();
  const left = silent();
  if (left) throw new Violation(1, `the service is out of order (${how}), but nobody was told of ${left.id}`);
  await polled(world, interval + 2 * MINUTE_MS + PASS_MS + pauseLeft(world));
  for (const { id, commits } of processes)
    if (commits.source.isStalled) throw new Violation(1, `${id} is polled again, but its stall is not over`);
}

/** Checks that passes that tick starts over unchanged data make as few requests as others, and write no
 *  snapshot. */
export async function checkStartedIdle(world: World, { schedule }: Plan, most: number): Promise<void> {
  if (!schedule) return;
  const { paces, scheduler, ticker } = world;
  const began = scheduler.wall;
  await checkWritesNothing(world, async () => {
    ticker.isOn = true;
    await world.pass(WATCHED_MS);
    await turnOff(world);
  });
  for (const { processId, mode, at, requests } of paces.completed)
    if (processId === PROCESS && mode === 'changes' && at >= began && requests > most)
      throw new Violation(5, `an idle pass that tick started asked ${requests} requests, not ${most}`);
}

/** Checks that idle passes write no snapshot and tell nothing. */
export async function checkWritesNothing({ commits }: World, passes: () => Promise<void>): Promise<void> {
  const written = () => JSON.stringify({ writes: commits.writes, events: commits.events.length });
  const before = written();
  await passes();
  if (written() !== before) throw new Violation(5, `idle passes wrote: ${before} became ${written()}`);
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
