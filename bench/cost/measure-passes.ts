import { rmSync } from 'node:fs';
import { groupsOf } from '../../functions/schedule/groups.ts';
import type { PassMessage } from '../../functions/schedule/pass-message.ts';
import { record } from './record.ts';
import { type Running, start } from './runner.ts';
import { configOf, processesOf, SIZES, type Size, SWEEP, TASKS_PER_PROJECT } from './sizes.ts';
import { type FunctionFacts, type Stack, synthesise } from './stack.ts';
import { LATENCY, meanOf, NOTHING, plus, type Used } from './used.ts';
import { PROCESS, type World } from './world.ts';

const MINUTE = 60_000;
/** The latency of a service that is further away, in ms. */
const SLOW_MS = 300;

/** What a run uses whose passes find nothing, and over how many processes. */
export interface IdleRun {
  readonly processes: number;
  readonly used: Used;
}

type BySize<Each> = Readonly<Record<Size['name'], Each>>;

/** What depends on how soon the service answers. */
export interface Reading {
  readonly idleRuns: BySize<IdleRun>;
  /** What a change adds, in the pass that finds it and in those after it. */
  readonly change: Used;
  readonly sweep: Used;
}

/** What runs over 25 processes use while the service answers nothing. */
export interface Outage {
  /** The first one, which is under way when that begins. */
  readonly met: Used;
  /** One that asks after a pause whether the service answers again. */
  readonly probe: Used;
  /** One that announces that its processes are stalled. */
  readonly announced: Used;
  /** The first one after it, which announces that they are not. */
  readonly recovered: Used;
}

/** Processes that are polled together with the first one. */
const groupIn = (size: Size): string[] => {
  const [group] = groupsOf(processesOf(size)).filter(({ processes }) =>
    processes.some(({ processId }) => processId === PROCESS),
  );
  return (group?.processes ?? []).map(({ processId }) => processId);
};

/** Makes each kind of pass, one after the other, a minute apart. `later` makes one more. */
export async function measurePasses(
  stacks: BySize<Stack>,
  world: World,
  { print, inits }: { print: (text: string) => void; inits: Record<string, number> },
) {
  const polls = {} as Record<Size['name'], Running>;
  for (const { name } of SIZES)
    polls[name] = await start('poll', stacks[name].functions.poll as FunctionFacts, world.forRunning);
  inits.poll = polls.busy.init;
  let peak = 0;
  const send = async (message: Omit<PassMessage, 'workspace' | 'expiresAt'>, poll = polls.busy) => {
    const expiresAt = Date.now() + world.ahead() + MINUTE;
    const body = { workspace: 'w1', ...message, expiresAt };
    const { used, peakMb } = await poll.run({ Records: [record(body)] }, world.ahead());
    peak = Math.max(peak, Math.round(peakMb));
    return used;
  };
  const later = (mode: PassMessage['mode'] = 'changes', processes = [PROCESS], poll = polls.busy) => {
    world.later(MINUTE);
    return send({ mode, processes }, poll);
  };
  print('a baseline');
  const baseline = await send({ mode: 'sweep', processes: [PROCESS], dueAt: 1 });
  print(`idle runs; the baseline waited ${Math.round(baseline.waited)} ms`);
  for (const id of groupIn(SIZES.at(-1) as Size).concat(...SIZES.map(groupIn)))
    if (id !== PROCESS) await send({ mode: 'sweep', processes: [id], dueAt: 1 }, polls.large);
  const measuring = { world, later, polls, print };
  const quick = await reading(measuring, 0);
  world.serviceLatency(SLOW_MS);
  const slow = { latency: SLOW_MS, ...(await reading(measuring, 1)) };
  world.serviceLatency(LATENCY.service);
  print('an outage');
  const outage = await outageOf(world, message => send(message, polls.large));
  const idlePass = await idleOf(() => later());
  const measured = { baseline, idlePass, ...quick, slow, outage, pollPeakMb: peak };
  const stop = async () => {
    for (const poll of Object.values(polls)) await poll.stop();
  };
  return { measured, later, stop };
}

async function idleOf(pass: () => Promise<Used>): Promise<Used> {
  for (let warming = 0; warming < 12; warming++) await pass();
  const idle: Used[] = [];
  for (let run = 0; run < 12; run++) idle.push(await pass());
  return meanOf(idle);
}

const EDITS = 8;

async function reading(
  {
    world,
    later,
    polls,
    print,
  }: {
    readonly world: World;
    readonly later: (mode?: PassMessage['mode'], processes?: string[], poll?: Running) => Promise<Used>;
    readonly polls: BySize<Running>;
    readonly print: (text: string) => void;
  },
  turn: number,
): Promise<Reading> {
  const idleRuns = {} as Record<Size['name'], IdleRun>;
  for (const size of SIZES) {
    const processes = groupIn(size);
    print(`idle runs over ${processes.length} processes`);
    const used = await idleOf(() => later('changes', processes, polls[size.name]));
    idleRuns[size.name] = { processes: processes.length, used };
  }
  print('changes');
  const idlePass = await idleOf(() => later());
  const changed: Used[] = [];
  for (let edit = turn * EDITS; edit < (turn + 1) * EDITS; edit++) {
    const task = String(500_001 + edit * TASKS_PER_PROJECT);
    world.service.workspace.updateTask(PROCESS, String(1001 + edit), task, { status: 'Done' });
    const three = [await later(), await later(), await later()].reduce(
      (sum, used) => plus(sum, used),
      NOTHING,
    );
    changed.push(plus(three, idlePass, -3));
  }
  print('a sweep');
  world.later(SWEEP.seconds * 1000);
  const sweep = await later('sweep');
  return { idleRuns, change: meanOf(changed), sweep };
}

/** The service answers nothing for ten minutes. */
async function outageOf(
  world: World,
  send: (message: Omit<PassMessage, 'workspace' | 'expiresAt'>) => Promise<Used>,
): Promise<Outage> {
  const message = { mode: 'changes' as const, processes: groupIn(SIZES.at(-1) as Size) };
  await send(message);
  world.hang(true);
  world.later(MINUTE);
  const met = await send(message);
  const probes: Used[] = [];
  for (const seconds of [60, 120, 240]) {
    world.later(seconds * 1_000);
    probes.push(await send(message));
  }
  // In the pause after that.
  world.later(MINUTE);
  const announced = await send(message);
  world.hang(false);
  world.later(8 * MINUTE);
  const recovered = await send(message);
  return { met, probe: meanOf(probes), announced, recovered };
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
    const body = { workspace: 'w1', processes: [PROCESS], mode: 'changes', expiresAt };
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
