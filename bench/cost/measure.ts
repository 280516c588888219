import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Delivering, measureDelivery } from './measure-delivery.ts';
import { measureDropped, measurePasses, type Outage, type Reading } from './measure-passes.ts';
import { measureTick } from './measure-tick.ts';
import { itemsOf, meanSize } from './rows.ts';
import { configOf, SIZES, type Size, TASKS_PER_PROJECT } from './sizes.ts';
import { type FunctionFacts, type Stack, type StackFacts, synthesise } from './stack.ts';
import type { Used } from './used.ts';
import { openWorld, type World } from './world.ts';

/** `initMs`: processor time until the code is loaded. `gzip`: bytes of the code, compressed. */
export interface MeasuredFunction {
  readonly memoryMb: number;
  readonly initMs: number;
  readonly gzip: number;
}

/** What the functions of one checkout use. */
export interface Measured {
  readonly commit: string;
  /** YYYY-MM-DD */
  readonly date: string;
  readonly stacks: Readonly<Record<Size['name'], StackFacts & { readonly processes: number }>>;
  readonly functions: Readonly<Record<string, MeasuredFunction>>;
  readonly baseline: Used;
  /** Over one process. */
  readonly idlePass: Used;
  /** Absent where each message names one process. */
  readonly idleRuns?: Reading['idleRuns'];
  /** With a service that is further away. */
  readonly slow?: Reading & { readonly latency: number };
  readonly outage?: Outage;
  /** What a message for a pass that is not due uses; null without any. */
  readonly dropped: Used | null;
  /** What a change adds, in the pass that finds it and in those after it. */
  readonly change: Used;
  readonly sweep: Used;
  /** The most memory that the poll function had. */
  readonly pollPeakMb: number;
  readonly tick: Readonly<Record<Size['name'], Used>>;
  readonly delivering: Readonly<Record<'busy' | 'large', Delivering>>;
  /** Bytes that a project takes in the table, and a change record. */
  readonly projectBytes: number;
  readonly changeBytes: number;
  /** Bytes of the row of an attempt to deliver. */
  readonly attemptBytes: number;
}

/** The most processes of a stack in earlier versions, where each process had resources of its own. */
const MAX_PROCESSES = 60;

/** Runs the functions of a checkout, bundled and configured as in its stack. */
export async function measure(
  checkout: string,
  commit: string,
  print: (text: string) => void,
  projects = 2_000,
): Promise<Measured> {
  const world = await openWorld(projects, TASKS_PER_PROJECT);
  const stacks = {} as Record<Size['name'], Stack & { size: Size }>;
  try {
    for (const size of SIZES) {
      print(`${commit}: synthesising ${size.title}`);
      stacks[size.name] = synthesiseLargest(checkout, size, world);
    }
    const [idle, busy, large] = [stacks.idle, stacks.busy, stacks.large];
    const inits: Record<string, number> = {};
    const passes = await measurePasses(stacks, world, { print, inits });
    const tick = {} as Record<Size['name'], Used>;
    for (const stack of [idle, busy, large]) {
      print(`${commit}: tick, ${stack.size.processes} processes`);
      await passes.later();
      tick[stack.size.name] = await measureTick(stack, world, inits);
    }
    await passes.stop();
    const changes = await itemsOf(world, 'CHANGE#');
    const rows = await itemsOf(world, 'PROJECT#');
    const delivering: Measured['delivering'] = {
      busy: await measureDelivery(busy, changes, world, inits),
      large: await measureDelivery(large, changes, world, inits),
    };
    return {
      commit,
      date: new Date().toISOString().slice(0, 10),
      stacks: Object.fromEntries(
        SIZES.map(({ name }) => [name, { ...stacks[name].facts, processes: stacks[name].size.processes }]),
      ) as Measured['stacks'],
      functions: Object.fromEntries(
        Object.entries(inits).map(([name, initMs]) => [name, functionOf(busy, name, initMs)]),
      ),
      ...passes.measured,
      dropped: await measureDropped(checkout, world),
      tick,
      delivering,
      projectBytes: meanSize(rows),
      changeBytes: meanSize(changes),
      attemptBytes: meanSize(await itemsOf(world, 'ATTEMPT#', 'ENDPOINT#hook1')),
    };
  } finally {
    for (const { directory } of Object.values(stacks)) rmSync(directory, { recursive: true, force: true });
    await world.stop();
  }
}

function functionOf({ functions }: Stack, name: string, initMs: number): MeasuredFunction {
  const { memoryMb, bundle } = functions[name] as FunctionFacts;
  const gzip = gzipSync(readFileSync(join(bundle, 'index.mjs')), { level: 9 }).length;
  return { memoryMb, initMs: Math.round(initMs), gzip };
}

/** The stack of this size; in a checkout whose stacks can't have that number of processes, one with as many as
 *  they can. */
function synthesiseLargest(checkout: string, size: Size, world: World): Stack & { size: Size } {
  try {
    return { ...synthesise(checkout, configOf(size), world.queueUrl), size };
  } catch (error) {
    if (size.processes <= MAX_PROCESSES) throw error;
    process.stderr.write(`${size.processes} processes do not fit into a stack; using ${MAX_PROCESSES}.\n`);
    const smaller = { ...size, processes: MAX_PROCESSES, workspaces: 1, endpoints: 3 };
    return { ...synthesise(checkout, configOf(smaller), world.queueUrl), size: smaller };
  }
}
