import { parentPort, workerData } from 'node:worker_threads';
import type { SmallWorld } from './passes.ts';
import { type Progress, smallWorlds } from './small-worlds.ts';

export interface Work {
  readonly storage: SmallWorld['storage'];
  readonly name: string;
}

export interface Message {
  readonly progress?: Progress;
  readonly isDone?: boolean;
  readonly failure?: string;
}

/** Enumerates one small world in a thread of its own. */
const { storage, name } = workerData as Work;
const send = (message: Message) => parentPort?.postMessage(message);
const world = smallWorlds(storage).find(each => each.name === name);
try {
  if (world) send({ progress: await world.run(progress => send({ progress })), isDone: true });
} catch (error) {
  send({ failure: (error as Error).message });
}
