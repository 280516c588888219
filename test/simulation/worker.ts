import { parentPort, workerData } from 'node:worker_threads';
import { runSeeds } from './seeds.ts';

/** A thread's share of the seeds: it tells of each one done, and in the end of all. */
const { seeds } = workerData as { seeds: number[] };
parentPort?.postMessage({ outcome: await runSeeds(seeds, failure => parentPort?.postMessage({ failure })) });
