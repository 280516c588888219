import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { SmallWorld } from './passes.ts';
import { type Enumerated, type Progress, smallWorlds } from './small-worlds.ts';

/** What a thread enumerates. */
interface Work {
  readonly storage: SmallWorld['storage'];
  readonly world: string;
}

interface Message {
  readonly progress?: Progress;
  readonly isDone?: boolean;
  readonly failure?: string;
}

/** How often a line tells how far a world has come, in ms. */
const REPORT_MS = 30_000;

export interface AllOptions {
  readonly storage: Work['storage'];
  /** Only worlds whose names contain this. */
  readonly named: string;
  readonly workers: number;
  readonly say: (text: string) => void;
}

/** Enumerates the small worlds, several at once. @returns the number of worlds in which an invariant does not hold */
export async function enumerateAll({ storage, named, workers, say }: AllOptions): Promise<number> {
  const worlds = smallWorlds(storage).filter(({ name }) => name.includes(named));
  if (worlds.length === 0)
    throw new TypeError(`--only: no small world over ${storage} has a name with "${named}".`);
  const began = performance.now();
  let failed = 0;
  const rest = worlds.values();
  const work = async () => {
    for (const world of rest) if (!(await enumerate(world, storage, say))) failed += 1;
  };
  await Promise.all(Array.from({ length: workers }, work));
  say(`${worlds.length - failed} of ${worlds.length} small worlds hold, in ${secondsSince(began)} s.`);
  return failed;
}

/** @returns whether every invariant holds in it */
async function enumerate(
  { name }: Enumerated,
  storage: Work['storage'],
  say: AllOptions['say'],
): Promise<boolean> {
  const began = performance.now();
  const workerData: Work = { storage, world: name };
  const worker = new Worker(new URL(import.meta.url), { workerData });
  let [reported, holds] = [began, false];
  worker.on('message', ({ progress, isDone, failure }: Message) => {
    holds = isDone === true;
    if (failure)
      return say(`FAILED: ${name}: ${failure}\n  to repeat it: npm run simulate -- --all --only "${name}"`);
    if (!isDone && performance.now() - reported < REPORT_MS) return;
    reported = performance.now();
    if (progress) say(`${isDone ? '' : '  '}${name}: ${textOf(progress)}, ${secondsSince(began)} s`);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.on('exit', () => resolve()).on('error', reject);
  await promise;
  return holds;
}

function textOf({ made, known, orders }: Progress): string {
  const runs = `${made.toLocaleString('en')} of ${known.toLocaleString('en')}`;
  return orders === undefined ? runs : `${runs} runs, for ${orders.toLocaleString('en')} orders`;
}

function secondsSince(began: number): string {
  return ((performance.now() - began) / 1000).toFixed(0);
}

/** Enumerates one small world, in a thread of its own. */
async function enumerateHere({ storage, world: name }: Work): Promise<void> {
  const send = (message: Message) => parentPort?.postMessage(message);
  const world = smallWorlds(storage).find(each => each.name === name);
  try {
    if (world) send({ progress: await world.run(progress => send({ progress })), isDone: true });
  } catch (error) {
    send({ failure: (error as Error).message });
  }
}

if (workerData?.world !== undefined) await enumerateHere(workerData as Work);
